-- What a tenant or a key has taken of what it may do in a minute. Taking must cost little and may be forgotten by a crash, so
-- the table is not logged: a commit that touches nothing else waits for no disk.
SELECT aresweb_isolate('memory_allowance');
ALTER TABLE memory_allowance SET UNLOGGED;

-- Takes `wanted`, or a hundredth of what may be taken in a minute if that is more, as far as it is there; nothing where less
-- than `wanted` is. Without a tenant's scope: whoever asks has none yet. `most` is the installation's, and holds where the tenant
-- has no own value of the setting.
CREATE FUNCTION aresweb_take(tenant bigint, of_key bigint, of_measure text, wanted bigint, setting text, most bigint)
RETURNS TABLE (granted bigint, allowed bigint, seconds_left double precision)
LANGUAGE plpgsql
AS $$
DECLARE
    outer_tenant text := coalesce(current_setting('aresweb.tenant_id', true), '');
    now_minute timestamptz := date_trunc('minute', clock_timestamp());
    taken bigint;
BEGIN
    PERFORM set_config('aresweb.tenant_id', tenant::text, true);
    allowed := coalesce((SELECT value::bigint FROM memory_tenantsetting WHERE tenant_id = tenant AND name = setting), most);
    granted := greatest(wanted, allowed / 100);
    IF allowed > 0 THEN
        INSERT INTO memory_allowance (tenant_id, key_id, measure, minute, used)
        VALUES (tenant, of_key, of_measure, now_minute, 0) ON CONFLICT DO NOTHING;
        SELECT CASE WHEN minute = now_minute THEN used ELSE 0 END INTO taken FROM memory_allowance
        WHERE tenant_id = tenant AND key_id = of_key AND measure = of_measure FOR UPDATE;
        granted := least(granted, allowed - taken);
        IF granted < wanted THEN
            granted := 0;
        ELSE
            UPDATE memory_allowance SET minute = now_minute, used = taken + granted
            WHERE tenant_id = tenant AND key_id = of_key AND measure = of_measure;
        END IF;
    END IF;
    seconds_left := extract(epoch FROM now_minute + interval '1 minute' - clock_timestamp());
    PERFORM set_config('aresweb.tenant_id', outer_tenant, true);
    RETURN NEXT;
END
$$;

-- What is told of experiences elsewhere, and what was deleted, belongs to a tenant like the experiences themselves.
SELECT aresweb_isolate(relation) FROM unnest(ARRAY['memory_recollection', 'memory_deletion']::regclass[]) AS relation;

ALTER TABLE memory_recollection ADD CONSTRAINT recollection_stream
    FOREIGN KEY (tenant_id, stream_id) REFERENCES memory_stream (tenant_id, id);

-- Blanks some events of a stream, as aresweb_erase_events does all of them; versions that are not there are passed over.
CREATE FUNCTION aresweb_erase_events_at(stream bigint, versions bigint[]) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
AS $$
DECLARE
    erased bigint;
BEGIN
    PERFORM set_config('aresweb.erasing', 'on', true);
    UPDATE memory_event
    SET payload_json = '{}', metadata_json = '{}', erased_at = clock_timestamp()
    WHERE tenant_id = aresweb_tenant_id() AND stream_id = stream AND version = ANY (versions) AND erased_at IS NULL;
    GET DIAGNOSTICS erased = ROW_COUNT;
    PERFORM set_config('aresweb.erasing', '', true);
    RETURN erased;
END
$$;

-- Recalls that were recorded before, as far as they are in the table of events; `manage.py rebuild_ledger` finds those
-- that are archived. Row-level security holds the owner too.
DO $$
DECLARE
    tenant bigint;
BEGIN
    FOR tenant IN SELECT id FROM memory_tenant LOOP
        PERFORM set_config('aresweb.tenant_id', tenant::text, true);
        INSERT INTO memory_recollection (tenant_id, experience_id, stream_id, version)
        SELECT DISTINCT tenant_id, result ->> 'id', stream_id, version
        FROM (
            SELECT
                tenant_id, stream_id, version,
                CASE WHEN json_typeof(payload_json -> 'results') = 'array' THEN payload_json -> 'results' ELSE '[]' END AS results
            FROM memory_event
            WHERE tenant_id = tenant AND type = 'memory.recalled' AND erased_at IS NULL
        ) AS recalled, json_array_elements(results) AS result
        WHERE json_typeof(result) = 'object' AND json_typeof(result -> 'id') = 'string' AND result ->> 'id' ~ '^exp_.{1,36}$';
    END LOOP;
    PERFORM set_config('aresweb.tenant_id', '', true);
END
$$;

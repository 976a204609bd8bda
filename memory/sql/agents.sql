-- Streams that are older than these columns: their newest event counts as work. Row-level security holds the owner too.
DO $$
DECLARE
    tenant bigint;
BEGIN
    FOR tenant IN SELECT id FROM memory_tenant LOOP
        PERFORM set_config('aresweb.tenant_id', tenant::text, true);
        UPDATE memory_stream SET last_work_at = last_event_at WHERE tenant_id = tenant;
    END LOOP;
    PERFORM set_config('aresweb.tenant_id', '', true);
END
$$;

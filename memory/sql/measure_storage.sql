-- What the content of the tenant takes as it is stored, compressed where PostgreSQL does that.
SELECT aresweb_tenant_id(), (
    (SELECT coalesce(sum(pg_column_size(payload_json) + pg_column_size(metadata_json)), 0) FROM memory_event
        WHERE tenant_id = aresweb_tenant_id())
    + (SELECT coalesce(sum(stored_bytes), 0) FROM memory_segment WHERE tenant_id = aresweb_tenant_id())
    + (SELECT coalesce(sum(pg_column_size(content)), 0) FROM memory_message WHERE tenant_id = aresweb_tenant_id())
    + (SELECT coalesce(sum(pg_column_size(problem) + pg_column_size(solution)), 0) FROM memory_experience
        WHERE tenant_id = aresweb_tenant_id())
    + (SELECT coalesce(sum(pg_column_size(text)), 0) FROM memory_knowledge WHERE tenant_id = aresweb_tenant_id())
    + (SELECT coalesce(sum(pg_column_size(vector)), 0) FROM memory_vector WHERE tenant_id = aresweb_tenant_id())
)::bigint

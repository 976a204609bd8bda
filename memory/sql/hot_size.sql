-- How many of a stream's events are in their table, and how many bytes their rows have.
SELECT count(*), coalesce(sum(pg_column_size(memory_event.*)), 0)::bigint
FROM memory_event
WHERE tenant_id = aresweb_tenant_id() AND stream_id = %(stream_id)s

SELECT version, type, is_error
FROM memory_event
WHERE tenant_id = aresweb_tenant_id() AND stream_id = %(stream_id)s AND version > %(after)s
ORDER BY version

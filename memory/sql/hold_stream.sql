-- Until the transaction ends, the stream's events are not erased; appending goes on.
SELECT id FROM memory_stream WHERE tenant_id = aresweb_tenant_id() AND id = %(stream_id)s FOR KEY SHARE

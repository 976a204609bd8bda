-- Where the stream is said to be, and what there is of it, hot and cold, at one moment.
SELECT version, last_hash, greatest(
    (
        SELECT coalesce(max(event.version), 0) FROM memory_event AS event
        WHERE event.tenant_id = stream.tenant_id AND event.stream_id = stream.id
    ),
    (
        SELECT coalesce(max(segment.last_version), 0) FROM memory_segment AS segment
        WHERE segment.tenant_id = stream.tenant_id AND segment.stream_id = stream.id
    )
)
FROM memory_stream AS stream
WHERE tenant_id = aresweb_tenant_id() AND id = %(stream_id)s

-- The next events of a stream as they are recorded, as many as fit into the bounds; one at least, however large it is.
-- Sizes are those on the disk, which cost nothing to find out. A time that no program can hold is told as one that it can.
SELECT
    version, event_id, type, payload, metadata,
    greatest(least(occurred_at, '9998-12-31T00:00Z'), '0002-01-01T00:00Z'),
    greatest(least(recorded_at, '9998-12-31T00:00Z'), '0002-01-01T00:00Z'),
    causation_id, correlation_id, is_error, digest, hash, is_erased
FROM (
    SELECT
        version, event_id, type, payload_json::text AS payload, metadata_json::text AS metadata, occurred_at, recorded_at,
        causation_id, correlation_id, is_error, digest, hash, erased_at IS NOT NULL AS is_erased,
        sum(pg_column_size(payload_json) + pg_column_size(metadata_json)) OVER (
            ORDER BY version ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS bytes_before
    FROM memory_event
    WHERE tenant_id = aresweb_tenant_id() AND stream_id = %(stream_id)s AND version > %(after)s
        AND version <= %(last)s
    ORDER BY version
    LIMIT %(most)s
) AS next
WHERE coalesce(bytes_before, 0) < %(most_bytes)s
ORDER BY version

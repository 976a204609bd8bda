-- One statement, one round trip: the events and the stream's new head. The arrays, of equal length, go in binary form:
-- as text each element would have to be escaped.
WITH appended AS (
    INSERT INTO memory_event (
        tenant_id, stream_id, version, event_id, type, payload_json, metadata_json, occurred_at, recorded_at,
        causation_id, correlation_id, is_error, digest, hash
    )
    SELECT
        %(tenant_id)s, %(stream_id)s, version, event_id, type, payload::json, metadata::json, occurred_at, recorded_at,
        causation_id, correlation_id, is_error, digest, hash
    FROM unnest(
        %(versions)b::bigint[], %(event_ids)b::text[], %(types)b::text[], %(payloads)b::text[], %(metadatas)b::text[],
        %(occurred_ats)b::timestamptz[], %(recorded_ats)b::timestamptz[], %(causation_ids)b::text[],
        %(correlation_ids)b::text[], %(errors)b::bool[], %(digests)b::bytea[], %(hashes)b::bytea[]
    ) AS new (
        version, event_id, type, payload, metadata, occurred_at, recorded_at, causation_id, correlation_id, is_error,
        digest, hash
    )
    ORDER BY version
    RETURNING version, position, transaction_id
), moved AS (
    UPDATE memory_stream
    SET version = %(version)s, last_hash = %(last_hash)s, last_event_at = %(last_event_at)s, agent_id = %(agent_id)s,
        user_id = %(user_id)s, title = %(title)s, outcome = %(outcome)s, started_at = %(started_at)s,
        ended_at = %(ended_at)s, error_count = %(error_count)s, open_tasks = %(open_tasks)s,
        input_tokens = %(input_tokens)s, output_tokens = %(output_tokens)s, event_types = %(event_types)s,
        strip = %(strip)s, strip_bin = %(strip_bin)s, last_work_at = %(last_work_at)s,
        last_heartbeat_at = %(last_heartbeat_at)s, agent_status = %(agent_status)s,
        agent_status_at = %(agent_status_at)s, forked_from = %(forked_from)s, forked_at = %(forked_at)s
    WHERE tenant_id = %(tenant_id)s AND id = %(stream_id)s
)
SELECT position, transaction_id FROM appended ORDER BY version

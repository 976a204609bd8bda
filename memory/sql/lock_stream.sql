-- The stream's row, locked until the transaction ends: for who appends, without holding up who refers to the stream.
SELECT
    id, tenant_id, name, version, last_hash, created_at, last_event_at, agent_id, user_id, title, outcome, started_at,
    ended_at, error_count, open_tasks, input_tokens, output_tokens, event_types, strip, strip_bin,
    last_work_at, last_heartbeat_at, agent_status, agent_status_at, forked_from, forked_at
FROM memory_stream
WHERE tenant_id = aresweb_tenant_id() AND name = %(name)s
FOR NO KEY UPDATE

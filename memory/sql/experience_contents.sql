-- What these experiences say, and the first of the events that they came from.
SELECT item.id, item.problem, item.solution, item.kind, item.method, item.user_id, item.agent_id, item.status,
    item.confidence, item.valid_from, item.valid_to, coalesce(origin.events, '[]')::text
FROM memory_experience AS item LEFT JOIN LATERAL (
    SELECT jsonb_agg(
        jsonb_build_object('stream', stream_name, 'event_version', event_version, 'message_id', message_id)
        ORDER BY stream_name, event_version
    ) AS events
    FROM (
        SELECT stream_name, event_version, message_id FROM memory_source AS source
        WHERE source.tenant_id = aresweb_tenant_id() AND source.experience_id = item.id
        ORDER BY stream_name, event_version LIMIT %(most)s
    ) AS first_ones
) AS origin ON true
WHERE item.tenant_id = aresweb_tenant_id() AND item.id = ANY (%(ids)s::text[])

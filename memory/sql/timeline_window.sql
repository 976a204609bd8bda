-- The rows of a timeline: of events in their table, and of archived ones that are handed in. A large payload is not handed out: only what a row shows, its texts cut.
SELECT
    version, type, is_error, erased_at IS NOT NULL, occurred_at, recorded_at,
    CASE WHEN octet_length(payload_json::text) <= %(whole)s THEN payload_json::text ELSE json_build_object(
        'role', left(payload_json ->> 'role', 60),
        'name', left(payload_json ->> 'name', 60),
        'model', left(payload_json ->> 'model', 60),
        'error', CASE WHEN is_error THEN left(payload_json ->> 'error', %(text)s) END,
        'content', left(payload_json ->> 'content', %(text)s),
        'arguments', left(payload_json ->> 'arguments', %(text)s),
        'output', left(payload_json ->> 'output', %(text)s),
        'input', left(payload_json ->> 'input', %(text)s),
        'query', left(payload_json ->> 'query', %(text)s),
        'step', left(payload_json ->> 'step', %(text)s),
        'user_id', left(payload_json ->> 'user_id', %(text)s),
        'agent_id', left(payload_json ->> 'agent_id', %(text)s),
        'tool_calls', (
            SELECT json_agg(json_build_object('function', json_build_object('name', left(call #>> '{function,name}', 60))))
            FROM json_array_elements(
                CASE json_typeof(payload_json -> 'tool_calls') WHEN 'array' THEN payload_json -> 'tool_calls' END
            ) AS call
        ),
        'prompt', left(payload_json ->> 'prompt', %(text)s),
        'messages', left(payload_json ->> 'messages', %(text)s),
        'usage', payload_json -> 'usage',
        'duration_ms', payload_json -> 'duration_ms'
    )::text END
FROM (
    SELECT version, type, is_error, erased_at, occurred_at, recorded_at, payload_json
    FROM memory_event
    WHERE tenant_id = aresweb_tenant_id() AND stream_id = %(stream_id)s AND version BETWEEN %(first)s AND %(last)s
    UNION ALL
    SELECT version, type, is_error, erased_at, occurred_at, recorded_at, payload::json
    FROM unnest(
        %(versions)b::bigint[], %(types)b::text[], %(errors)b::bool[], %(erased_ats)b::timestamptz[],
        %(occurred_ats)b::timestamptz[], %(recorded_ats)b::timestamptz[], %(payloads)b::text[]
    ) AS archived (version, type, is_error, erased_at, occurred_at, recorded_at, payload)
) AS event
ORDER BY version

-- What the streams of each agent tell of it. A task that was left open long before the agent's last event is not what
-- the agent is at, so only streams active within `hours` of that are asked for open tasks.
WITH run AS (
    SELECT
        id, agent_id, name, open_tasks, last_event_at, last_work_at, last_heartbeat_at, agent_status, agent_status_at,
        max(last_event_at) OVER (PARTITION BY agent_id) AS newest
    FROM memory_stream
    WHERE tenant_id = aresweb_tenant_id() AND agent_id <> '' AND agent_id = coalesce(%(agent_id)s::text, agent_id)
)
SELECT
    agent_id, count(*), max(last_event_at),
    (sum(open_tasks) FILTER (WHERE last_event_at > newest - make_interval(hours => %(hours)s::int)))::bigint,
    (array_agg(agent_status ORDER BY agent_status_at DESC NULLS LAST, id DESC))[1], max(agent_status_at),
    max(last_work_at), max(last_heartbeat_at),
    (array_agg(name ORDER BY last_work_at DESC NULLS LAST, id DESC))[1]
FROM run
GROUP BY agent_id
ORDER BY agent_id

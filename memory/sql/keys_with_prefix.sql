-- The function shows the keys with this prefix, whosever they are, and nothing else.
SELECT
    presented.id, tenant_id, presented.name, prefix, secret_hash, presented.created_at, expires_at, revoked_at, last_used_at,
    scopes, agent_id, user_id, requests_a_minute, events_a_minute, last_used_from, replaces, tenant.suspended_at
FROM aresweb_keys_with_prefix(%(prefix)s) AS presented JOIN memory_tenant AS tenant ON tenant.id = tenant_id

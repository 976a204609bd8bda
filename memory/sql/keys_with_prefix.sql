-- The function shows the keys with this prefix, whosever they are, and nothing else.
SELECT id, tenant_id, name, prefix, secret_hash, created_at, expires_at, revoked_at, last_used_at
FROM aresweb_keys_with_prefix(%(prefix)s)

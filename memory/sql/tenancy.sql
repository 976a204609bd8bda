-- Row-level security, forced on the owner too: with no tenant set, tables are empty and refuse rows.
CREATE FUNCTION aresweb_tenant_id() RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE
AS $$ SELECT nullif(current_setting('aresweb.tenant_id', true), '')::bigint $$;

CREATE FUNCTION aresweb_isolate(relation regclass) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', relation);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', relation);
    EXECUTE format(
        'CREATE POLICY tenant_isolation ON %s USING (tenant_id = aresweb_tenant_id()) '
        'WITH CHECK (tenant_id = aresweb_tenant_id())', relation
    );
END
$$;

SELECT aresweb_isolate(relation) FROM unnest(ARRAY[
    'memory_membership', 'memory_apikey', 'memory_stream', 'memory_event', 'memory_snapshot',
    'memory_session', 'memory_message', 'memory_task', 'memory_idempotencykey'
]::regclass[]) AS relation;

-- Two things are asked before a tenant is known: which memberships a user has, and whose key a client presents.
CREATE POLICY own_memberships ON memory_membership FOR SELECT
USING (user_id = nullif(current_setting('aresweb.user_id', true), '')::bigint);

CREATE POLICY presented_key ON memory_apikey FOR SELECT
USING (prefix = nullif(current_setting('aresweb.key_prefix', true), ''));

CREATE FUNCTION aresweb_keys_with_prefix(presented text) RETURNS SETOF memory_apikey
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM set_config('aresweb.key_prefix', presented, true);
    RETURN QUERY SELECT * FROM memory_apikey WHERE prefix = presented;
    PERFORM set_config('aresweb.key_prefix', '', true);
END
$$;

-- A reference within a tenant: foreign keys do not heed row-level security, so the tenant is part of them.
ALTER TABLE memory_stream ADD CONSTRAINT stream_of_tenant UNIQUE (tenant_id, id);
ALTER TABLE memory_session ADD CONSTRAINT session_of_tenant UNIQUE (tenant_id, id);
ALTER TABLE memory_event ADD CONSTRAINT event_stream
    FOREIGN KEY (tenant_id, stream_id) REFERENCES memory_stream (tenant_id, id);
ALTER TABLE memory_snapshot ADD CONSTRAINT snapshot_stream
    FOREIGN KEY (tenant_id, stream_id) REFERENCES memory_stream (tenant_id, id);
ALTER TABLE memory_session ADD CONSTRAINT session_stream
    FOREIGN KEY (tenant_id, stream_id) REFERENCES memory_stream (tenant_id, id);
ALTER TABLE memory_message ADD CONSTRAINT message_session
    FOREIGN KEY (tenant_id, session_id) REFERENCES memory_session (tenant_id, id);
ALTER TABLE memory_task ADD CONSTRAINT task_session
    FOREIGN KEY (tenant_id, session_id) REFERENCES memory_session (tenant_id, id);

-- What the application's role may do; put in force after every migration.
GRANT USAGE ON SCHEMA public TO aresweb_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO aresweb_app;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO aresweb_app;

-- Events are appended. Their place in the cursor's order is PostgreSQL's to give.
REVOKE ALL ON memory_event FROM aresweb_app;
GRANT SELECT ON memory_event TO aresweb_app;
GRANT INSERT (
    tenant_id, stream_id, version, event_id, type, payload_json, metadata_json, occurred_at, recorded_at,
    causation_id, correlation_id, is_error, digest, hash
) ON memory_event TO aresweb_app;
REVOKE ALL ON FUNCTION aresweb_erase_events(bigint), aresweb_erase_events_at(bigint, bigint[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION aresweb_erase_events(bigint), aresweb_erase_events_at(bigint, bigint[]) TO aresweb_app;

-- Events are archived, blanked and dropped by these functions alone.
REVOKE ALL ON memory_segment, memory_archivedid FROM aresweb_app;
GRANT SELECT ON memory_segment, memory_archivedid TO aresweb_app;
REVOKE ALL ON FUNCTION
    aresweb_archive_events(bigint, bigint, bigint, bytea, bigint, text), aresweb_erase_segment(bigint, bytea, bigint),
    aresweb_drop_segment(bigint)
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    aresweb_archive_events(bigint, bigint, bigint, bytea, bigint, text), aresweb_erase_segment(bigint, bytea, bigint),
    aresweb_drop_segment(bigint)
TO aresweb_app;

REVOKE ALL ON django_migrations FROM aresweb_app;
GRANT SELECT ON django_migrations TO aresweb_app;
GRANT EXECUTE ON FUNCTION aresweb_index_vectors(text, integer) TO aresweb_app;

-- The audit log is appended to; PostgreSQL numbers, dates and chains it.
REVOKE ALL ON memory_auditentry FROM aresweb_app;
GRANT SELECT ON memory_auditentry TO aresweb_app;
GRANT INSERT (tenant_id, number, at, actor, action, subject, detail, address, previous_hash, hash)
    ON memory_auditentry TO aresweb_app;
REVOKE ALL ON FUNCTION aresweb_drop_audit(timestamptz), aresweb_erase_tenant() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION aresweb_drop_audit(timestamptz), aresweb_erase_tenant() TO aresweb_app;

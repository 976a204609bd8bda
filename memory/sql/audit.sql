-- The audit log: appended to by the application, numbered, dated and chained here, changed by nobody.
SELECT aresweb_isolate('memory_auditentry');

-- hash(n) = SHA-256(hash(n-1) ‖ SHA-256 of each of: number, time, actor, action, subject, detail, address), the time in UTC to
-- the microsecond; hash(0) = SHA-256("aresweb audit 1" ‖ NUL ‖ the tenant's id). `memory.audit_chain` does the same.
CREATE FUNCTION aresweb_audit_hash(entry memory_auditentry) RETURNS bytea
LANGUAGE sql IMMUTABLE
AS $$
    SELECT sha256(
        entry.previous_hash
        || sha256(convert_to(entry.number::text, 'UTF8'))
        || sha256(convert_to(to_char(entry.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'UTF8'))
        || sha256(convert_to(entry.actor, 'UTF8')) || sha256(convert_to(entry.action, 'UTF8'))
        || sha256(convert_to(entry.subject, 'UTF8')) || sha256(convert_to(entry.detail, 'UTF8'))
        || sha256(convert_to(entry.address, 'UTF8'))
    )
$$;

CREATE FUNCTION aresweb_chain_audit() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    -- The tenant's row tells where the log ends, so that a lost end shows; whoever writes the next entry waits for it.
    SELECT audit_number + 1, coalesce(
        audit_hash, sha256(convert_to('aresweb audit 1', 'UTF8') || '\x00' || convert_to(NEW.tenant_id::text, 'UTF8'))
    ) INTO NEW.number, NEW.previous_hash
    FROM memory_tenant WHERE id = NEW.tenant_id FOR NO KEY UPDATE;
    NEW.at := clock_timestamp();
    NEW.hash := aresweb_audit_hash(NEW);
    UPDATE memory_tenant SET audit_number = NEW.number, audit_hash = NEW.hash WHERE id = NEW.tenant_id;
    RETURN NEW;
END
$$;
CREATE TRIGGER audit_chain BEFORE INSERT ON memory_auditentry FOR EACH ROW EXECUTE FUNCTION aresweb_chain_audit();

CREATE FUNCTION aresweb_refuse_audit_change() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_setting('aresweb.dropping', true) = 'on' THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'The audit log is append-only: % refused.', TG_OP USING ERRCODE = 'integrity_constraint_violation';
END
$$;
CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE ON memory_auditentry
    FOR EACH ROW EXECUTE FUNCTION aresweb_refuse_audit_change();
CREATE TRIGGER audit_no_truncate BEFORE TRUNCATE ON memory_auditentry
    FOR EACH STATEMENT EXECUTE FUNCTION aresweb_refuse_audit_change();

-- Drops the beginning of the tenant's audit log, up to the last entry before a time, and tells its number and hash. The newest
-- entry stays whatever its age: the chain goes on from it.
CREATE FUNCTION aresweb_drop_audit(before timestamptz) RETURNS TABLE (dropped bigint, last_number bigint, last_hash bytea)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
AS $$
DECLARE
    tenant bigint := aresweb_tenant_id();
    gone memory_auditentry;
    many bigint;
BEGIN
    SELECT * INTO gone FROM memory_auditentry
    WHERE tenant_id = tenant AND at < before
        AND number < (SELECT max(number) FROM memory_auditentry WHERE tenant_id = tenant)
    ORDER BY number DESC LIMIT 1;
    IF gone.number IS NULL THEN
        RETURN;
    END IF;
    PERFORM set_config('aresweb.dropping', 'on', true);
    DELETE FROM memory_auditentry WHERE tenant_id = tenant AND number <= gone.number;
    GET DIAGNOSTICS many = ROW_COUNT;
    PERFORM set_config('aresweb.dropping', '', true);
    RETURN QUERY SELECT many, gone.number, gone.hash;
END
$$;

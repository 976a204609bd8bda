-- The global order: a transaction id and a position within it. Readers stop at the oldest running transaction.
CREATE SEQUENCE memory_event_position OWNED BY memory_event.position;
ALTER TABLE memory_event
    ALTER COLUMN position SET DEFAULT nextval('memory_event_position'),
    ALTER COLUMN transaction_id SET DEFAULT pg_current_xact_id()::text::bigint;

-- Append-only. The application's role has no right to update or delete; the trigger stops the owner as well.
CREATE FUNCTION aresweb_refuse_change() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND current_setting('aresweb.erasing', true) = 'on' THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'Events are append-only: % refused.', TG_OP USING ERRCODE = 'integrity_constraint_violation';
END
$$;
CREATE TRIGGER event_append_only BEFORE UPDATE OR DELETE ON memory_event
    FOR EACH ROW EXECUTE FUNCTION aresweb_refuse_change();
CREATE TRIGGER event_no_truncate BEFORE TRUNCATE ON memory_event
    FOR EACH STATEMENT EXECUTE FUNCTION aresweb_refuse_change();

-- The one privileged function: blanks the content of a stream's events and leaves what the hash chain covers.
-- It runs as the owner of the tables, who is bound by row-level security too, so it reaches the current tenant alone.
CREATE FUNCTION aresweb_erase_events(stream bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
AS $$
DECLARE
    erased bigint;
BEGIN
    PERFORM set_config('aresweb.erasing', 'on', true);
    UPDATE memory_event
    SET payload_json = '{}', metadata_json = '{}', erased_at = clock_timestamp()
    WHERE tenant_id = aresweb_tenant_id() AND stream_id = stream AND erased_at IS NULL;
    GET DIAGNOSTICS erased = ROW_COUNT;
    PERFORM set_config('aresweb.erasing', '', true);
    RETURN erased;
END
$$;

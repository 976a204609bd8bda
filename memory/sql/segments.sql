-- Segments: the older events of a stream, compressed. The functions below run as the owner of the tables, who is bound by
-- row-level security too, so they reach the current tenant alone; the application's role may only read and call them.
SELECT aresweb_isolate(relation) FROM unnest(ARRAY['memory_segment', 'memory_archivedid']::regclass[]) AS relation;

ALTER TABLE memory_segment ADD CONSTRAINT segment_of_tenant UNIQUE (tenant_id, id);
ALTER TABLE memory_segment ADD CONSTRAINT segment_stream
    FOREIGN KEY (tenant_id, stream_id) REFERENCES memory_stream (tenant_id, id);
ALTER TABLE memory_archivedid ADD CONSTRAINT archived_id_segment
    FOREIGN KEY (tenant_id, segment_id) REFERENCES memory_segment (tenant_id, id);
-- Compressed already, or random: PostgreSQL need not try.
ALTER TABLE memory_segment ALTER COLUMN content SET STORAGE EXTERNAL, ALTER COLUMN hashes SET STORAGE EXTERNAL;

-- Events leave their table only on the way into a segment.
CREATE OR REPLACE FUNCTION aresweb_refuse_change() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND current_setting('aresweb.erasing', true) = 'on' THEN
        RETURN NEW;
    END IF;
    IF TG_OP = 'DELETE' AND current_setting('aresweb.archiving', true) = 'on' THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'Events are append-only: % refused.', TG_OP USING ERRCODE = 'integrity_constraint_violation';
END
$$;

-- Moves the events `first` to `last` of a stream into a segment, whose id it returns. They must be all there and follow the
-- stream's newest segment. Whatever follows from the rows is taken from the rows; the rest is the caller's: `packed` is
-- the compressed content, `marks` the letters of the flight strip.
CREATE FUNCTION aresweb_archive_events(
    stream bigint, first bigint, last bigint, packed bytea, unpacked_bytes bigint, marks text
) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
AS $$
DECLARE
    tenant bigint := aresweb_tenant_id();
    before bytea;
    made bigint;
    moved bigint;
BEGIN
    IF first = 1 THEN
        SELECT sha256(convert_to('aresweb stream 1', 'UTF8') || '\x00' || convert_to(name, 'UTF8')) INTO before
        FROM memory_stream WHERE tenant_id = tenant AND id = stream;
    ELSE
        SELECT substring(hashes FROM length(hashes) - 31) INTO before
        FROM memory_segment WHERE tenant_id = tenant AND stream_id = stream AND last_version = first - 1;
    END IF;
    IF before IS NULL OR length(marks) IS DISTINCT FROM last - first + 1 OR packed IS NULL THEN
        RAISE EXCEPTION 'Events % to % of stream % cannot be archived: no segment ends before them.', first, last, stream
        USING ERRCODE = 'integrity_constraint_violation';
    END IF;

    INSERT INTO memory_segment (
        tenant_id, stream_id, first_version, last_version, previous_hash, hashes, content, raw_bytes, stored_bytes,
        type_counts, letters, first_at, last_at, first_transaction_id, first_position, last_transaction_id, last_position,
        created_at
    )
    SELECT
        tenant, stream, first, last, before, string_agg(hash, '' ORDER BY version), packed, unpacked_bytes, length(packed),
        (SELECT jsonb_object_agg(type, held) FROM (
            SELECT type, count(*) AS held FROM memory_event
            WHERE tenant_id = tenant AND stream_id = stream AND version BETWEEN first AND last GROUP BY type
        ) AS types),
        marks, min(recorded_at), max(recorded_at),
        (min(ARRAY[transaction_id, position]))[1], (min(ARRAY[transaction_id, position]))[2],
        (max(ARRAY[transaction_id, position]))[1], (max(ARRAY[transaction_id, position]))[2],
        clock_timestamp()
    FROM memory_event
    WHERE tenant_id = tenant AND stream_id = stream AND version BETWEEN first AND last
    HAVING count(*) = last - first + 1
    RETURNING id INTO made;
    IF made IS NULL THEN
        RAISE EXCEPTION 'Events % to % of stream % are not all there.', first, last, stream
        USING ERRCODE = 'integrity_constraint_violation';
    END IF;

    INSERT INTO memory_archivedid (tenant_id, id_hash, segment_id)
    SELECT tenant, ('x' || left(encode(sha256(convert_to(event_id, 'UTF8')), 'hex'), 16))::bit(64)::bigint, made
    FROM memory_event
    WHERE tenant_id = tenant AND stream_id = stream AND version BETWEEN first AND last
    ON CONFLICT DO NOTHING;

    PERFORM set_config('aresweb.archiving', 'on', true);
    DELETE FROM memory_event WHERE tenant_id = tenant AND stream_id = stream AND version BETWEEN first AND last;
    GET DIAGNOSTICS moved = ROW_COUNT;
    PERFORM set_config('aresweb.archiving', '', true);
    IF moved <> last - first + 1 THEN
        RAISE EXCEPTION 'Events % to % of stream % were moved by somebody else.', first, last, stream
        USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN made;
END
$$;

-- Puts blanked content in the place of a segment's. The hashes stay, so content that is not the same events, blanked, shows.
CREATE FUNCTION aresweb_erase_segment(segment bigint, packed bytea, unpacked_bytes bigint) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
AS $$
BEGIN
    UPDATE memory_segment
    SET content = packed, raw_bytes = unpacked_bytes, stored_bytes = length(packed)
    WHERE tenant_id = aresweb_tenant_id() AND id = segment AND content IS NOT NULL AND packed IS NOT NULL;
    RETURN FOUND;
END
$$;

-- Drops a segment's content, if it is older than the tenant keeps it; tells whether it did.
CREATE FUNCTION aresweb_drop_segment(segment bigint) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
AS $$
BEGIN
    UPDATE memory_segment
    SET content = NULL, stored_bytes = 0, dropped_at = clock_timestamp()
    WHERE tenant_id = aresweb_tenant_id() AND id = segment AND content IS NOT NULL AND last_at < clock_timestamp()
        - make_interval(days => (SELECT retention_days FROM memory_tenant WHERE id = aresweb_tenant_id()));
    RETURN FOUND;
END
$$;

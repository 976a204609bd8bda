"""The state of a run after any of its events: the nearest snapshot and the events behind it. Needs a tenant's scope."""

from memory import conf, sql
from memory.errors import Gone, NotFound
from memory.events import history
from memory.events.reducer import REDUCER_VERSION, State, initial_state, replay
from memory.events.walk import HASH_BYTES, Fault
from memory.models.segment import Segment
from memory.models.snapshot import Snapshot
from memory.models.stream import Stream


def state_at(stream: Stream, version: int) -> State:
    """The state after event `version`; version 0 is the state before the first event.

    Snapshots that are missing on the way are taken, so that the next question is answered from nearby.

    Raises:
        NotFound: the stream has not come to this version.
        Gone: retention has dropped the events up to there, and no snapshot is left of it.
    """
    if not 0 <= version <= stream.version:
        raise NotFound(f"Stream {stream.name} has versions 0 to {stream.version}, not {version}.")
    every = conf.value("ARES_SNAPSHOT_EVERY")
    state = _nearest(stream, version)
    if version // every > state["version"] // every:  # snapshots are missing on the way
        sql.run("hold_stream", {"stream_id": stream.pk})
        state = _nearest(stream, version)
    at: int = state["version"]
    while at < version:
        stop = min(version, at - at % every + every)
        try:
            state = replay(state, history.walk(stream, at + 1, stop))
        except Gone as gone:
            left = handed_down(stream, gone)
            if not at < left.version <= version:
                raise
            at, state = left.version, left.state
            continue
        at = stop
        if at % every == 0:
            taken = _snapshot(stream, state, history.hash_at(stream, at))
            Snapshot.objects.bulk_create([taken], ignore_conflicts=True)
    return state


def take_snapshots(stream: Stream) -> int:
    """Take the stream's missing snapshots up to its head; returns how many there were to take."""
    before = Snapshot.objects.filter(stream=stream, reducer_version=REDUCER_VERSION).count()
    try:
        state_at(stream, stream.version)
    except Gone:
        return 0  # retention has dropped the beginning, and somebody the snapshot that stood for it
    return Snapshot.objects.filter(stream=stream, reducer_version=REDUCER_VERSION).count() - before


def take_last_snapshot(stream: Stream) -> int:
    """Take a snapshot of the stream's end, for a run that has ended; returns how many that were."""
    sql.run("hold_stream", {"stream_id": stream.pk})
    stream.refresh_from_db(fields=["version", "last_hash"])
    try:
        taken = _snapshot(stream, state_at(stream, stream.version), bytes(stream.last_hash))
    except Gone:
        return 0  # as above
    Snapshot.objects.bulk_create([taken], ignore_conflicts=True)
    return 1


def keep_snapshot(segment: Segment) -> None:
    """Make sure that the state at a segment's end can be told without the segment.

    Raises:
        Gone: it cannot be told any more.
    """
    state = state_at(segment.stream, segment.last_version)
    Snapshot.objects.bulk_create(
        [_snapshot(segment.stream, state, bytes(segment.hashes[-HASH_BYTES:]))], ignore_conflicts=True
    )


def begin_after(stream: Stream, version: int) -> None:
    """Let states begin behind a version, with nothing known of what was before: it is dropped, and to be forgotten."""
    segment = Segment.objects.of_stream(stream).get(last_version=version)
    state = {**initial_state(), "version": version}
    Snapshot.objects.bulk_create([_snapshot(stream, state, bytes(segment.hashes[-HASH_BYTES:]))])


def newest_snapshot(stream: Stream, version: int) -> Snapshot | None:
    """The newest one by this reducer up to a version. One that a verification found forged is passed over."""
    return Snapshot.objects.newest_up_to(stream, version, REDUCER_VERSION, Fault.SNAPSHOT)


def handed_down(stream: Stream, gone: Gone) -> Snapshot:
    """The snapshot at the end of what retention has dropped, by an earlier reducer if need be: it cannot be made anew.

    Raises:
        Gone: there is none.
    """
    left = Snapshot.objects.filter(stream=stream, version=gone.first_version - 1).order_by("-reducer_version").first()
    if left is None:
        raise gone
    left.state = {**initial_state(), **left.state}
    return left


def _nearest(stream: Stream, version: int) -> State:
    """The state at the newest snapshot up to a version; the one before the first event where there is none."""
    snapshot = newest_snapshot(stream, version)
    return snapshot.state if snapshot else initial_state()


def _snapshot(stream: Stream, state: State, stream_hash: bytes) -> Snapshot:
    return Snapshot(
        tenant_id=stream.tenant_id,
        stream=stream,
        version=state["version"],
        reducer_version=REDUCER_VERSION,
        stream_hash=stream_hash,
        state=state,
    )

"""The state of a run after any of its events: the nearest snapshot and the events behind it. Needs a tenant's scope."""

from memory import conf, sql
from memory.errors import NotFound
from memory.events.reducer import REDUCER_VERSION, State, initial_state, replay
from memory.models.event import Event
from memory.models.snapshot import Snapshot
from memory.models.stream import Stream

# Events in memory at once: each payload may have megabytes.
CHUNK = 50


def state_at(stream: Stream, version: int) -> State:
    """The state after event `version`; version 0 is the state before the first event.

    Snapshots that are missing on the way are taken, so that the next question is answered from nearby.

    Raises:
        NotFound: the stream has not come to this version.
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
        events = Event.objects.in_stream(stream).after(at).up_to(stop).defer("metadata_json")
        state = replay(state, events.iterator(chunk_size=CHUNK))
        at = stop
        if at % every == 0:
            head = Event.objects.in_stream(stream).values_list("hash", flat=True).get(version=at)
            Snapshot.objects.bulk_create([_snapshot(stream, state, bytes(head))], ignore_conflicts=True)
    return state


def take_snapshots(stream: Stream) -> int:
    """Take the stream's missing snapshots up to its head; returns how many there were to take."""
    before = Snapshot.objects.filter(stream=stream, reducer_version=REDUCER_VERSION).count()
    state_at(stream, stream.version)
    return Snapshot.objects.filter(stream=stream, reducer_version=REDUCER_VERSION).count() - before


def take_last_snapshot(stream: Stream) -> int:
    """Take a snapshot of the stream's end, for a run that has ended; returns 1."""
    sql.run("hold_stream", {"stream_id": stream.pk})
    stream.refresh_from_db(fields=["version", "last_hash"])
    taken = _snapshot(stream, state_at(stream, stream.version), bytes(stream.last_hash))
    Snapshot.objects.bulk_create([taken], ignore_conflicts=True)
    return 1


def _nearest(stream: Stream, version: int) -> State:
    """The state at the newest snapshot up to a version; the one before the first event where there is none."""
    snapshot = Snapshot.objects.newest_up_to(stream, version, REDUCER_VERSION)
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

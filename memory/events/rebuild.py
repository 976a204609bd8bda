"""The state at a stream's head as a crashed agent needs it: in bounded time, with a proof. Needs a tenant's scope."""

from dataclasses import dataclass, field
from time import perf_counter

from django.db import OperationalError, transaction

from memory import conf, sql
from memory.deadline import Deadline, was_stopped
from memory.errors import TooSlow
from memory.events import chain, history, state
from memory.events.record import Row
from memory.events.reducer import REDUCER_VERSION, State, initial_state, replay
from memory.events.walk import Walk
from memory.models.snapshot import Snapshot
from memory.models.stream import Stream

PHASES = ("snapshot", "read", "verify", "replay")


@dataclass(slots=True)
class Rebuilt:
    """A state, and how it was come by.

    It begins at the snapshot of `snapshot_version` (0: at the first event) and is that after event `version`, which is
    smaller than the stream's where time was over. `broken_at` is the first version whose hash does not follow from
    what is recorded; None means that the replayed events verify. `milliseconds` says how long each phase took.
    """

    state: State
    snapshot_version: int
    version: int
    head_hash: bytes
    broken_at: int | None = None
    milliseconds: dict[str, float] = field(default_factory=lambda: dict.fromkeys(PHASES, 0.0))


def rebuild(stream: Stream, deadline: Deadline) -> Rebuilt:
    """The state after the stream's newest event, from the newest snapshot and the events behind it.

    Missing snapshots on the way are taken. Where time is over, they let the next attempt go on from there: each part is
    a savepoint, so a statement that PostgreSQL cancels takes none of those before it along.

    Raises:
        TooSlow, django.db.OperationalError: time was over before anything was replayed.
        Gone: retention has dropped the beginning, and no snapshot is left of its end.
        Damaged: archived events cannot be read.
    """
    began = perf_counter()
    sql.run("hold_stream", {"stream_id": stream.pk})  # the snapshots taken here must not outlive an erasure
    made = _beginning(stream)
    made.milliseconds["snapshot"] = _since(began)
    every = conf.value("ARES_SNAPSHOT_EVERY")
    while made.version < stream.version and not deadline.is_over():
        try:
            with transaction.atomic():
                _advance(made, stream, min(stream.version, made.version - made.version % every + every), deadline)
                if made.version % every == 0 and made.broken_at is None:
                    Snapshot.objects.bulk_create([_snapshot(stream, made)], ignore_conflicts=True)
        except (TooSlow, OperationalError) as error:
            if not was_stopped(error) or made.version == made.snapshot_version:
                raise
            break
    if made.version == stream.version and made.broken_at is None and made.head_hash != bytes(stream.last_hash):
        made.broken_at = made.version
    return made


def _beginning(stream: Stream) -> Rebuilt:
    snapshot = state.newest_snapshot(stream, stream.version)
    gone = history.dropped(stream)
    if gone and (snapshot is None or snapshot.version < gone.first_version - 1):
        snapshot = state.handed_down(stream, gone)
    if snapshot is None:
        return Rebuilt(initial_state(), 0, 0, chain.genesis(stream.name))
    return Rebuilt(snapshot.state, snapshot.version, snapshot.version, bytes(snapshot.stream_hash))


def _advance(made: Rebuilt, stream: Stream, stop: int, deadline: Deadline) -> None:
    """Verify and replay the events up to version `stop`."""
    deadline.renew()
    began = perf_counter()
    events = history.read(stream, made.version + 1, stop)
    read = perf_counter()
    if made.broken_at is None:
        walk = Walk(stream.name, version=made.version, hash=made.head_hash)
        walk.follow([Row.of(event) for event in events], [])
        if walk.findings:
            made.broken_at = walk.findings[0].version
        elif walk.version < stop:
            made.broken_at = walk.version + 1
    verified = perf_counter()
    made.state = replay(made.state, events)
    made.milliseconds["read"] += (read - began) * 1000
    made.milliseconds["verify"] += (verified - read) * 1000
    made.milliseconds["replay"] += _since(verified)
    made.version = stop
    if events:
        made.head_hash = bytes(events[-1].hash)


def _snapshot(stream: Stream, made: Rebuilt) -> Snapshot:
    return Snapshot(
        tenant_id=stream.tenant_id,
        stream=stream,
        version=made.version,
        reducer_version=REDUCER_VERSION,
        stream_hash=made.head_hash,
        state=made.state,
    )


def _since(began: float) -> float:
    return (perf_counter() - began) * 1000

"""The story of a crash: what went well last, what was open, what recovery rebuilt. Needs a tenant's scope."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memory.errors import Gone, NotFound
from memory.events import history
from memory.events.state import state_at
from memory.flight import agents
from memory.flight.diff import Section, diff
from memory.flight.health import Health
from memory.models import Event, Stream
from memory.vocabulary import HOUSEKEEPING, EventType

# Of a run that breaks again and again, the newest breaks are told.
MOST_TELLING = 200
TELLING = (EventType.AGENT_CRASHED, EventType.AGENT_RESTORED)
# What nobody did: an agent that says that it lives, or was brought back.
NOTHING_DONE = frozenset({EventType.AGENT_HEARTBEAT, EventType.AGENT_RESTORED})
# The fields of a state that the events of a crash and of a recovery change themselves; all others are of the work.
MARKS = frozenset({"version", "agent", "counters", "last_error", "last_event"})

State = dict[str, Any]


@dataclass(slots=True)
class Break:
    """A place where a run broke off: at the `agent.crashed` or, if the agent could not tell, the `agent.restored` of
    this version, or behind the newest event, where it fell silent. `before` is the version of the state before."""

    version: int
    before: int
    kind: str
    at: datetime
    crashed: Event | None = None
    recoveries: list[Event] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Story:
    """One break, told. `restored_version` is the version whose state the last recovery gave back, and `sections`
    compares it with the state before the break; without a recovery it is None and there is nothing to compare. A state
    that retention has dropped is None."""

    told: Break
    others: list[Break]
    health: Health
    last_good: Event | None
    before: State | None
    restored_version: int | None
    restored: State | None
    sections: list[Section]


def has_story(stream: Stream, health: Health) -> bool:
    """Whether anything broke in the run."""
    return health.is_trouble or not set(TELLING).isdisjoint(stream.event_types)


def story(stream: Stream, now: datetime, version: int | None = None) -> Story | None:
    """The story of the break at this version, or of the newest one; None for a run that never broke.

    Raises:
        NotFound: there is no break at this version.
    """
    health = agents.health_of_run(stream, now)
    breaks = list(_breaks(stream)) if not set(TELLING).isdisjoint(stream.event_types) else []
    if health.is_trouble and not (breaks and not _worked(stream, breaks[-1], stream.version)):
        at = stream.last_work_at or stream.last_event_at
        breaks.append(Break(stream.version + 1, stream.version, health.state, at))
    if not breaks:
        return None
    told = next((found for found in breaks if found.version == version), None) if version else breaks[-1]
    if told is None:
        raise NotFound(f"Run {stream.name} did not break at event {version}.")
    before = _state(stream, told.before)
    restored_version = _restored_version(told)
    restored = _state(stream, restored_version) if restored_version is not None else None
    return Story(
        told=told,
        others=[other for other in reversed(breaks) if other is not told],
        health=health,
        last_good=_last_good(stream, told.before),
        before=before,
        restored_version=restored_version,
        restored=restored,
        sections=diff(before, restored) if before is not None and restored is not None else [],
    )


def _breaks(stream: Stream) -> Iterator[Break]:
    """The breaks that events tell of, the oldest first."""
    events = history.of_types(stream, TELLING, MOST_TELLING, newest_first=True)
    current: Break | None = None
    for event in reversed(events):
        if event.type == EventType.AGENT_RESTORED and current and _belongs(stream, event, current):
            current.recoveries.append(event)
            continue
        if current:
            yield current
        crashed = event if event.type == EventType.AGENT_CRASHED else None
        kind = "crashed" if crashed else "restored"
        current = Break(event.version, event.version - 1, kind, event.recorded_at, crashed)
        if crashed is None:
            current.recoveries.append(event)
    if current:
        yield current


def _belongs(stream: Stream, event: Event, current: Break) -> bool:
    """Whether a recovery is one of the same break: the first after a crash, or one more without any work between."""
    return not current.recoveries or not _worked(stream, current, event.version - 1)


def _worked(stream: Stream, since: Break, up_to: int) -> bool:
    """Whether the agent did anything after the last event of a break."""
    last = since.recoveries[-1].version if since.recoveries else since.version
    types = set(stream.event_types) - HOUSEKEEPING
    work = [event_type for event_type in types if not event_type.startswith("agent.")]
    return bool(history.of_types(stream, work, 1, after=last, up_to=up_to))


def _restored_version(told: Break) -> int | None:
    """The version whose state the break's last recovery gave back, as its proof says."""
    if not told.recoveries:
        return None
    last = told.recoveries[-1]
    proof = last.payload.get("proof")
    version = proof.get("to_version") if isinstance(proof, dict) else None
    is_version = isinstance(version, int) and not isinstance(version, bool) and 0 <= version < last.version
    return version if is_version else last.version - 1


def _last_good(stream: Stream, before: int) -> Event | None:
    """The newest event up to a version that is no error, and that somebody did."""
    telling = set(stream.event_types) - NOTHING_DONE
    found = history.of_types(stream, telling, 1, up_to=before, is_error=False, newest_first=True)
    return found[0] if found else None


def _state(stream: Stream, version: int) -> State | None:
    """The state at a version; None where retention has dropped what would tell it."""
    try:
        return state_at(stream, version)
    except Gone:
        return None

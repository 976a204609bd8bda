"""A run's running totals: what the lists show, folded event by event. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Protocol

from memory.events import facts, strip
from memory.redact import redact
from memory.vocabulary import HOUSEKEEPING, STREAM_NAME_MAX_LENGTH, STREAM_NAME_PATTERN, EventType, Outcome

TITLE_LENGTH = 120
# So much of a text is looked at for a title: a secret is known as one by more of it than a title shows.
READ_FOR_TITLE = 2000
# A client that makes up a new type for each event must not blow up the row.
MOST_TYPES = 200
# More events than a stream will ever have; PostgreSQL's bigint ends a little above.
MOST_VERSION = 2**53
# What an agent tells of its process.
STATUS_EVENTS = frozenset(
    {EventType.AGENT_STARTED, EventType.AGENT_STOPPED, EventType.AGENT_CRASHED, EventType.AGENT_RESTORED}
)
# Events that are no work of the agent's: it says that it lives, or the server clears up.
NO_WORK = HOUSEKEEPING | {EventType.AGENT_HEARTBEAT}


class Placed(Protocol):
    """What the totals read of an event."""

    @property
    def version(self) -> int: ...
    @property
    def type(self) -> str: ...
    @property
    def payload(self) -> facts.Payload: ...
    @property
    def occurred_at(self) -> datetime: ...
    @property
    def recorded_at(self) -> datetime: ...


@dataclass(frozen=True, slots=True)
class Totals:
    """The totals of a stream. `started_at` and `ended_at` are the clients' times, the others the server's; tokens are
    what providers reported. `forked_from` and `forked_at` name the stream that the run goes on from, and its
    version."""

    agent_id: str = ""
    user_id: str = ""
    title: str = ""
    outcome: str = Outcome.UNKNOWN
    started_at: datetime | None = None
    ended_at: datetime | None = None
    error_count: int = 0
    open_tasks: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    event_types: list[str] = field(default_factory=list)
    strip: str = ""
    strip_bin: int = 1
    last_work_at: datetime | None = None
    last_heartbeat_at: datetime | None = None
    agent_status: str = ""
    agent_status_at: datetime | None = None
    forked_from: str = ""
    forked_at: int = 0


def add(totals: Totals, events: Sequence[Placed]) -> Totals:
    """The totals after these events, which follow the ones that `totals` covers."""
    if not events:
        return totals
    errors = [facts.is_error(event.type, event.payload) for event in events]
    usages = [facts.tokens(event.type, event.payload) for event in events]
    letters = (
        facts.family(event.type).upper() if error else facts.family(event.type)
        for event, error in zip(events, errors, strict=True)
    )
    line, bin_size = strip.extend(totals.strip, totals.strip_bin, events[0].version - 1, letters)
    times = [event.occurred_at for event in events if event.type not in HOUSEKEEPING]
    known = [time for time in (totals.started_at, totals.ended_at) if time]
    totals = replace(
        totals,
        started_at=min([*times, *known], default=None),
        ended_at=max([*times, *known], default=None),
        error_count=totals.error_count + sum(errors),
        input_tokens=totals.input_tokens + sum(usage[0] for usage in usages),
        output_tokens=totals.output_tokens + sum(usage[1] for usage in usages),
        event_types=_types(totals.event_types, (event.type for event in events)),
        strip=line,
        strip_bin=bin_size,
        last_work_at=_last([event for event in events if event.type not in NO_WORK], totals.last_work_at),
        last_heartbeat_at=_last(
            [event for event in events if event.type == EventType.AGENT_HEARTBEAT], totals.last_heartbeat_at
        ),
    )
    for event in events:
        totals = _tell(totals, event)
    return totals


def _last(events: Sequence[Placed], known: datetime | None) -> datetime | None:
    return events[-1].recorded_at if events else known


def _types(known: list[str], new: Iterable[str]) -> list[str]:
    more = sorted({*new} - {*known})[: MOST_TYPES - len(known)]
    return sorted([*known, *more])


def _tell(totals: Totals, event: Placed) -> Totals:
    """What a single event changes beyond the sums: who, what about, and how it stands."""
    changes = _status(event) | _lineage(totals, event)
    if not totals.agent_id:
        changes["agent_id"] = facts.string(event.payload, "agent_id")[:200]
    if not totals.user_id:
        changes["user_id"] = facts.string(event.payload, "user_id")[:200]
    if not totals.title:
        changes["title"] = _title(event)
    match event.type:
        case EventType.TASK_CREATED:
            changes |= {"open_tasks": totals.open_tasks + 1, "outcome": Outcome.RUNNING}
        case EventType.TASK_COMPLETED:
            left = max(0, totals.open_tasks - 1)
            changes |= {"open_tasks": left, "outcome": Outcome.RUNNING if left else Outcome.SUCCEEDED}
        case EventType.TASK_FAILED:
            changes |= {"open_tasks": max(0, totals.open_tasks - 1), "outcome": Outcome.FAILED}
        case EventType.AGENT_STARTED | EventType.AGENT_RESTORED:
            changes["outcome"] = Outcome.RUNNING
        case EventType.AGENT_CRASHED:
            changes["outcome"] = Outcome.FAILED
        case EventType.AGENT_STOPPED if totals.outcome == Outcome.RUNNING and not totals.open_tasks:
            changes["outcome"] = Outcome.UNKNOWN
    told = {name: value for name, value in changes.items() if value != ""}
    return replace(totals, **told) if told else totals


def _status(event: Placed) -> dict[str, Any]:
    """What the agent tells of its process, if this event does."""
    if event.type not in STATUS_EVENTS:
        return {}
    return {"agent_status": event.type.partition(".")[2], "agent_status_at": event.recorded_at}


def _lineage(totals: Totals, event: Placed) -> dict[str, Any]:
    """The step of another run that this one goes on from, if this event is the first to say so in the form of one."""
    if totals.forked_from or event.type != EventType.RUN_FORKED:
        return {}
    payload = event.payload
    name, version = facts.string(payload, "stream"), payload.get("version")
    is_version = isinstance(version, int) and not isinstance(version, bool) and 0 <= version <= MOST_VERSION
    if not is_version or len(name) > STREAM_NAME_MAX_LENGTH or not STREAM_NAME_PATTERN.fullmatch(name):
        return {}
    return {"forked_from": name, "forked_at": version}


def _title(event: Placed) -> str:
    """A title, if this event gives one: the session's own, a task's input, or the first thing a user said."""
    payload = event.payload
    match event.type:
        case EventType.SESSION_CREATED:
            metadata = payload.get("metadata")
            source = facts.string(metadata, "title") if isinstance(metadata, dict) else ""
        case EventType.TASK_CREATED:
            source = facts.text_of(payload.get("input"))
        case EventType.MESSAGE_ADDED if payload.get("role") == "user":
            source = facts.text_of(payload.get("content"))
        case _:
            return ""
    words = redact(" ".join(source[:READ_FOR_TITLE].split()))[0]  # lists show it where nobody expects a secret
    return words if len(words) <= TITLE_LENGTH else words[: TITLE_LENGTH - 1] + "…"

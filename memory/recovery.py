"""Brings an agent back that has lost its mind: what it was doing, what was said, and a proof of both.

The operational part (state, open tasks) and the cognitive part (conversation, experiences) have a time limit each,
which PostgreSQL enforces; one that fails or is too slow leaves the other, and the answer says what is missing and why.
Needs a tenant's scope.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from time import perf_counter
from typing import Any, NamedTuple

from django.db import DatabaseError

from memory import conf
from memory.deadline import Deadline, was_stopped, within
from memory.errors import Damaged, Gone, Invalid, NotFound, TooSlow
from memory.events import facts, history, store
from memory.events.draft import draft
from memory.events.rebuild import Rebuilt, rebuild
from memory.events.reducer import REDUCER_VERSION
from memory.flight import agents
from memory.layers import recollection, session
from memory.layers.groups import without_orphans
from memory.models import Message, Session, Stream, Task
from memory.vocabulary import EventType

DEFAULT_MESSAGES = 50
MOST_MESSAGES = 500
MOST_TASKS = 100
MOST_EXPERIENCES = 5

OPERATIONAL = ("state", "open_tasks")
COGNITIVE = ("conversation_history", "experiences")
PROVEN = (
    "version", "snapshot_version", "from_version", "to_version", "events_replayed", "head_hash", "verified",
    "broken_at",
)  # fmt: skip

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Missing:
    """A part of the answer that could not be given: the names of what it holds, and why, in a sentence."""

    part: str
    fields: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Said:
    """A message of the conversation, as the chat formats have it, and the event that it is in."""

    event_version: int
    role: str
    name: str
    content: Any
    tool_calls: Any
    tool_call_id: str
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class OpenTask:
    """A task to go on with. One that no session keeps is told by its stream alone: its text may be cut."""

    id: str
    session_id: str | None
    user_id: str
    input: Any
    created_at: datetime | None


@dataclass(slots=True)
class Recovery:
    """What the agent gets. What is missing is None and named in `missing`; `restarts` includes this one."""

    agent_id: str
    session_id: str | None
    stream: str
    rebuilt: Rebuilt | None = None
    open_tasks: list[OpenTask] | None = None
    conversation_history: list[Said] | None = None
    experiences: list[dict[str, Any]] | None = None
    missing: list[Missing] = field(default_factory=list)
    restarts: int = 0
    is_flapping: bool = False
    restored_version: int | None = None
    milliseconds: dict[str, float] = field(default_factory=dict)

    @property
    def state(self) -> dict[str, Any] | None:
        """The state at the stream's head; None where it could not be rebuilt to the end."""
        return self.rebuilt.state if self.rebuilt and "state" not in self._missing_fields() else None

    def _missing_fields(self) -> set[str]:
        return {name for missing in self.missing for name in missing.fields}


class Place(NamedTuple):
    """Where an agent worked last: the stream, and the session that it belongs to if that one is live."""

    stream: Stream
    session: Session | None


def recover(agent_id: str, most_messages: int = DEFAULT_MESSAGES) -> Recovery:
    """Give an agent back what it knew, and record that it was restored.

    Args:
        most_messages: how many of the newest messages it gets, 1 to MOST_MESSAGES.

    Raises:
        NotFound: nobody knows the agent.
        Invalid: `most_messages` is no such number.
        TooSlow, django.db.OperationalError: not even the agent's place could be found in time.
    """
    if not isinstance(most_messages, int) or isinstance(most_messages, bool) or not 1 <= most_messages <= MOST_MESSAGES:
        raise Invalid(f"limit must be a whole number from 1 to {MOST_MESSAGES}.")
    began = perf_counter()
    with _bound():
        place = _place(agent_id)
    made = Recovery(agent_id, place.session.pk if place.session else None, place.stream.name)
    made.milliseconds["find"] = (perf_counter() - began) * 1000
    _attempt(made, "operational", OPERATIONAL, lambda deadline: _operational(made, place, deadline))
    _attempt(made, "cognitive", COGNITIVE, lambda deadline: _cognitive(made, place, most_messages, deadline))
    _attempt(made, "record", (), lambda _: _record(made, place, began))
    made.milliseconds["total"] = (perf_counter() - began) * 1000
    return made


def _place(agent_id: str) -> Place:
    stream = Stream.objects.of_agent(agent_id).first()
    if stream is None:
        raise NotFound(f"There is no agent {agent_id[: agents.NAME_LENGTH]!r}.")
    own = session.latest_session_for_agent(agent_id, datetime.now(UTC))
    return Place(Stream.objects.get(pk=own.stream_id) if own else stream, own)


def _operational(made: Recovery, place: Place, deadline: Deadline) -> None:
    """What the agent was doing: the state at its stream's head, and its open tasks."""
    made.rebuilt = rebuild(place.stream, deadline)
    made.milliseconds |= made.rebuilt.milliseconds
    if made.rebuilt.version < place.stream.version:
        reason = (
            f"{deadline.seconds:g} s were over after event {made.rebuilt.version:,} of {place.stream.version:,}. "
            "Snapshots were kept on the way: the next recovery goes on from there."
        )
        made.missing.append(Missing("operational", OPERATIONAL, reason))
        return
    deadline.renew()
    with _timed(made, "tasks"):
        made.open_tasks = _open_tasks(made, place)


def _open_tasks(made: Recovery, place: Place) -> list[OpenTask]:
    if place.session is None and made.rebuilt:
        told = made.rebuilt.state["open_tasks"]
        return [OpenTask(task["id"], None, place.stream.user_id, task["input"], None) for task in told]
    rows = Task.objects.open_of_agent(made.agent_id)[:MOST_TASKS]
    return [OpenTask(row.pk, row.session_id, row.user_id, row.input, row.created_at) for row in rows]


def _cognitive(made: Recovery, place: Place, most_messages: int, deadline: Deadline) -> None:
    """What the agent knew: its conversation, and experience that fits."""
    with _timed(made, "conversation"):
        if place.session:
            newest = list(_said_in_session(place.session, most_messages))
        else:
            newest = list(_said_in_stream(place.stream, most_messages))
        made.conversation_history = without_orphans(newest[::-1])
    deadline.renew()
    with _timed(made, "experiences"):
        made.experiences = _experiences(made, place)


def _experiences(made: Recovery, place: Place) -> list[dict[str, Any]]:
    """The experiences that fit what the agent is at: its newest open task, or what was said last."""
    tasks = [facts.text_of(task.input) for task in made.open_tasks or ()]
    said = [facts.text_of(message.content) for message in made.conversation_history or ()]
    asked = next((text for text in (*tasks[::-1], *said[::-1]) if text.strip()), "")
    if not asked:
        return []
    user = place.session.user_id if place.session else place.stream.user_id
    # A service may take longer than a recovery: where the model is one, words alone decide.
    by_words = bool(conf.text("ARES_EMBEDDING_URL"))
    plan = replace(recollection.EXPERIENCES, vector_weight=0) if by_words else recollection.EXPERIENCES
    return [asdict(each) for each in recollection.recall(asked, MOST_EXPERIENCES, user, plan).found]


def _said_in_session(own: Session, most: int) -> Iterator[Said]:
    """The newest messages of a conversation, the newest first."""
    for row in Message.objects.in_session(own).reverse()[:most]:
        yield Said(
            row.event_version, row.role, row.name, row.content, row.tool_calls, row.tool_call_id, row.occurred_at
        )


def _said_in_stream(stream: Stream, most: int) -> Iterator[Said]:
    """The newest messages of a stream without a live session, the newest first."""
    for event in history.of_types(stream, [EventType.MESSAGE_ADDED], most, newest_first=True):
        payload = event.payload
        yield Said(
            event.version,
            facts.string(payload, "role"),
            facts.string(payload, "name"),
            payload.get("content"),
            payload.get("tool_calls"),
            facts.string(payload, "tool_call_id"),
            event.occurred_at,
        )


def _record(made: Recovery, place: Place, began: float) -> None:
    """Append `agent.restored`, and `agent.flapping` where it happens too often, to the stream."""
    now = datetime.now(UTC)
    seconds, most = conf.value("ARES_FLAPPING_SECONDS"), conf.value("ARES_FLAPPING_RESTARTS")
    restarts = agents.restarts_since(agents.flapping_window(now))[made.agent_id] + 1
    made.restarts, made.is_flapping = restarts, restarts >= most
    made.milliseconds["total"] = (perf_counter() - began) * 1000
    who = {"agent_id": made.agent_id, "session_id": made.session_id}
    missing = [{"part": missing.part, "reason": missing.reason} for missing in made.missing]
    told = [{"type": EventType.AGENT_RESTORED, "payload": {**who, "proof": proof(made), "missing": missing}}]
    if made.is_flapping:
        error = f"Restored {restarts} times within {seconds} s."
        payload = {**who, "restarts": restarts, "seconds": seconds, "error": error}
        told.append({"type": EventType.AGENT_FLAPPING, "payload": payload})
    drafts = [draft(event, store.limits()) for event in told]
    if place.session:
        events = session.record(session.lock(place.session.pk), drafts).events
    else:
        events = store.append(place.stream.name, drafts).events
    made.restored_version = events[0].version


def proof(made: Recovery) -> dict[str, Any]:
    """Versions, hash and times: what was replayed to come to the state. Null where there is no state."""
    rebuilt = made.rebuilt
    known: dict[str, Any] = dict.fromkeys(PROVEN)
    if rebuilt:
        known |= {
            "version": rebuilt.version,
            "snapshot_version": rebuilt.snapshot_version,
            "from_version": rebuilt.snapshot_version + 1,
            "to_version": rebuilt.version,
            "events_replayed": rebuilt.version - rebuilt.snapshot_version,
            "head_hash": rebuilt.head_hash.hex(),
            "verified": rebuilt.broken_at is None,
            "broken_at": rebuilt.broken_at,
        }
    milliseconds = {name: round(spent, 3) for name, spent in made.milliseconds.items()}
    return {"stream": made.stream, "reducer_version": REDUCER_VERSION, **known, "milliseconds": milliseconds}


def _attempt(made: Recovery, part: str, fields: tuple[str, ...], work: Callable[[Deadline], None]) -> None:
    """Do a part in the time it has; what keeps it from being done is told instead."""
    try:
        with _bound() as deadline:
            work(deadline)
    except (DatabaseError, TooSlow, Gone, Damaged) as error:
        logger.warning("Recovery of agent %r: the %s part is missing", made.agent_id, part, exc_info=True)
        for name in fields:
            setattr(made, "rebuilt" if name == "state" else name, None)
        made.missing.append(Missing(part, fields, _reason(error)))


def _reason(error: Exception) -> str:
    if was_stopped(error):
        return f"It was not done within {conf.value('ARES_RECOVERY_SECONDS')} s."
    if isinstance(error, Gone | Damaged):
        return error.detail
    return "The database could not give it; the server's log says why."


@contextmanager
def _bound() -> Iterator[Deadline]:
    with within(conf.value("ARES_RECOVERY_SECONDS")) as deadline:
        yield deadline


@contextmanager
def _timed(made: Recovery, phase: str) -> Iterator[None]:
    began = perf_counter()
    yield
    made.milliseconds[phase] = (perf_counter() - began) * 1000

"""Records imported runs: each becomes a session with its stream, messages and tasks, in one transaction.

Event ids are made of the run's key and the event's place in it, so a run that is read again records nothing again, and
one that has grown since gets only what is new. Needs a tenant's scope.
"""

import hashlib
from dataclasses import dataclass
from enum import StrEnum

from memory import conf
from memory.distillation import requests
from memory.errors import Conflict
from memory.events import history, store
from memory.events.draft import Draft, draft
from memory.imports.run import Payload, Recording, Run
from memory.layers import session, task
from memory.models import Event, Session
from memory.vocabulary import EVENT_PREFIX, MESSAGE_PREFIX, TASK_PREFIX, EventType


class Result(StrEnum):
    """What became of a run."""

    RECORDED = "recorded"
    EXTENDED = "extended"
    KNOWN = "already recorded"
    DELETED = "deleted here before"


@dataclass(frozen=True, slots=True)
class Recorded:
    """A run's result, the name of its stream, and how many of its events were new."""

    result: Result
    stream: str
    new_events: int


def restore(recording: Recording) -> Recorded:
    """Record a run of another aresweb as it is, or what is new of it. It becomes a stream, and no session.

    Raises:
        Invalid: its hashes do not follow.
        Conflict, EventIdTaken: what is here under its name or its events' ids is something else.
    """
    done = store.append_chained(recording.key, recording.events)
    if done.new and Session.objects.filter(pk=recording.key).exists():
        raise Conflict(f"Session {recording.key} is live here: only its own messages go on with it.")
    result = Result.KNOWN
    if done.new:
        result = Result.RECORDED if done.new == done.version else Result.EXTENDED
    return Recorded(result, recording.key, done.new)


def record(run: Run, format_name: str) -> Recorded:
    """Record a run, or what is new of it.

    Raises:
        EventIdTaken: the run was recorded before, and a part of it has changed at its origin since.
        Invalid, TooLarge: an event cannot be recorded.
    """
    opening_id = _id(EVENT_PREFIX, run.key, "opening")
    opening = history.recorded([opening_id]).get(opening_id)
    if opening is None:
        metadata = {**run.metadata, "title": run.title, "imported_from": format_name, "key": run.key}
        own = session.create(
            run.user_id or run.agent_id, run.agent_id, metadata, event_id=opening_id, occurred_at=_began(run)
        )
        new = 1 + _append(own, run)
        if not session.has_room():  # what was said elsewhere, long ago perhaps, drives out no conversation
            session.expire(own, "There was no room for what was imported.", own.created_at)
            requests.of_expired([own])
        return Recorded(Result.RECORDED, own.pk, new)
    own_session = Session.objects.select_for_update().filter(pk=opening.stream.name).first()
    if own_session is None:
        return Recorded(Result.DELETED, opening.stream.name, 0)
    new = _append(own_session, run)
    return Recorded(Result.EXTENDED if new else Result.KNOWN, own_session.pk, new)


def _append(own: Session, run: Run) -> int:
    """Append the run's events, as many a statement as a client may send; returns how many were new."""
    drafts = _drafts(own, run)
    size = conf.value("ARES_MAX_BATCH")
    new: list[Event] = []
    for start in range(0, len(drafts), size):
        new += session.record(own, drafts[start : start + size]).events
    task.keep_rows(own, new)
    return len(new)


def _drafts(own: Session, run: Run) -> list[Draft]:
    limits = store.limits()
    ids = [_id(EVENT_PREFIX, run.key, str(index)) for index in range(len(run.events))]
    task_id = ""
    drafts = []
    for index, event in enumerate(run.events):
        if event.type == EventType.TASK_CREATED:
            task_id = _id(TASK_PREFIX, own.pk, str(index))
        raw = {
            "id": ids[index],
            "type": str(event.type),
            "payload": {**_place(event.type, own, task_id, index), **event.payload},
            "metadata": event.metadata,
            "occurred_at": event.occurred_at and event.occurred_at.isoformat(),
            "causation_id": None if event.causes is None else ids[event.causes],
        }
        drafts.append(draft(raw, limits, f"{run.key}, event {index}"))
    return drafts


def _began(run: Run) -> str | None:
    """The time of the run's first event that has one."""
    return next((event.occurred_at.isoformat() for event in run.events if event.occurred_at), None)


def _place(event_type: str, own: Session, task_id: str, index: int) -> Payload:
    """The fields by which an event belongs to its session."""
    match event_type:
        case EventType.MESSAGE_ADDED:
            return {"session_id": own.pk, "message_id": _id(MESSAGE_PREFIX, own.pk, str(index))}
        case EventType.TASK_CREATED:
            return {"session_id": own.pk, "task_id": task_id, "user_id": own.user_id}
        case EventType.TASK_COMPLETED | EventType.TASK_FAILED:
            return {"session_id": own.pk, "task_id": task_id}
    return {}


def _id(prefix: str, *parts: str) -> str:
    """An identifier that is the same for the same parts: the prefix and 24 hexadecimal digits of their SHA-256."""
    return prefix + hashlib.sha256("\x00".join(parts).encode()).hexdigest()[:24]

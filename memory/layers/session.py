"""Session memory: conversations. Every change of a session is an event of its stream, written in the same transaction.

Everything here needs a tenant's scope.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from memory import conf, limits
from memory.errors import Invalid, SessionExpired, TooLarge
from memory.events import erasure, store
from memory.events.draft import Draft, draft, text
from memory.models import Event, IdempotencyKey, Message, Session, Stream, Task
from memory.tenancy import current_tenant_id
from memory.vocabulary import MESSAGE_PREFIX, OWN_PREFIX, SESSION_PREFIX, EventType, new_id

ROLE_MAX_LENGTH = 50
NAME_MAX_LENGTH = 200
# How many sessions one run of the expiry job takes at most, so that its transaction stays short, and how many who opens
# one may have to put away for it: what was left over by those who opened theirs at the same time.
EXPIRY_BATCH = 500
EVICTED_AT_ONCE = 5
OUT_OF_TIME, OUT_OF_ROOM = "Its time was over.", "It was the least recently used of too many."
LIFE = frozenset({EventType.SESSION_CREATED, EventType.SESSION_EXPIRED, EventType.SESSION_DELETED})


def create(
    user_id: Any,
    agent_id: Any = None,
    metadata: Any = None,
    *,
    event_id: str | None = None,
    occurred_at: str | None = None,
) -> Session:
    """Open a session; its stream begins with `session.created`, of this id and time where they are given.

    Raises:
        Invalid: `user_id` is missing, or something is of a wrong type or too long.
    """
    user = text(user_id, "user_id", NAME_MAX_LENGTH)
    if not user:
        raise Invalid("user_id must name the user whose conversation this is.")
    if not isinstance(metadata, dict | None):
        raise Invalid("metadata must be an object.")
    payload = {"user_id": user, "agent_id": text(agent_id, "agent_id", NAME_MAX_LENGTH), "metadata": metadata or {}}
    session_id = new_id(SESSION_PREFIX)
    created = {
        "id": event_id,
        "type": EventType.SESSION_CREATED,
        "payload": {"session_id": session_id, **payload},
        "occurred_at": occurred_at,
    }
    event = store.append(session_id, [draft(created, store.limits(), "session")], expected_version=0).events[0]
    return Session.objects.create(
        id=session_id,
        tenant_id=current_tenant_id(),
        stream_id=event.stream_id,
        created_at=event.recorded_at,
        last_active_at=event.recorded_at,
        expires_at=event.recorded_at + _lifetime(),
        **payload,
    )


def add_messages(session_id: str, raws: Sequence[Any]) -> list[Message]:
    """Add messages to a conversation, all or none, in this order.

    Args:
        raws: `{role, content, name?, tool_calls?, tool_call_id?, occurred_at?}` each; the event keeps other fields too.

    Raises:
        NotFound, SessionExpired: there is no such session (any more).
        Invalid, TooLarge: the messages are not what they should be.
    """
    most = conf.value("ARES_MAX_BATCH")
    if not raws:
        raise Invalid("There must be at least one message.")
    if len(raws) > most:
        raise TooLarge(f"There are {len(raws)} messages; at most {most} are taken in one request.", limit=most)
    session = live(session_id)
    drafts = [_message_draft(session, raw, f"messages[{index}]") for index, raw in enumerate(raws)]
    return record(session, drafts).messages


def lock(session_id: str) -> Session:
    """The session, locked until the transaction ends. Whoever locks more of it locks the session first.

    Raises:
        NotFound: there is none.
    """
    return Session.objects.select_for_update().with_id(session_id)


def live(session_id: str) -> Session:
    """The session, locked, while its time lasts.

    Raises:
        NotFound: there is none. SessionExpired: its time is over.
    """
    session = lock(session_id)
    if session.is_over(datetime.now(UTC)):
        raise SessionExpired(f"Session {session.pk} has expired. Its stream can still be replayed.")
    return session


class Recorded(NamedTuple):
    """The events that were not recorded before, and the messages among them."""

    events: list[Event]
    messages: list[Message]


def record(session: Session, drafts: Sequence[Draft]) -> Recorded:
    """Append events to a locked session's stream and keep a row for each new `message.added`.

    An expired session, whose messages are gone, keeps none of those that come in late.
    """
    appended = store.append(session.pk, drafts)
    new = [event for event in appended.events if event.version > appended.version - appended.new]
    said = [event for event in new if event.type == EventType.MESSAGE_ADDED and not session.expired_at]
    messages = [_row(session, session.message_count + n, event) for n, event in enumerate(said, start=1)]
    Message.objects.bulk_create(messages)
    if new:
        session.message_count += len(messages)
        session.last_active_at = new[-1].recorded_at
        session.expires_at = session.last_active_at + _lifetime()
        session.save(update_fields=["message_count", "last_active_at", "expires_at"])
    return Recorded(new, messages)


def erase(session_id: str) -> dict[str, Any]:
    """Delete a session: its rows go, the content of its events is blanked, and the answer is a receipt that counts.

    What stays is the proof: the events' types, times and digests, over which the stream still verifies.

    Raises:
        NotFound: there is no such session.
    """
    session = lock(session_id)
    stream = Stream.objects.select_for_update().get(pk=session.stream_id)
    rows = {
        "messages": Message.objects.filter(session=session).delete()[0],
        "tasks": Task.objects.filter(session=session).delete()[0],
        "idempotency_keys": IdempotencyKey.objects.filter(answer__contains=session_id).delete()[0],
        **erasure.blank_stream(stream),
        "sessions": session.delete()[0],
    }
    closing = {"type": EventType.SESSION_DELETED, "payload": {"session_id": session_id, "messages": rows["messages"]}}
    event = store.append(session_id, [draft(closing, store.limits())]).events[0]
    return {"id": session_id, "deleted_at": event.recorded_at, "rows": rows}


def latest_session_for_agent(agent_id: str, now: datetime) -> Session | None:
    """The agent's session that was active last, among those whose time lasts; None without one."""
    live_ones = Session.objects.filter(agent_id=agent_id, expired_at=None, expires_at__gt=now)
    return live_ones.order_by("-last_active_at", "-id").first()


def expire_due(now: datetime) -> list[Session]:
    """Expire the sessions whose time is over, and of too many live ones the least recently used: messages go, the
    session's row and its stream stay. Returns them."""
    due = list(Session.objects.due(now).select_for_update(skip_locked=True)[:EXPIRY_BATCH])
    for each in due:
        expire(each, OUT_OF_TIME, now)
    return due + make_room("", now, EXPIRY_BATCH)


def make_room(newest: str, now: datetime, at_once: int = EVICTED_AT_ONCE) -> list[Session]:
    """Expire the least recently used of too many live sessions, but for the newest one and those that somebody is at
    work in just now. Returns them. What it reads is bounded by the limit, however many sessions there were."""
    surplus = _surplus(at_once)
    if not surplus:
        return []
    least_used = Session.objects.live().exclude(pk=newest).order_by("last_active_at", "pk")
    evicted = list(least_used.select_for_update(skip_locked=True)[:surplus])
    for each in evicted:
        expire(each, OUT_OF_ROOM, now)
    return evicted


def has_room() -> bool:
    """Whether no live session is one too many."""
    return not _surplus(1)


def expire(session: Session, reason: str, now: datetime) -> None:
    """Expire a locked session; its stream tells why."""
    gone = Message.objects.filter(session=session).delete()[0]
    payload = {"session_id": session.pk, "messages": gone, "reason": reason}
    store.append(session.pk, [draft({"type": EventType.SESSION_EXPIRED, "payload": payload}, store.limits())])
    session.expired_at = now
    session.save(update_fields=["expired_at"])


def _surplus(most: int) -> int:
    """How many live sessions there are too many, counted up to so many."""
    allowed = limits.value("ARES_MAX_SESSIONS")
    return max(0, Session.objects.live()[: allowed + most].count() - allowed)


def check_stream(name: str, drafts: Iterable[Draft]) -> None:
    """A name that looks like a session's belongs to one: nobody else may begin such a stream, one whose session was
    deleted stays empty, and how the session itself fares is for this module to tell. What aresweb does by itself is for
    aresweb to tell.

    Raises:
        NotFound: there is no such session.
        Invalid: an event says that the session was created, has expired or was deleted, or the stream is aresweb's.
    """
    if name.startswith(OWN_PREFIX):
        raise Invalid(f"Streams that begin with {OWN_PREFIX} are written by aresweb alone.")
    if not name.startswith(SESSION_PREFIX):
        return
    lock(name)
    for event in drafts:
        if event.type in LIFE:
            raise Invalid(f"{event.type} cannot be appended to a session's stream: aresweb records it itself.")


def _message_draft(session: Session, raw: Any, where: str) -> Draft:
    if not isinstance(raw, dict):
        raise Invalid(f"{where} must be an object.")
    taken = raw.keys() & {"session_id", "message_id"}
    if taken:
        raise Invalid(f"{where} must not set {', '.join(sorted(taken))}.")
    if not text(raw.get("role"), f"{where}.role", ROLE_MAX_LENGTH):
        raise Invalid(f"{where}.role must say who speaks, like user, assistant, system or tool.")
    if not isinstance(raw.get("content"), str | list | None):
        raise Invalid(f"{where}.content must be a text, a list of parts, or null.")
    if raw.get("content") is None and not raw.get("tool_calls"):
        raise Invalid(f"{where} must have content or tool_calls.")
    calls = raw.get("tool_calls")
    if calls is not None and not (isinstance(calls, list) and all(isinstance(call, dict) for call in calls)):
        raise Invalid(f"{where}.tool_calls must be a list of objects.")
    text(raw.get("name"), f"{where}.name", NAME_MAX_LENGTH)
    text(raw.get("tool_call_id"), f"{where}.tool_call_id", NAME_MAX_LENGTH)
    said = {name: value for name, value in raw.items() if name != "occurred_at"}
    payload = {"session_id": session.pk, "message_id": new_id(MESSAGE_PREFIX), **said}
    event = {"type": EventType.MESSAGE_ADDED, "payload": payload, "occurred_at": raw.get("occurred_at")}
    return draft(event, store.limits(), where)


def _row(session: Session, number: int, event: Event) -> Message:
    payload = event.payload
    return Message(
        id=payload["message_id"],
        tenant_id=session.tenant_id,
        session=session,
        number=number,
        event_version=event.version,
        role=payload["role"],
        name=payload.get("name") or "",
        content=payload.get("content"),
        tool_calls=payload.get("tool_calls"),
        tool_call_id=payload.get("tool_call_id") or "",
        occurred_at=event.occurred_at,
        recorded_at=event.recorded_at,
    )


def _lifetime() -> timedelta:
    return timedelta(hours=limits.value("ARES_SESSION_TTL_HOURS"))

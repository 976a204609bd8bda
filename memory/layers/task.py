"""Task memory: one execution each, with what went in and what came out. Needs a tenant's scope."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from memory import limits
from memory.errors import Conflict, Invalid
from memory.events import facts, store
from memory.events.draft import draft, text
from memory.layers import session
from memory.models import Event, Session, Task
from memory.tenancy import current_tenant_id
from memory.vocabulary import TASK_PREFIX, EventType, TaskStatus, new_id

USER_MAX_LENGTH = 200
# How many tasks one run of the expiry job forgets at most, so that its transaction stays short, and how many who opens
# one may have to forget for it.
EXPIRY_BATCH = 500
EVICTED_AT_ONCE = 5
OUT_OF_TIME, OUT_OF_ROOM = "Its time was over.", "It was the least recently changed of too many."
ENDINGS = {TaskStatus.COMPLETED: EventType.TASK_COMPLETED, TaskStatus.FAILED: EventType.TASK_FAILED}
STATUS: dict[str, str] = {event_type: status for status, event_type in ENDINGS.items()}


def create(session_id: Any, user_id: Any, given: Any) -> Task:
    """Open a task in a session; the session's stream gets `task.created`.

    Args:
        given: the task's input, any JSON but null.

    Raises:
        NotFound, SessionExpired: there is no such session (any more).
        Invalid: something is missing or of a wrong type.
    """
    if not isinstance(session_id, str) or not session_id:
        raise Invalid("session_id must name the session that the task belongs to.")
    user = text(user_id, "user_id", USER_MAX_LENGTH)
    if given is None:
        raise Invalid("input must say what the task is.")
    within = session.live(session_id)
    task_id = new_id(TASK_PREFIX)
    user = user or within.user_id
    payload = {"task_id": task_id, "session_id": session_id, "user_id": user, "input": given}
    session.record(within, [draft({"type": EventType.TASK_CREATED, "payload": payload}, store.limits(), "task")])
    now = datetime.now(UTC)
    made = Task.objects.create(
        id=task_id,
        tenant_id=current_tenant_id(),
        session=within,
        user_id=user,
        input=given,
        created_at=now,
        updated_at=now,
    )
    make_room(task_id)
    return made


def close(task_id: str, status: Any, output: Any) -> Task:
    """End a task as completed or failed; the session's stream gets the event. Again the same way, it is no change.

    Raises:
        NotFound: there is no such task.
        Invalid: the status is neither `completed` nor `failed`.
        Conflict: the task has ended in another way.
    """
    if status not in (TaskStatus.COMPLETED, TaskStatus.FAILED):
        raise Invalid("status must be completed or failed.")
    task = lock(task_id)
    if task.status != TaskStatus.OPEN:
        if (task.status, task.output) == (status, output):
            return task
        raise Conflict(f"Task {task_id} is {task.status} already. Nothing was changed.", task_status=task.status)
    payload = {"task_id": task_id, "session_id": task.session_id, "output": output}
    event = draft({"type": ENDINGS[TaskStatus(status)], "payload": payload}, store.limits(), "task")
    recorded = store.append(task.session_id, [event]).events[0]
    task.status, task.output, task.updated_at = status, output, recorded.recorded_at
    task.save(update_fields=["status", "output", "updated_at"])
    return task


def lock(task_id: str) -> Task:
    """The task, locked until the transaction ends.

    Raises:
        NotFound: there is none.
    """
    session.lock(Task.objects.with_id(task_id).session_id)  # before the task's row: who deletes goes that way too
    return Task.objects.select_for_update().with_id(task_id)


def expire(now: datetime) -> int:
    """Forget the tasks whose time is over, and of too many those that were changed the longest ago; their sessions'
    streams record it. Returns how many."""
    oldest = now - timedelta(days=limits.value("ARES_TASK_TTL_DAYS"))
    old = list(Task.objects.filter(updated_at__lt=oldest).order_by("updated_at", "pk")[:EXPIRY_BATCH])
    return _forget(old, OUT_OF_TIME) + make_room("", EXPIRY_BATCH)


def make_room(newest: str, at_once: int = EVICTED_AT_ONCE) -> int:
    """Forget the least recently changed of too many tasks, but for the newest one and those in whose session somebody
    is at work just now; returns how many. What it reads is bounded by the limit."""
    surplus = _surplus(at_once)
    if not surplus:
        return 0
    least_changed = Task.objects.exclude(pk=newest).order_by("updated_at", "pk")
    return _forget(list(least_changed[:surplus]), OUT_OF_ROOM)


def _surplus(most: int) -> int:
    """How many tasks there are too many, counted up to so many."""
    allowed = limits.value("ARES_MAX_TASKS")
    return max(0, Task.objects.all()[: allowed + most].count() - allowed)


def _forget(gone: Sequence[Task], reason: str) -> int:
    """Forget those of these tasks whose sessions are free: who opens a task holds its session, and must not wait for
    another one's holder. Returns how many."""
    within = Session.objects.filter(pk__in={each.session_id for each in gone}).order_by("pk")
    forgotten = 0
    for free in within.select_for_update(skip_locked=True):
        left = Task.objects.filter(pk__in=[each.pk for each in gone], session=free)  # others may have forgotten some
        ids = list(left.order_by("updated_at", "pk").values_list("pk", flat=True))
        told = [{"type": EventType.TASK_EXPIRED, "payload": {"task_id": each, "reason": reason}} for each in ids]
        if told:
            store.append(free.pk, [draft(event, store.limits()) for event in told])
        forgotten += Task.objects.filter(pk__in=ids).delete()[0]
    return forgotten


def keep_rows(within: Session, events: Iterable[Event]) -> None:
    """Keep a row for each task that these events of a session open, and end the rows of those that they end. What was
    done elsewhere drives out nothing: where there is no room, its tasks get no row."""
    most = limits.value("ARES_MAX_TASKS")
    for event in events:
        task_id = facts.string(event.payload, "task_id")
        if event.type == EventType.TASK_CREATED and Task.objects.all()[:most].count() < most:
            Task.objects.create(
                id=task_id,
                tenant_id=within.tenant_id,
                session=within,
                user_id=within.user_id,
                input=event.payload.get("input"),
                created_at=event.recorded_at,
                updated_at=event.recorded_at,
            )
        elif event.type in STATUS:
            Task.objects.filter(pk=task_id, session=within).update(
                status=STATUS[event.type], output=event.payload.get("output"), updated_at=event.recorded_at
            )

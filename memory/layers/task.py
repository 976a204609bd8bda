"""Task memory: one execution each, with what went in and what came out. Needs a tenant's scope."""

from collections.abc import Iterable
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
# How many tasks one run of the expiry job forgets at most, so that its transaction stays short.
EXPIRY_BATCH = 500
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
    return Task.objects.create(
        id=task_id,
        tenant_id=current_tenant_id(),
        session=within,
        user_id=user,
        input=given,
        created_at=now,
        updated_at=now,
    )


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
    gone = list(Task.objects.filter(updated_at__lt=oldest).order_by("updated_at", "pk")[:EXPIRY_BATCH])
    surplus = Task.objects.count() - len(gone) - limits.value("ARES_MAX_TASKS")
    if surplus > 0:
        left = Task.objects.exclude(pk__in=[each.pk for each in gone]).order_by("updated_at", "pk")
        gone += left[: min(surplus, EXPIRY_BATCH)]
    for session_id in sorted({each.session_id for each in gone}):
        session.lock(session_id)
        ids = [each.pk for each in gone if each.session_id == session_id]
        events = [{"type": EventType.TASK_EXPIRED, "payload": {"task_id": task_id}} for task_id in ids]
        store.append(session_id, [draft(event, store.limits()) for event in events])
        Task.objects.filter(pk__in=ids).delete()
    return len(gone)


def keep_rows(within: Session, events: Iterable[Event]) -> None:
    """Keep a row for each task that these events of a session open, and end the rows of those that they end."""
    for event in events:
        task_id = facts.string(event.payload, "task_id")
        if event.type == EventType.TASK_CREATED:
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

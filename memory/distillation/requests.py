"""Asking for a distillation: of a session, of a task, on either path. Needs a tenant's scope."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from memory import limits, queue
from memory.distillation import pipeline
from memory.distillation.policy import Policy, choose, value_of
from memory.errors import Invalid
from memory.events import facts
from memory.models import Distillation, Session, Stream, Task
from memory.tenancy import current_tenant_id
from memory.vocabulary import (
    DISTILLATION_PREFIX,
    DistillationMode,
    Queue,
    WorkStatus,
    new_id,
)


def of_stream(stream: Stream, actor: str, **given: Any) -> Distillation:
    """Have a whole stream distilled; one that waits already is not asked for twice.

    Args:
        given: `draft`, `rules` and `reason` where they are not the usual ones.
    """
    waiting = Distillation.objects.filter(stream_name=stream.name, task_id="", status=WorkStatus.PENDING)
    if not given and (found := waiting.filter(draft=False).order_by("pk").first()):
        return found
    return _queued(
        _new(stream, DistillationMode.FULL, actor, **{"reason": "A whole session is always refined.", **given})
    )


def of_task(task: Task, wish: Any, actor: str) -> Distillation:
    """Have a task distilled, on the path that was wished for or that the tenant's policy chooses.

    Light is done at once: input and output are packed together, whatever they are. Full is the worker's.

    Raises:
        Invalid: the wish is neither `light` nor `full` nor None.
    """
    stream = Stream.objects.get(pk=task.session.stream_id)
    mode, reason = _chosen(task, wish)
    made = _new(stream, mode, actor, task_id=task.pk, session_id=task.session_id, reason=reason)
    return pipeline.pack(made, task) if mode == DistillationMode.LIGHT else _queued(made)


def of_ended_task(task: Task, actor: str) -> Distillation:
    """Have a task distilled that has just ended, by the tenant's policy and in any case by the worker: who ends a task
    need not wait."""
    stream = Stream.objects.get(pk=task.session.stream_id)
    mode, reason = _chosen(task, None)
    return _queued(_new(stream, mode, actor, task_id=task.pk, session_id=task.session_id, reason=reason))


def of_expired(sessions: Iterable[Session]) -> list[Distillation]:
    """Have conversations refined that are over, where the tenant wants that and it was not done since their last
    message."""
    if not limits.value("ARES_AUTO_DISTIL"):
        return []
    return [made for over in sessions if (made := _of_expired(over))]


def _of_expired(session: Session) -> Distillation | None:
    done = Distillation.objects.filter(
        stream_name=session.pk, task_id="", draft=False, created_at__gte=session.last_active_at
    )
    if not session.message_count or done.exists():
        return None
    return of_stream(Stream.objects.get(pk=session.stream_id), "schedule:expire_sessions")


def again(distillation: Distillation, reason: str, actor: str) -> Distillation:
    """Have what a distillation read distilled once more, with the same rules."""
    stream = Stream.objects.named(distillation.stream_name)
    same = {name: getattr(distillation, name) for name in ("session_id", "task_id", "rules")}
    return _queued(_new(stream, DistillationMode.FULL, actor, reason=reason, **same))


def retry(distillation: Distillation) -> Distillation:
    """Try a failed distillation again.

    Raises:
        Invalid: it has not failed.
    """
    if distillation.status != WorkStatus.FAILED:
        raise Invalid(f"Distillation {distillation.pk} is {distillation.status}, not failed.")
    distillation.status, distillation.error = WorkStatus.PENDING, ""
    return _queued(distillation)


def _chosen(task: Task, wish: Any) -> tuple[DistillationMode, str]:
    given, output, said = facts.text_of(task.input), facts.text_of(task.output), task.session.message_count
    value = value_of(given, output, said)
    policy = Policy(limits.value("ARES_FULL_FROM_CHARACTERS"), limits.fraction("ARES_FULL_FROM_VALUE"))
    return choose(wish, task.status, len(given) + len(output), value, said, policy)


def _new(stream: Stream, mode: DistillationMode, actor: str, **fields: Any) -> Distillation:
    session = Session.objects.filter(stream=stream).first()
    return Distillation(
        id=new_id(DISTILLATION_PREFIX),
        tenant_id=current_tenant_id(),
        mode=mode,
        stream_name=stream.name,
        user_id=session.user_id if session else stream.user_id,
        agent_id=session.agent_id if session else stream.agent_id,
        requested_by=actor,
        created_at=datetime.now(UTC),
        **{"session_id": session.pk if session else "", **fields},
    )


def _queued(distillation: Distillation) -> Distillation:
    distillation.save(force_insert=distillation._state.adding)
    queue.put(Queue.DISTILLATION, [distillation.pk])
    return distillation

"""Asking for a distillation: of a session, of a task, on either path. Needs a tenant's scope."""

from datetime import UTC, datetime
from typing import Any

from memory import limits, queue
from memory.distillation import pipeline
from memory.distillation.policy import Policy, choose
from memory.errors import Invalid
from memory.events import facts
from memory.models import Decision, Distillation, Session, Stream, Task
from memory.tenancy import current_tenant_id
from memory.vocabulary import (
    DISTILLATION_PREFIX,
    Action,
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
    return _queued(_new(stream, DistillationMode.FULL, actor, **{"reason": "A whole session is always refined.", **given}))


def of_task(task: Task, wish: Any, actor: str) -> Distillation:
    """Have a task distilled, on the path that was wished for or that the tenant's policy chooses.

    Light is done at once: input and output are packed together, whatever they are. Full is the worker's.

    Raises:
        Invalid: the wish is neither `light` nor `full` nor None.
    """
    stream = Stream.objects.get(pk=task.session.stream_id)
    packed = len(facts.text_of(task.input)) + len(facts.text_of(task.output))
    policy = Policy(full_from=limits.value("ARES_FULL_FROM_CHARACTERS"))
    mode, reason = choose(wish, task.status, packed, task.session.message_count, policy)
    made = _new(stream, mode, actor, task_id=task.pk, session_id=task.session_id, reason=reason)
    return _packed(made, task) if mode == DistillationMode.LIGHT else _queued(made)


def retry(distillation: Distillation) -> Distillation:
    """Try a failed distillation again.

    Raises:
        Invalid: it has not failed.
    """
    if distillation.status != WorkStatus.FAILED:
        raise Invalid(f"Distillation {distillation.pk} is {distillation.status}, not failed.")
    distillation.status, distillation.error = WorkStatus.PENDING, ""
    return _queued(distillation)


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
    distillation.save()
    queue.put(Queue.DISTILLATION, [distillation.pk])
    return distillation


def _packed(distillation: Distillation, task: Task) -> Distillation:
    now = datetime.now(UTC)
    distillation.status, distillation.started_at, distillation.completed_at = WorkStatus.COMPLETED, now, now
    distillation.save(force_insert=True)
    Decision.objects.create(
        tenant_id=distillation.tenant_id,
        distillation=distillation,
        number=1,
        stage="pack",
        action=Action.INSERT,
        rule="light",
        reason="Input and output were packed as they are.",
        candidate={"input": task.input, "output": task.output, "status": task.status},
        created_at=now,
    )
    pipeline.record(distillation, [], {Action.INSERT: 1})
    return distillation

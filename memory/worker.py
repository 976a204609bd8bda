"""Works off a tenant's queues. No transaction is open while a model thinks: what is needed is read, the work is done,
and the results are written together with the news that it is done."""

import logging
import os
import secrets
import socket
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from time import monotonic

from memory import conf, queue
from memory.distillation import pipeline
from memory.embedding import current
from memory.embedding.spec import Embedder
from memory.errors import AresError, ServiceFailed
from memory.layers import embedding
from memory.models import Distillation, QueueItem, Tenant
from memory.queue import LeaseLost
from memory.tenancy import tenant_scope
from memory.vocabulary import Queue, WorkStatus

logger = logging.getLogger(__name__)
# One run of a worker takes so long at most, so that tenants have their turns.
SECONDS = 60.0
# A lease is on so many pieces of work at a time.
BATCH: Mapping[Queue, int] = {Queue.EMBEDDING: 128, Queue.DISTILLATION: 1}
# So many texts the local model embeds before their vectors are kept: a few seconds' work.
LOCAL_STEP = 32


def work(tenant_id: int, which: Queue) -> int:
    """Work off what is due in a tenant's queue, until nothing is or the time is over; returns how much was done."""
    end = monotonic() + SECONDS
    done = 0
    while monotonic() < end and (did := turn(tenant_id, which)) is not None:
        done += did
    return done


def turn(tenant_id: int, which: Queue) -> int | None:
    """Take some of what is due in a tenant's queue and do it; returns how much was done, None where nothing was due."""
    owner = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
    with tenant_scope(tenant_id):
        if not Tenant.objects.working().filter(pk=tenant_id).exists():
            return None  # it waits until the tenant is resumed
        claimed = queue.claim(which, owner, BATCH[which])
    if not claimed:
        return None
    most = conf.value("ARES_QUEUE_ATTEMPTS")
    for item in claimed:
        if item.attempts > most:
            _failed(tenant_id, item, f"Workers began it {most} times, and each ended in the middle of it.")
    items = [item for item in claimed if item.attempts <= most]
    try:
        return HANDLERS[which](tenant_id, items)
    except Exception as error:
        for item in items:
            _failed(tenant_id, item, f"{type(error).__name__}: {error}")
        raise


def retry(items: Sequence[int] | None = None) -> Counter[Queue]:
    """Try dead letters again, these or all of them, and let their subjects say that they wait; returns how many by
    queue. Needs a tenant's scope."""
    found = QueueItem.objects.filter(status=WorkStatus.FAILED).order_by("pk").select_for_update()
    dead = list(found if items is None else found.filter(pk__in=list(items)))
    queue.retry([item.pk for item in dead])
    embedding.mark([item.subject_id for item in dead if item.queue == Queue.EMBEDDING], WorkStatus.PENDING)
    runs = [item.subject_id for item in dead if item.queue == Queue.DISTILLATION]
    Distillation.objects.filter(pk__in=runs).update(status=WorkStatus.PENDING, error="")
    return Counter(Queue(item.queue) for item in dead)


def _embed(tenant_id: int, claimed: Sequence[QueueItem]) -> int:
    """Give experiences, documents and tools the vectors that they lack. If some are refused together, each is tried
    alone: one that the model does not take must not hold up the others."""
    model = current.embedder()
    try:
        current.calibrate(model)
        return _embed_together(tenant_id, claimed, model)
    except ServiceFailed as error:
        if error.may_pass or len(claimed) == 1:
            for item in claimed:
                _failed(tenant_id, item, error.detail, retry_after=error.retry_after)
            return 0
    return sum(_embed(tenant_id, [item]) for item in claimed)


def _embed_together(tenant_id: int, claimed: Sequence[QueueItem], model: Embedder) -> int:
    subjects = [item.subject_id for item in claimed]
    with tenant_scope(tenant_id):
        embedding.mark(subjects, WorkStatus.PROCESSING)
        lacking = embedding.lacking(subjects, model.model)
    size = _step()
    for start in range(0, len(lacking), size):
        step = lacking[start : start + size]
        made = embedding.vectors(tenant_id, [item.passage for item in step], model)
        with tenant_scope(tenant_id):
            mine = [item.subject_id for item in claimed if queue.renew(item)]
            embedding.keep(mine, step, made, model.model)
    with tenant_scope(tenant_id):
        finished = [item.subject_id for item in claimed if _is_finished(item)]
        embedding.mark(finished, WorkStatus.COMPLETED)
    return len(finished)


def _step() -> int:
    """How many texts are embedded before their vectors are kept and the lease begins anew: whoever dies loses no more
    than these, and a document may take longer than a lease. Of a service, as many as it is asked for at a time."""
    if current.is_local():
        return LOCAL_STEP
    return conf.value("ARES_EMBEDDING_BATCH") * conf.value("ARES_EMBEDDING_CONCURRENCY")


def _is_finished(item: QueueItem) -> bool:
    """Whether the work could be finished: not if it has changed meanwhile, or another worker has it."""
    try:
        queue.finish(item)
    except LeaseLost:
        return False
    return True


def _distil(tenant_id: int, items: Sequence[QueueItem]) -> int:
    done = 0
    for item in items:
        try:
            pipeline.run(tenant_id, item)
            done += 1
        except LeaseLost:
            logger.warning(
                "Distillation %s went to another worker; what this one made of it is dropped.", item.subject_id
            )
        except ServiceFailed as error:
            _failed(tenant_id, item, error.detail, retry_after=error.retry_after)
        except AresError as error:
            _failed(tenant_id, item, error.detail, for_good=True)
    return done


def _failed(
    tenant_id: int, item: QueueItem, reason: str, *, for_good: bool = False, retry_after: float | None = None
) -> None:
    """Try again later, or give up and say so where people look for it."""
    try:
        with tenant_scope(tenant_id):
            dead = queue.fail(item, reason, for_good=for_good, retry_after=retry_after)
            status = WorkStatus.FAILED if dead else WorkStatus.PENDING
            if item.queue == Queue.EMBEDDING:
                embedding.mark([item.subject_id], status)
            else:
                pipeline.note_failure(item.subject_id, status, reason)
    except LeaseLost:
        logger.info(
            "%s %s was done, or went to another worker; it failed here: %s", item.queue, item.subject_id, reason
        )


HANDLERS: Mapping[Queue, Callable[[int, Sequence[QueueItem]], int]] = {
    Queue.EMBEDDING: _embed,
    Queue.DISTILLATION: _distil,
}

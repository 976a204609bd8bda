"""Works off a tenant's queues. No transaction is open while a model thinks: what is needed is read, the work is done,
and the results are written together with the news that it is done."""

import logging
import os
import secrets
import socket
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from time import monotonic

from memory import queue
from memory.distillation import pipeline
from memory.embedding.current import embedder
from memory.errors import AresError, ServiceFailed
from memory.layers import embedding
from memory.models import Distillation, QueueItem
from memory.queue import LeaseLost
from memory.tenancy import tenant_scope
from memory.vocabulary import Queue, WorkStatus

logger = logging.getLogger(__name__)
# One run of a worker takes so long at most, so that tenants have their turns.
SECONDS = 60.0
# A lease is on so many pieces of work at a time.
BATCH: Mapping[Queue, int] = {Queue.EMBEDDING: 32, Queue.DISTILLATION: 1}


def work(tenant_id: int, which: Queue) -> int:
    """Work off what is due in a tenant's queue, until nothing is or the time is over; returns how much was done."""
    owner = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
    end = monotonic() + SECONDS
    done = 0
    while monotonic() < end:
        with tenant_scope(tenant_id):
            items = queue.claim(which, owner, BATCH[which])
        if not items:
            break
        done += HANDLERS[which](tenant_id, items)
    return done


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
    """Give experiences, documents and tools the vectors that they lack."""
    model = embedder()
    with tenant_scope(tenant_id):
        lacking = embedding.lacking([item.subject_id for item in claimed], model.model)
    try:
        vectors = model.embed_passages([item.passage for item in lacking])
    except ServiceFailed as error:
        for item in claimed:
            _failed(tenant_id, item, error)
        return 0
    with tenant_scope(tenant_id):
        finished = [item.subject_id for item in claimed if _is_finished(item)]
        embedding.keep(finished, lacking, vectors, model.model)
    return len(finished)


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
        except AresError as error:
            _failed(tenant_id, item, error)
    return done


def _failed(tenant_id: int, item: QueueItem, error: AresError) -> None:
    """Try again later, or give up and say so where people look for it."""
    may_pass = isinstance(error, ServiceFailed)
    retry_after = error.retry_after if isinstance(error, ServiceFailed) else None
    with tenant_scope(tenant_id):
        dead = queue.fail(item, error.detail, for_good=not may_pass, retry_after=retry_after)
        status = WorkStatus.FAILED if dead else WorkStatus.PENDING
        if item.queue == Queue.EMBEDDING:
            embedding.mark([item.subject_id], status)
        else:
            pipeline.note_failure(item.subject_id, status, error.detail)


HANDLERS: Mapping[Queue, Callable[[int, Sequence[QueueItem]], int]] = {
    Queue.EMBEDDING: _embed,
    Queue.DISTILLATION: _distil,
}

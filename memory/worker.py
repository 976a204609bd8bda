"""Works off a tenant's queues. No transaction is open while a model thinks: what is needed is read, the work is done, and
the results are written together with the news that it is done."""

import os
import secrets
import socket
from collections.abc import Callable, Mapping, Sequence
from time import monotonic

from memory import queue
from memory.distillation import pipeline
from memory.embedding.current import embedder
from memory.errors import AresError, ServiceFailed
from memory.models import Experience, QueueItem
from memory.queue import LeaseLost
from memory.retrieval.vector import Item, VectorStore, text_digest
from memory.tenancy import tenant_scope
from memory.vocabulary import Collection, Queue, WorkStatus

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


def _embed(tenant_id: int, items: Sequence[QueueItem]) -> int:
    """Give experiences the vectors of their text."""
    with tenant_scope(tenant_id):
        found = Experience.objects.by_id(item.subject_id for item in items)
        Experience.objects.filter(pk__in=found).update(embedding_status=WorkStatus.PROCESSING)
    model = embedder()
    wanted = list(found.values())
    try:
        vectors = model.embed_passages([experience.text for experience in wanted])
    except ServiceFailed as error:
        for item in items:
            _failed(tenant_id, item, error)
        return 0
    with tenant_scope(tenant_id):
        for item in items:
            queue.finish(item)
        rows = [
            Item(experience.pk, model.model, vector.tolist(), text_digest(experience.text))
            for experience, vector in zip(wanted, vectors, strict=True)
        ]
        VectorStore().add(Collection.EXPERIENCE, rows)
        Experience.objects.filter(pk__in=found).update(embedding_status=WorkStatus.COMPLETED)
    return len(items)


def _distil(tenant_id: int, items: Sequence[QueueItem]) -> int:
    done = 0
    for item in items:
        try:
            pipeline.run(tenant_id, item)
            done += 1
        except LeaseLost:
            raise
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
            Experience.objects.filter(pk=item.subject_id).update(embedding_status=status)
        else:
            pipeline.note_failure(item.subject_id, status, error.detail)


HANDLERS: Mapping[Queue, Callable[[int, Sequence[QueueItem]], int]] = {Queue.EMBEDDING: _embed, Queue.DISTILLATION: _distil}

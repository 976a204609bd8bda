"""Every background job, a few lines each. The worker calls them by name; `memory.schedules` says how often."""

import random
import time
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import chain, product, zip_longest
from typing import Any

from django.contrib.sessions.models import Session as LogIn
from django.db import transaction
from django_q.tasks import async_task

from memory import audit, conf, queue, tenants, worker
from memory import retention as aged
from memory.distillation import consolidate as consolidation
from memory.distillation import requests
from memory.embedding.current import embedder
from memory.errors import Damaged
from memory.events import compaction, retention, state, verification
from memory.events.reducer import REDUCER_VERSION
from memory.flight import analysis
from memory.layers import distilled, embedding, experience_map, recall, session, task
from memory.models import Analysis, IdempotencyKey, Session, Stream, Tenant, Vector
from memory.retrieval import vector
from memory.retrieval.vector import VectorStore
from memory.tenancy import for_each_tenant, in_each_tenant, tenant_scope
from memory.tokens import ledger
from memory.vocabulary import Queue

# How many streams of a tenant one run looks after at most; the next one, a minute later, takes the others.
SNAPSHOT_STREAMS = 200
# How many streams of a tenant one run analyses at most, and how long it takes, in seconds.
ANALYSED_STREAMS = 200
ANALYSIS_SECONDS = 45
# How much of each kind one run has embedded at most; the next one takes the others.
UNEMBEDDED = 1000
# An ended run is left alone for so long before a snapshot is taken of its end: perhaps it goes on.
RESTED = timedelta(minutes=5)


def enqueue(job: Callable[..., Any], *arguments: Any) -> None:
    """Let the worker do this job, once the transaction around the caller is committed."""
    transaction.on_commit(partial(async_task, f"{job.__module__}.{job.__name__}", *arguments))


def expire_sessions() -> int:
    """Expire the sessions whose time is over; returns how many."""
    now = datetime.now(UTC)
    return in_each_tenant(lambda: _expired(session.expire_due(now)))


def _expired(sessions: list[Session]) -> int:
    requests.of_expired(sessions)
    return len(sessions)


def work_queues() -> int:
    """Work off what is due in the queues, tenants in turns, until nothing is or the time is over; returns how much was
    done.

    Raises:
        ExceptionGroup: some work failed as it should not; the others had their turn all the same.
    """
    end = time.monotonic() + worker.SECONDS
    turns = deque(product(Tenant.objects.working().values_list("pk", flat=True), Queue))
    random.shuffle(turns)  # workers that do this at the same time begin with different tenants
    done, failures = 0, []
    while turns and time.monotonic() < end:
        pair = turns.popleft()
        try:
            did = worker.turn(*pair)
        except Exception as error:  # noqa: BLE001  raised below
            failures.append(error)
            continue
        if did is not None:
            done += did
            turns.append(pair)
    if failures:
        raise ExceptionGroup(f"Work failed in {len(failures)} queues.", failures)
    return done


def draw_map(tenant_id: int) -> int:
    """Draw a tenant's map of experiences, if memory has changed; returns how many are on it. None is drawn while the
    tenant is suspended."""
    return experience_map.draw(tenant_id) if Tenant.objects.working().filter(pk=tenant_id).exists() else 0


def draw_maps() -> int:
    """Draw the maps of all tenants whose memory has changed; returns how many experiences are on them."""
    return for_each_tenant(experience_map.draw)


def work_queue(tenant_id: int, queue: str) -> int:
    """Work off what is due in one queue of a tenant; returns how much was done."""
    return worker.work(tenant_id, Queue(queue))


def embed_missing() -> int:
    """Have embedded what has no vector by the model in use, as after a change of the model; returns how much."""
    model = embedder().model

    def find() -> int:
        missing = embedding.unembedded(model, UNEMBEDDED)
        queue.put(Queue.EMBEDDING, missing)
        return len(missing)

    return in_each_tenant(find)


def expire_tasks() -> int:
    """Forget tasks that are old, and those that are too many; returns how many."""
    now = datetime.now(UTC)
    return in_each_tenant(lambda: task.expire(now))


def evict_experiences() -> int:
    """Delete experiences that are too many; returns how many."""
    return in_each_tenant(distilled.evict)


def consolidate() -> int:
    """Make abstractions of related experiences; returns how many."""
    return in_each_tenant(consolidation.consolidate)


def take_snapshots() -> int:
    """Catch up with snapshots of streams that have grown since; returns how many were taken.

    Raises:
        ExceptionGroup: of some streams none could be taken; the others had their turn all the same.
    """
    every = conf.value("ARES_SNAPSHOT_EVERY")
    rested = datetime.now(UTC) - RESTED
    due: list[tuple[Stream, Callable[[Stream], int]]] = []

    def find() -> int:
        grown = Stream.objects.lacking_snapshot(every, REDUCER_VERSION)[:SNAPSHOT_STREAMS]
        ended = Stream.objects.lacking_last_snapshot(rested, REDUCER_VERSION)[:SNAPSHOT_STREAMS]
        due.extend((stream, state.take_snapshots) for stream in grown)
        due.extend((stream, state.take_last_snapshot) for stream in ended)
        return 0

    in_each_tenant(find)
    taken, failures = 0, []
    for stream, take in due:  # a transaction each: a long one would hold up who deletes, and the feed
        try:
            with tenant_scope(stream.tenant_id):
                taken += take(stream)
        except Exception as error:  # noqa: BLE001  raised below
            failures.append(error)
    if failures:
        raise ExceptionGroup(f"Of {len(failures)} streams no snapshot could be taken.", failures)
    return taken


def compact_streams() -> int:
    """Move the older events of long streams into segments; returns how many segments that made."""
    return for_each_tenant(compaction.compact_due)


def drop_expired_segments() -> int:
    """Drop what is older than its tenant keeps it; returns how many segments that were."""
    return for_each_tenant(retention.drop_expired)


def analyse_streams() -> int:
    """Find causes and hints in streams that have grown, tenants in turns and a batch of events each, until the time of
    one run is over; returns how many batches.

    Raises:
        ExceptionGroup: some could not be analysed; the others had their turn all the same.
    """
    end = time.monotonic() + ANALYSIS_SECONDS
    due = []
    for tenant in Tenant.objects.working().order_by("id"):
        with tenant_scope(tenant.pk):
            due.append(Analysis.objects.behind(analysis.RULESET, ANALYSED_STREAMS))
    turns = deque(filter(None, chain.from_iterable(zip_longest(*due))))
    done, failures = 0, []
    while turns and time.monotonic() < end:
        stream = turns.popleft()
        try:
            with tenant_scope(stream.tenant_id):  # a transaction for each batch: a long one would hold up the feed
                is_whole = analysis.catch_up(stream, analysis.BATCH).is_whole
        except Exception as error:  # noqa: BLE001  raised below
            failures.append(error)
            continue
        done += 1
        if not is_whole:
            turns.append(stream)
    if failures:
        raise ExceptionGroup(f"{len(failures)} streams could not be analysed.", failures)
    return done


def forget_idempotency_keys() -> int:
    """Delete answers that are older than ARES_IDEMPOTENCY_HOURS; returns how many."""
    oldest = datetime.now(UTC) - timedelta(hours=conf.value("ARES_IDEMPOTENCY_HOURS"))
    return in_each_tenant(lambda: IdempotencyKey.objects.filter(created_at__lt=oldest).delete()[0])


def forget_logins() -> int:
    """Delete sessions of people whose time is over; returns how many."""
    return int(LogIn.objects.filter(expire_date__lt=datetime.now(UTC)).delete()[0])


def verify_streams() -> int:
    """Verify streams that are due, tenants in turns, until the time of one run is over; returns how many.

    Raises:
        ExceptionGroup: some could not be verified; the others had their turn all the same.
    """
    end = time.monotonic() + conf.value("ARES_VERIFY_SECONDS")
    oldest = datetime.now(UTC) - timedelta(hours=conf.value("ARES_VERIFY_HOURS"))
    due = []
    for tenant in Tenant.objects.working().order_by("id"):
        with tenant_scope(tenant.pk):
            due.append([(tenant.pk, stream_id) for stream_id in Stream.objects.due_for_verification(oldest)])
    done, failures = 0, []
    for pair in filter(None, chain.from_iterable(zip_longest(*due))):
        if time.monotonic() > end:
            break
        try:
            verify_stream(*pair)
            done += 1
        except Exception as error:  # noqa: BLE001  raised below
            failures.append(error)
    if failures:
        raise ExceptionGroup(f"{len(failures)} streams could not be verified.", failures)
    return done


def verify_stream(tenant_id: int, stream_id: int) -> None:
    """Verify one stream, in a transaction of its own."""
    with tenant_scope(tenant_id):
        stream = Stream.objects.filter(pk=stream_id, tenant__suspended_at=None).first()
        if stream is not None:
            verification.verify(stream)


def verify_audit_logs() -> int:
    """Verify every tenant's audit log; returns how many entries.

    Raises:
        ExceptionGroup: some logs are not as they were written.
    """

    def verify() -> int:
        verified = audit.verify()
        if verified.faults:
            first = verified.faults[0]
            raise Damaged(f"The audit log has {len(verified.faults)} faults; at entry {first.number}: {first.detail}")
        return verified.entries

    return in_each_tenant(verify)


def measure_storage() -> int:
    """Note what each tenant's content takes; returns how many tenants have any."""
    return in_each_tenant(tenants.measure_storage)


def keep_no_longer() -> int:
    """Delete sessions, experiences and entries of the audit log that tenants keep no longer; returns how many."""
    return in_each_tenant(lambda: audit.drop_old() + aged.drop_old(datetime.now(UTC)))


def note_use(tenant_id: int, experience_ids: list[str]) -> int:
    """Count one more use of experiences that an agent was given; returns of how many."""
    with tenant_scope(tenant_id):
        return recall.note_use(experience_ids, datetime.now(UTC))


def index_vectors() -> int:
    """Make the index of each model of which a tenant has so many vectors that it helps; returns of how many models."""
    many: set[tuple[str, int]] = set()

    def count() -> int:
        many.update(Vector.objects.models_with_more_than(vector.EXACT_UP_TO))
        return 0

    in_each_tenant(count)
    for model, dimension in sorted(many):
        VectorStore().create_collection(model, dimension)
    return len(many)


def rebuild_ledger(tenant_id: int) -> int:
    """Make a tenant's token ledger again from its events, a transaction for each stream; returns how many entries."""
    with tenant_scope(tenant_id):
        streams = list(Stream.objects.order_by("pk"))
    made = 0
    for stream in streams:
        with tenant_scope(tenant_id):
            made += ledger.rebuild(stream)
    return made

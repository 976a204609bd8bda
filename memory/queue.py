"""Work in the background that must be neither lost nor done twice. Needs a tenant's scope.

A piece of work is written in the transaction of what causes it. A worker claims some for the time of a lease, in a
transaction of its own, and finishes each in the very transaction that writes its results: if the lease has gone to
another worker meanwhile, nothing is written. A worker that dies leaves work whose lease ends, and the next one takes
it.
"""

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

from django.db.models import QuerySet

from memory import conf, sql
from memory.errors import Conflict
from memory.models import QueueItem
from memory.tenancy import current_tenant_id
from memory.vocabulary import Queue, WorkStatus

FIRST_PAUSE = timedelta(seconds=5)
LONGEST_PAUSE = timedelta(hours=1)
ERROR_CHARACTERS = 500


class LeaseLost(Conflict):
    """The work belongs to another worker by now"""

    code = "lease-lost"


def put(queue: Queue, subject_ids: Iterable[str]) -> None:
    """Have something done about these subjects; what waits already waits once, and what has ended is done again."""
    now = datetime.now(UTC)
    rows = [
        QueueItem(
            tenant_id=current_tenant_id(),
            queue=queue,
            dedupe_key=subject,
            subject_id=subject,
            run_at=now,
            created_at=now,
            updated_at=now,
        )
        for subject in sorted(set(subject_ids))
    ]
    QueueItem.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["tenant", "queue", "dedupe_key"],
        update_fields=["status", "attempts", "run_at", "leased_until", "lease_owner", "error", "updated_at"],
    )


def forget(subject_ids: Iterable[str]) -> int:
    """Nothing is to be done about these subjects any more; returns how many pieces of work that were."""
    return QueueItem.objects.filter(subject_id__in=list(subject_ids)).delete()[0]


def claim(queue: Queue, owner: str, most: int) -> list[QueueItem]:
    """The next work, due or abandoned, at most `most` pieces; it is the owner's until its lease ends."""
    parameters = {"queue": queue, "owner": owner, "most": most, "seconds": conf.value("ARES_QUEUE_LEASE_SECONDS")}
    return list(QueueItem.objects.filter(pk__in=[row[0] for row in sql.run("claim_work", parameters)]).order_by("pk"))


def renew(item: QueueItem) -> bool:
    """Begin the lease anew; returns whether the work is still its owner's. In that case it stays so until the
    transaction ends: who deletes the subject waits."""
    until = datetime.now(UTC) + timedelta(seconds=conf.value("ARES_QUEUE_LEASE_SECONDS"))
    return bool(_mine(item).update(leased_until=until, updated_at=datetime.now(UTC)))


def finish(item: QueueItem) -> None:
    """The work is done; call it in the transaction that writes its results.

    Raises:
        LeaseLost: it belongs to another worker by now, so nothing must be written.
    """
    _owned(item, {"status": WorkStatus.COMPLETED, "error": ""})


def fail(item: QueueItem, reason: str, *, for_good: bool = False, retry_after: float | None = None) -> bool:
    """The work could not be done: it is tried again later, or becomes a dead letter; returns whether it has.

    Args:
        for_good: trying again is of no use. retry_after: not before so many seconds.
    """
    dead = for_good or item.attempts >= conf.value("ARES_QUEUE_ATTEMPTS")
    pause = timedelta(seconds=retry_after) if retry_after else backoff(item.attempts, random.random())  # noqa: S311
    status = WorkStatus.FAILED if dead else WorkStatus.PENDING
    changes = {"status": status, "error": reason[:ERROR_CHARACTERS], "run_at": datetime.now(UTC) + pause}
    _owned(item, changes)
    return dead


def retry(items: Sequence[int]) -> int:
    """Try these dead letters again; returns how many there were."""
    dead = QueueItem.objects.filter(status=WorkStatus.FAILED, pk__in=list(items))
    now = datetime.now(UTC)
    return dead.update(status=WorkStatus.PENDING, attempts=0, run_at=now, updated_at=now)


def counts(now: datetime) -> dict[str, Counter[str]]:
    """By queue: how much is `pending`, `waiting` (for another try), `leased`, `abandoned`, `completed` and `failed`."""
    found: dict[str, Counter[str]] = {queue: Counter() for queue in Queue}
    for queue, state, number in sql.run("count_work", {"now": now}):
        found.setdefault(queue, Counter())[state] = number
    return found


def backoff(attempts: int, chance: float) -> timedelta:
    """How long to wait after so many tries: twice as long each time, up to LONGEST_PAUSE, and by chance in [0, 1) up to
    half of it longer, so that what failed together does not come back together. Pure."""
    pause: timedelta = min(FIRST_PAUSE * 2 ** max(0, min(attempts, 30) - 1), LONGEST_PAUSE)
    return pause * (1 + chance / 2)


def _owned(item: QueueItem, changes: dict[str, object]) -> None:
    released = {"leased_until": None, "lease_owner": "", "updated_at": datetime.now(UTC)}
    if not _mine(item).update(**changes, **released):
        raise LeaseLost(f"{item.queue} {item.subject_id} belongs to another worker by now.")


def _mine(item: QueueItem) -> QuerySet[QueueItem]:
    mine = QueueItem.objects.filter(pk=item.pk, status=WorkStatus.PROCESSING, lease_owner=item.lease_owner)
    return mine.filter(attempts=item.attempts)

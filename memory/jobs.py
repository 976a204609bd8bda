"""Every background job, a few lines each. The worker calls them by name; `memory.schedules` says how often."""

from datetime import UTC, datetime, timedelta

from memory import conf
from memory.events import state
from memory.events.reducer import REDUCER_VERSION
from memory.layers import session
from memory.models import IdempotencyKey, Stream
from memory.tenancy import in_each_tenant, tenant_scope

# How many streams of a tenant one run looks after at most; the next one, a minute later, takes the others.
SNAPSHOT_STREAMS = 200


def expire_sessions() -> int:
    """Expire the sessions whose time is over; returns how many."""
    now = datetime.now(UTC)
    return in_each_tenant(lambda: session.expire_due(now))


def take_snapshots() -> int:
    """Catch up with snapshots of streams that have grown since; returns how many were taken."""
    every = conf.value("ARES_SNAPSHOT_EVERY")
    lacking: list[tuple[int, int]] = []

    def find() -> int:
        streams = Stream.objects.lacking_snapshot(every, REDUCER_VERSION)[:SNAPSHOT_STREAMS]
        lacking.extend((stream.tenant_id, stream.pk) for stream in streams)
        return 0

    in_each_tenant(find)
    taken = 0
    for tenant_id, stream_id in lacking:  # a transaction each: a long one would hold up who deletes, and the feed
        with tenant_scope(tenant_id):
            taken += state.take_snapshots(Stream.objects.get(pk=stream_id))
    return taken


def forget_idempotency_keys() -> int:
    """Delete answers that are older than ARES_IDEMPOTENCY_HOURS; returns how many."""
    oldest = datetime.now(UTC) - timedelta(hours=conf.value("ARES_IDEMPOTENCY_HOURS"))
    return in_each_tenant(lambda: IdempotencyKey.objects.filter(created_at__lt=oldest).delete()[0])

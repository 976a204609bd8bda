"""Every background job, a few lines each. The worker calls them by name; `memory.schedules` says how often."""

from datetime import UTC, datetime, timedelta

from memory import conf
from memory.events import compaction, retention, state
from memory.events.reducer import REDUCER_VERSION
from memory.layers import session
from memory.models import IdempotencyKey, Stream
from memory.tenancy import for_each_tenant, in_each_tenant


def expire_sessions() -> int:
    """Expire the sessions whose time is over; returns how many."""
    now = datetime.now(UTC)
    return in_each_tenant(lambda: session.expire_due(now))


def take_snapshots() -> int:
    """Catch up with snapshots of streams that have grown since; returns how many were taken."""
    every = conf.value("ARES_SNAPSHOT_EVERY")
    return in_each_tenant(
        lambda: sum(map(state.take_snapshots, Stream.objects.lacking_snapshot(every, REDUCER_VERSION)))
    )


def compact_streams() -> int:
    """Move the older events of long streams into segments; returns how many segments that made."""
    return for_each_tenant(compaction.compact_due)


def drop_expired_segments() -> int:
    """Drop what is older than its tenant keeps it; returns how many segments that were."""
    return in_each_tenant(retention.drop_expired)


def forget_idempotency_keys() -> int:
    """Delete answers that are older than ARES_IDEMPOTENCY_HOURS; returns how many."""
    oldest = datetime.now(UTC) - timedelta(hours=conf.value("ARES_IDEMPOTENCY_HOURS"))
    return in_each_tenant(lambda: IdempotencyKey.objects.filter(created_at__lt=oldest).delete()[0])

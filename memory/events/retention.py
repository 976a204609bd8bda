"""Retention: the content of archived events that are older than the tenant keeps them is dropped.

Their hashes, counts and letters stay, and so does the state at their end.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db.models import Count, F, Sum

from memory import sql
from memory.errors import Damaged, Gone
from memory.events import state
from memory.models.analysis import Analysis
from memory.models.segment import Segment, SegmentQuerySet
from memory.models.snapshot import Snapshot
from memory.models.stream import Stream
from memory.models.tenant import Tenant
from memory.tenancy import tenant_scope

# How many streams of a tenant one run of the job takes at most.
BATCH = 200


@dataclass(frozen=True, slots=True)
class Due:
    """What would be dropped: runs, segments, events, bytes."""

    streams: int
    segments: int
    events: int
    stored_bytes: int


def preview(days: int) -> Due:
    """What a retention of so many days would drop now. Needs a tenant's scope."""
    counts = _older_than(days).aggregate(
        streams=Count("stream", distinct=True),
        segments=Count("pk"),
        events=Sum(F("last_version") - F("first_version") + 1, default=0),
        stored_bytes=Sum("stored_bytes", default=0),
    )
    return Due(**counts)


def drop_expired(tenant_id: int) -> int:
    """Drop what is older than the tenant keeps it; returns how many segments that were. Opens a scope for each stream.

    Raises:
        ExceptionGroup: what stands for the events of some streams cannot be told, so theirs stay; the others had their
            turn all the same.
    """
    with tenant_scope(tenant_id):
        days = Tenant.objects.get(pk=tenant_id).retention_days
        if days is None:
            return 0
        streams = list(Stream.objects.filter(pk__in=_older_than(days).values("stream")).order_by("pk")[:BATCH])
    dropped, failures = 0, []
    for stream in streams:
        try:
            with tenant_scope(tenant_id):
                dropped += _drop(stream, days)
        except (Damaged, Gone) as error:
            failures.append(error)
    if failures:
        raise ExceptionGroup(f"Of {len(failures)} streams nothing could be dropped.", failures)
    return dropped


def _drop(stream: Stream, days: int) -> int:
    """Drop a stream's segments, the oldest first, up to the first one that is kept."""
    sql.run("hold_stream", {"stream_id": stream.pk})
    due = list(_older_than(days).filter(stream=stream).select_related("stream").order_by("first_version"))
    kept = Segment.objects.of_stream(stream).kept().exclude(pk__in=[segment.pk for segment in due]).first()
    due = [segment for segment in due if kept is None or segment.first_version < kept.first_version]
    if not due:
        return 0
    state.keep_snapshot(due[-1])
    dropped = sum(bool(sql.run("drop_segment", {"segment_id": segment.pk})[0][0]) for segment in due)
    Snapshot.objects.filter(stream=stream, version__lt=due[-1].last_version).delete()
    Analysis.objects.forget_up_to(stream, due[-1].last_version)
    return dropped


def _older_than(days: int) -> SegmentQuerySet:
    return Segment.objects.kept().filter(last_at__lt=datetime.now(UTC) - timedelta(days=days))

"""Verification: reads a stream's whole record, says what is wrong with it, and keeps that. Needs a tenant's scope.

What is appended meanwhile is left for the next time. Memory is bounded however long the stream is, and nothing is
written before all is read, so that nobody who follows `GET /events` waits for a transaction of this.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple

from django.db.models import Max, Q

from memory import sql
from memory.events.reducer import REDUCER_VERSION
from memory.events.walk import Claim, Walk
from memory.models.finding import Finding
from memory.models.snapshot import Snapshot
from memory.models.stream import Stream
from memory.models.verification import Verification

MOST_ROWS = 500
MOST_BYTES = 4 * 2**20


class Row(NamedTuple):
    """An event as it is recorded, in the order of `recorded_events.sql`."""

    version: int
    event_id: str
    type: str
    payload_json: str
    metadata_json: str
    occurred_at: datetime
    recorded_at: datetime
    causation_id: str
    correlation_id: str
    is_error: bool
    digest: bytes
    hash: bytes
    is_erased: bool


def verify(stream: Stream) -> Verification:
    """Verify a stream up to its end and keep the result and the findings in place of the last ones."""
    before = Verification.objects.of(stream)
    walk = _walk(stream, before)
    if walk.faults:  # perhaps content was erased while it was read: once more, while that has to wait
        sql.run("hold_stream", {"stream_id": stream.pk})
        walk = _walk(stream, before)
    return _keep(stream, walk)


def _walk(stream: Stream, before: Verification | None) -> Walk:
    # Before the head, which may move: so none of them is of a version behind it.
    snapshots = Snapshot.objects.filter(stream=stream).aggregate(
        last=Max("version", default=0),
        last_usable=Max("version", filter=Q(reducer_version=REDUCER_VERSION), default=0),
    )
    [(version, head, newest)] = sql.run("stream_head", {"stream_id": stream.pk})
    walk = Walk(
        stream.name,
        anchor=(before.clean_version, bytes(before.clean_hash)) if before and before.clean_version else None,
        last_snapshot=snapshots["last"],
        last_state=snapshots["last_usable"],
    )
    for rows in _recorded(stream, max(version, newest)):
        walk.follow(rows, _claims(stream, walk.version, rows[-1].version))
    walk.arrive(version, head)
    return walk


def _recorded(stream: Stream, last: int) -> Iterator[list[Row]]:
    """The stream's events up to a version, part by part."""
    after = 0
    while after < last:
        bounds = {"after": after, "last": last, "most": MOST_ROWS, "most_bytes": MOST_BYTES}
        found = sql.run("recorded_events", {"stream_id": stream.pk, **bounds}, binary=True)
        if not found:
            return
        rows = [Row._make(row) for row in found]
        yield rows
        after = rows[-1].version


def _claims(stream: Stream, after: int, last: int) -> list[Claim]:
    """What snapshots say of the versions behind `after` up to `last`, in their order."""
    snapshots = Snapshot.objects.filter(stream=stream, version__gt=after, version__lte=last).order_by("version", "pk")
    return [
        Claim(
            snapshot.version,
            bytes(snapshot.stream_hash),
            snapshot.state if snapshot.reducer_version == REDUCER_VERSION else None,
        )
        for snapshot in snapshots
    ]


def _keep(stream: Stream, walk: Walk) -> Verification:
    now = datetime.now(UTC)
    result = {"verified_at": now, "version": walk.version, "faults": walk.faults}
    if not walk.faults:
        result |= {"clean_version": walk.version, "clean_hash": walk.hash}
    # The row is locked from here on, so of two who verify at the same time one replaces the other's findings.
    verification, _ = Verification.objects.update_or_create(tenant_id=stream.tenant_id, stream=stream, defaults=result)
    last = Finding.objects.filter(stream=stream)
    since = {(finding.version, finding.fault, finding.detail): finding.found_at for finding in last}
    last.delete()
    Finding.objects.bulk_create(
        Finding(
            tenant_id=stream.tenant_id,
            stream=stream,
            version=found.version,
            fault=found.fault,
            detail=found.detail,
            found_at=since.get((found.version, found.fault, found.detail), now),
        )
        for found in walk.findings
    )
    return verification

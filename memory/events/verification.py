"""Verification: reads a stream's whole record, says what is wrong with it, and keeps that. Needs a tenant's scope.

What is appended meanwhile is left for the next time. Memory is bounded however long the stream is, and nothing is
written before all is read, so that nobody who follows `GET /events` waits for a transaction of this.
"""

from datetime import UTC, datetime

from django.db.models import Max, Q

from memory import sql
from memory.events import record
from memory.events.reducer import REDUCER_VERSION
from memory.events.walk import Claim, Walk
from memory.models.finding import Finding
from memory.models.snapshot import Snapshot
from memory.models.stream import Stream
from memory.models.verification import Verification


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
    for part in record.parts(stream, max(version, newest)):
        claims = _claims(stream, walk.version, part.last)
        for finding in part.findings:
            walk.find(finding)
        if part.stretch:
            walk.pass_over(part.stretch, claims)
        else:
            walk.follow(part.rows, claims)
    walk.arrive(version, head)
    return walk


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

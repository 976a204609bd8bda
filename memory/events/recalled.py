"""Events that repeat what was recalled from memory: where they are, and how they are blanked. Needs a tenant's scope.

An excerpt of an experience stands in the record of every run that was given it. When what it was learned from is
erased, these events are blanked as well, wherever they are.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import Any

from memory import sql
from memory.events import segments
from memory.models.analysis import Analysis
from memory.models.event import Event
from memory.models.recollection import Recollection
from memory.models.segment import Segment
from memory.models.session import Session
from memory.models.snapshot import Snapshot
from memory.models.stream import Stream
from memory.vocabulary import EXPERIENCE_PREFIX, EventType

ID_LENGTH = 40


def keep(stream: Stream, events: Sequence[Event]) -> None:
    """Keep which of a stream's events tell of which experiences."""
    rows = [
        Recollection(tenant_id=stream.tenant_id, experience_id=each, stream=stream, version=event.version)
        for event in events
        if event.type == EventType.MEMORY_RECALLED
        for each in sorted(experiences_in(event.payload))
    ]
    if rows:
        Recollection.objects.bulk_create(rows, ignore_conflicts=True)


def experiences_in(payload: Any) -> set[str]:
    """The ids of the experiences that a recall tells of. Pure."""
    found = payload.get("results")
    ids = [each.get("id") for each in found if isinstance(each, dict)] if isinstance(found, list) else []
    return {
        each for each in ids if isinstance(each, str) and each.startswith(EXPERIENCE_PREFIX) and len(each) <= ID_LENGTH
    }


def blank(experience_ids: Collection[str]) -> int:
    """Blank every event that repeats one of these experiences; returns how many that were.

    Locks sessions before streams, as everybody does, and so that nothing is archived meanwhile.
    """
    told: dict[int, set[int]] = defaultdict(set)
    rows = Recollection.objects.filter(experience_id__in=list(experience_ids))
    for stream_id, version in rows.values_list("stream_id", "version"):
        told[stream_id].add(version)
    if not told:
        return 0
    list(Session.objects.select_for_update().filter(stream__in=told).order_by("pk").values_list("pk"))
    streams = Stream.objects.select_for_update().filter(pk__in=told).order_by("pk")
    blanked = sum(_blank(stream, told[stream.pk]) for stream in streams)
    rows.delete()
    return blanked


def _blank(stream: Stream, versions: set[int]) -> int:
    Analysis.objects.forget(stream)  # it may quote what goes, and is made again without it
    hot: int = sql.run("erase_events_at", {"stream_id": stream.pk, "versions": sorted(versions)})[0][0]
    archived = 0
    reaching = Segment.objects.of_stream(stream).kept().overlapping(min(versions), max(versions)).defer("content")
    for segment in reaching:
        here = {version for version in versions if segment.first_version <= version <= segment.last_version}
        if here:
            archived += _blank_archived(Segment.objects.get(pk=segment.pk), here)
    for snapshot in Snapshot.objects.filter(stream=stream, version__gte=min(versions)):
        if forgotten := _forgotten(snapshot.state, versions):
            Snapshot.objects.filter(pk=snapshot.pk).update(state=forgotten)
    return hot + archived


def _blank_archived(segment: Segment, versions: set[int]) -> int:
    events = segments.unpack(segment)
    left = [event for event in events if event.version in versions and event.erased_at is None]
    if left:
        segments.blanked(left, datetime.now(UTC))
        packed = segments.pack(events)
        content = {"segment_id": segment.pk, "content": packed.content, "raw_bytes": packed.raw_bytes}
        sql.run("erase_segment", content)
    return len(left)


def _forgotten(state: dict[str, Any], versions: set[int]) -> dict[str, Any] | None:
    """A state as it is where these recalls are blank; None where it tells of none of them. Pure."""
    recalled = state.get("recalled", [])
    blank = {"text": "{}", "omitted": 0}
    made = [each | blank if each.get("version") in versions else each for each in recalled]
    return {**state, "recalled": made} if made != recalled else None

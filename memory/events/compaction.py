"""Compaction: the older events of long streams move into compressed segments, one segment a transaction.

Whatever interrupts it, a segment's events are either all in their table or all in the segment. Appending goes on
meanwhile; erasing waits.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Count, F, Q, Sum

from memory import conf, sql
from memory.errors import Damaged
from memory.events import history, segments
from memory.events.segments import Packed
from memory.models.event import Event
from memory.models.segment import Segment
from memory.models.stream import Stream
from memory.tenancy import tenant_scope

# A segment is read as a whole: not more than so many characters, unless one event has more.
MOST_BYTES = 16 * 2**20
COLUMNS = tuple(field.attname for field in Event._meta.concrete_fields)


@dataclass(frozen=True, slots=True)
class Moved:
    """What was moved: events, segments, the bytes of the events as text and as compressed content."""

    events: int = 0
    segments: int = 0
    raw_bytes: int = 0
    stored_bytes: int = 0

    def __add__(self, other: "Moved") -> "Moved":
        return Moved(
            self.events + other.events,
            self.segments + other.segments,
            self.raw_bytes + other.raw_bytes,
            self.stored_bytes + other.stored_bytes,
        )


@dataclass(frozen=True, slots=True)
class Sizes:
    """Where a stream's events are, in events and bytes: in their table (without its indexes), and in segments."""

    hot_events: int
    hot_bytes: int
    cold_events: int
    cold_raw_bytes: int
    cold_stored_bytes: int
    segments: int
    dropped_events: int


def sizes(stream: Stream) -> Sizes:
    """Where a stream's events are. Needs a tenant's scope."""
    hot_events, hot_bytes = sql.run("hot_size", {"stream_id": stream.pk})[0]
    length = F("last_version") - F("first_version") + 1
    cold = Segment.objects.of_stream(stream).aggregate(
        cold_events=Sum(length, filter=Q(dropped_at=None), default=0),
        cold_raw_bytes=Sum("raw_bytes", filter=Q(dropped_at=None), default=0),
        cold_stored_bytes=Sum("stored_bytes", default=0),
        segments=Count("pk", filter=Q(dropped_at=None)),
        dropped_events=Sum(length, filter=Q(dropped_at__isnull=False), default=0),
    )
    return Sizes(hot_events=hot_events, hot_bytes=hot_bytes, **cold)


def due(tenant_id: int) -> list[Stream]:
    """The tenant's streams that have ARES_SEGMENT_EVENTS events more in their table than ARES_HOT_EVENTS."""
    with tenant_scope(tenant_id):
        most = conf.value("ARES_HOT_EVENTS") + conf.value("ARES_SEGMENT_EVENTS")
        return list(Stream.objects.with_hot_events(most).order_by("pk"))


def compact_due(tenant_id: int) -> int:
    """Compact the tenant's streams that have grown long; returns how many segments that made. Opens scopes by itself.

    Raises:
        ExceptionGroup: some streams are damaged; the others had their turn all the same.
    """
    made = 0
    failures = []
    for stream in due(tenant_id):
        try:
            made += compact(tenant_id, stream).segments
        except Damaged as error:
            failures.append(error)
    if failures:
        raise ExceptionGroup(f"{len(failures)} streams are damaged.", failures)
    return made


def compact(tenant_id: int, stream: Stream, keep: int | None = None) -> Moved:
    """Move a stream's older events into segments. See `moves`."""
    return sum(moves(tenant_id, stream, keep), Moved())


def moves(tenant_id: int, stream: Stream, keep: int | None = None) -> Iterator[Moved]:
    """Move a stream's older events into segments, one with each step. Opens a scope for each.

    Args:
        keep: how many of the newest events stay in their table, the last segment being a short one where it comes to
            that; without it ARES_HOT_EVENTS stay, and as many more as do not fill a segment.

    Raises:
        Damaged: events are missing or do not match their digests. They stay where they are, like all behind them.
    """
    while True:
        with tenant_scope(tenant_id):
            step = move_oldest(stream, keep)
        if step is None:
            return
        yield step


def move_oldest(stream: Stream, keep: int | None = None) -> Moved | None:
    """Move the oldest events of a stream into one segment; None where there are too few. Needs a tenant's scope.

    Raises:
        Damaged: events are missing or do not match their digests.
    """
    sql.run("hold_for_compaction", {"stream_id": stream.pk})
    sql.run("hold_stream", {"stream_id": stream.pk})
    stream.refresh_from_db(fields=["version"])
    newest = Segment.objects.of_stream(stream).last()
    first = newest.last_version + 1 if newest else 1
    size = conf.value("ARES_SEGMENT_EVENTS")
    movable = stream.version - (conf.value("ARES_HOT_EVENTS") if keep is None else keep) - first + 1
    if movable <= 0 or (keep is None and movable < size):
        return None
    last = first + min(size, movable) - 1
    return _move(stream, _oldest(stream, first, last))


def _oldest(stream: Stream, first: int, last: int) -> list[Event]:
    """The events `first` to `last`, or fewer where they are large; one at least.

    Raises:
        Damaged: one is missing.
    """
    events: list[Event] = []
    size = 0
    for event in Event.objects.in_stream(stream).after(first - 1).up_to(last).iterator(chunk_size=history.CHUNK):
        size += len(event.payload_json) + len(event.metadata_json)
        if events and size > MOST_BYTES:
            return events
        if event.version != first + len(events):
            break
        events.append(event)
    if len(events) < last - first + 1:
        raise Damaged(f"Stream {stream.name} has no event {first + len(events)}.")
    return events


def _move(stream: Stream, events: list[Event]) -> Moved:
    packed = segments.pack(events)
    first, last = events[0].version, events[-1].version
    _check(stream, events, packed)
    parameters = {
        "stream_id": stream.pk,
        "first": first,
        "last": last,
        "content": packed.content,
        "raw_bytes": packed.raw_bytes,
        "letters": packed.letters,
    }
    sql.run("archive_events", parameters)
    return Moved(len(events), 1, packed.raw_bytes, len(packed.content))


def _check(stream: Stream, events: list[Event], packed: Packed) -> None:
    """Nothing is moved that does not come out again as it was; what was tampered with stays where it is."""
    trial = Segment(
        tenant_id=stream.tenant_id,
        stream_id=stream.pk,
        first_version=events[0].version,
        last_version=events[-1].version,
        raw_bytes=packed.raw_bytes,
        hashes=b"".join(bytes(event.hash) for event in events),
        content=packed.content,
        last_transaction_id=max(event.transaction_id for event in events),
    )
    for event, copy in zip(events, segments.unpack(trial), strict=True):
        for column in COLUMNS:
            if getattr(event, column) != getattr(copy, column):
                raise Damaged(f"Event {event.version} of stream {stream.name} does not match its {column}.")

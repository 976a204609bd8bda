"""The events of a stream and of a tenant, wherever they are: in their table (hot) or in segments (cold).

Compaction may move events while somebody reads, and each statement sees what is committed when it begins. So the table
is read first and the segments after it: what was moved in between could come twice, which shows, but is never missed.
As only the oldest events of a stream are ever moved, segments are asked only for what lies before the first one in the
table. Nobody else asks the table of events what is recorded.

Everything here needs a tenant's scope.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime

from django.db.models import F, Q, Sum

from memory import sql
from memory.errors import EventIdTaken, Gone, NotFound
from memory.events import facts, segments
from memory.events.walk import HASH_BYTES
from memory.models.event import Event
from memory.models.segment import Segment, SegmentQuerySet
from memory.models.stream import Stream
from memory.vocabulary import IDENTIFIER_MAX_LENGTH, is_identifier

Place = tuple[int, int]
# Events of the table in memory at once: each payload may have megabytes.
CHUNK = 50


def read(stream: Stream, first: int, last: int) -> list[Event]:
    """The events `first` to `last` of a stream, both included, as far as there are any, in order.

    Raises:
        Gone: retention has dropped some of them; it says which version is the first that is still there.
    """
    hot = list(Event.objects.in_stream(stream).after(first - 1).up_to(last))
    behind = hot[0].version if hot else last + 1
    return _cold(stream, first, behind - 1) + hot if first < behind else hot


def read_back(stream: Stream, last: int, limit: int) -> list[Event]:
    """Up to `limit` events from version `last` backward, the newest first; fewer where retention has dropped the rest.

    Raises:
        Gone: retention has dropped them all.
    """
    try:
        found = read(stream, max(last - limit + 1, 1), last)
    except Gone as gone:
        if gone.first_version > last:
            raise
        found = read(stream, gone.first_version, last)
    return found[::-1]


def walk(stream: Stream, first: int, last: int) -> Iterator[Event]:
    """What `read` gives, with no more in memory than a segment holds.

    Raises:
        Gone: as `read`, before the first event.
    """
    while first <= last:
        part = _part(stream, first, last)
        yield from part
        first = part[-1].version + 1 if part else first + CHUNK


def of_types(
    stream: Stream,
    types: Collection[str],
    limit: int,
    *,
    after: int = 0,
    up_to: int | None = None,
    is_error: bool | None = None,
    newest_first: bool = False,
) -> list[Event]:
    """The first `limit` events of these types behind version `after` and up to another one, in order or backward.

    What retention has dropped is passed over.
    """
    last = stream.version if up_to is None else up_to
    wanted = Event.objects.in_stream(stream).of_types(types).after(after).up_to(last)
    if is_error is not None:
        wanted = wanted.filter(is_error=is_error)
    hot = list((wanted.reverse() if newest_first else wanted)[:limit])
    if newest_first and len(hot) == limit:
        return hot
    behind = min((event.version for event in hot), default=last + 1)
    reaching = Segment.objects.of_stream(stream).overlapping(after + 1, behind - 1).holding(types)
    cold: list[Event] = []
    for segment in _opened(reaching.reverse() if newest_first else reaching):
        found = [
            event
            for event in segments.unpack(segment, after + 1, behind - 1)
            if event.type in types and is_error in (None, event.is_error)
        ]
        cold += found[::-1] if newest_first else found
        if len(cold) >= limit:
            break
    return (hot + cold if newest_first else cold + hot)[:limit]


def at(stream: Stream, versions: Collection[int]) -> list[Event]:
    """The events at these versions of a stream, in order; those that retention has dropped are left out."""
    hot = list(Event.objects.in_stream(stream).at(versions))
    missing = set(versions) - {event.version for event in hot}
    if not missing:
        return hot
    cold: list[Event] = []
    reaching = Segment.objects.of_stream(stream).overlapping(min(missing), max(missing))
    places = reaching.values_list("pk", "first_version", "last_version")
    held = [pk for pk, first, last in places if not missing.isdisjoint(range(first, last + 1))]
    for segment in _opened(Segment.objects.of_stream(stream).filter(pk__in=held)):
        cold += [event for event in segments.unpack(segment) if event.version in missing]
    return cold + hot


def at_places(places: Mapping[Stream, Collection[int]]) -> dict[tuple[int, int], Event]:
    """The events at these versions of several streams, by stream and version; what retention has dropped is left
    out."""
    wanted = Q()
    for stream, versions in places.items():
        wanted |= Q(stream_id=stream.pk, version__in=list(versions))
    found = {(event.stream_id, event.version): event for event in Event.objects.filter(wanted)} if places else {}
    for stream, versions in places.items():
        archived = [version for version in versions if (stream.pk, version) not in found]
        if archived:
            found |= {(stream.pk, event.version): event for event in at(stream, archived)}
    return found


def hash_at(stream: Stream, version: int) -> bytes:
    """The hash of an event, even of one that retention has dropped; empty where there is none."""
    hot = Event.objects.in_stream(stream).at([version]).values_list("hash", flat=True).first()
    if hot is not None:
        return bytes(hot)
    segment = Segment.objects.of_stream(stream).overlapping(version, version).defer("content").first()
    if segment is None:
        return b""
    index = version - segment.first_version
    return bytes(segment.hashes[index * HASH_BYTES : (index + 1) * HASH_BYTES])


def is_erased(stream: Stream, up_to: int) -> bool:
    """Whether all events of a stream up to this version are blanked or dropped."""
    if Event.objects.in_stream(stream).up_to(up_to).filter(erased_at=None).exists():
        return False
    reaching = _opened(Segment.objects.of_stream(stream).overlapping(1, up_to))
    return all(event.is_erased for segment in reaching for event in segments.unpack(segment, last=up_to))


def counted_by_agent(event_type: str, since: datetime) -> Counter[str]:
    """How many events of this type were recorded at or after a moment, by the agent whose stream they are in."""
    hot = Event.objects.recorded_since(since).of_types([event_type])
    agents = {
        (stream_id, version): agent
        for stream_id, version, agent in hot.values_list("stream_id", "version", "stream__agent_id")
    }
    for segment in _opened(Segment.objects.recorded_since(since).holding([event_type]).select_related("stream")):
        agents |= {
            (segment.stream_id, event.version): segment.stream.agent_id
            for event in segments.unpack(segment)
            if event.type == event_type and event.recorded_at >= since
        }
    return Counter(agents.values())


def count_since(moment: datetime) -> int:
    """How many of the tenant's events were recorded at or after a moment."""
    hot = Event.objects.recorded_since(moment).count()
    recent = Segment.objects.recorded_since(moment)
    whole = recent.filter(first_at__gte=moment).aggregate(
        events=Sum(F("last_version") - F("first_version") + 1, default=0)
    )
    partly = sum(
        event.recorded_at >= moment
        for segment in _opened(recent.filter(first_at__lt=moment))
        for event in segments.unpack(segment)
    )
    return hot + int(whole["events"]) + partly


def find(event_ids: Collection[str]) -> dict[str, Event]:
    """The events of the tenant that have these ids, by id; those that retention has dropped are left out."""
    return _find(event_ids)[0]


def named(event_id: str) -> Event:
    """The event of the tenant that has this id.

    Raises:
        NotFound: there is none.
        Gone: retention has dropped it.
    """
    found, dropped_ids = _find([event_id]) if is_identifier(event_id) else ({}, set())
    if dropped_ids:
        holding = [segment_id for _, segment_id in sql.run("archived_ids", {"hashes": [segments.id_hash(event_id)]})]
        segment = Segment.objects.dropped().select_related("stream").filter(pk__in=holding).first()
        if segment is not None and segment.dropped_at:
            raise dropped(segment.stream) or Gone(segment.stream.name, segment.last_version + 1, segment.dropped_at)
    if event_id not in found:
        raise NotFound(unknown(event_id))
    return found[event_id]


def unknown(event_id: str) -> str:
    """What is said of an event that is not there."""
    return f"There is no event {event_id[:IDENTIFIER_MAX_LENGTH]!r}."


def recorded(event_ids: Collection[str]) -> dict[str, Event]:
    """The events of the tenant that have these ids, by id: what is not among them was never recorded.

    Raises:
        EventIdTaken: one was recorded and retention has dropped it since, so nobody can tell whether it is the same.
    """
    found, dropped = _find(event_ids)
    if dropped:
        name = min(dropped)
        raise EventIdTaken(f"Event {name} was recorded, and retention has dropped it. Nothing was written.", id=name)
    return found


def letters(stream: Stream, after: int = 0) -> str:
    """The flight strip behind a version: a letter an event, upper case for errors; dropped events keep theirs."""
    hot = sql.run("strip_letters", {"stream_id": stream.pk, "after": after})
    line = "".join(
        facts.family(event_type).upper() if is_error else facts.family(event_type) for _, event_type, is_error in hot
    )
    behind = hot[0][0] if hot else stream.version + 1
    if after + 1 >= behind:
        return line
    cold = Segment.objects.of_stream(stream).overlapping(after + 1, behind - 1)
    parts = [
        part[max(after + 1 - first, 0) : behind - first] for first, part in cold.values_list("first_version", "letters")
    ]
    return "".join(parts) + line


def archived(stream: Stream) -> int:
    """How many of a stream's events are not in their table any more."""
    newest = Segment.objects.of_stream(stream).values_list("last_version", flat=True).last()
    return newest or 0


def dropped(stream: Stream) -> Gone | None:
    """What retention has dropped of a stream; None for nothing."""
    newest = Segment.objects.of_stream(stream).dropped().values_list("last_version", "dropped_at").last()
    if newest is None or newest[1] is None:
        return None
    return Gone(stream.name, newest[0] + 1, newest[1])


def cold_in_order(after: Place, end: Place, limit: int) -> list[Event]:
    """The next `limit` cold events behind one place in the order of the cursor and up to another, each with its stream.

    What retention has dropped is passed over.
    """
    found: list[Event] = []
    reaching = Segment.objects.kept().reaching(after, end)
    for segment in _opened(reaching):
        begins = (segment.first_transaction_id, segment.first_position)
        if len(found) == limit and place(found[-1]) < begins:
            break
        for event in segments.unpack(segment):
            if after < place(event) <= end:
                event.stream = segment.stream
                found.append(event)
        found = sorted(found, key=place)[:limit]
    return found


def place(event: Event) -> Place:
    """An event's place in the order of the cursor."""
    return event.transaction_id, event.position


def _part(stream: Stream, first: int, last: int) -> list[Event]:
    """The next events from `first` on: some of the table, or those of the segment that they begin in."""
    hot = list(Event.objects.in_stream(stream).after(first - 1).up_to(min(last, first + CHUNK - 1)))
    if hot and hot[0].version == first:
        return hot
    segment = Segment.objects.of_stream(stream).overlapping(first, first).first()
    if segment is None:
        return hot
    if segment.dropped_at:
        raise dropped(stream) or Gone(stream.name, segment.last_version + 1, segment.dropped_at)
    return segments.unpack(segment, first, last)


def _opened(reaching: SegmentQuerySet) -> Iterator[Segment]:
    """The segments, one in memory at a time; what retention has dropped is passed over."""
    for pk in list(reaching.values_list("pk", flat=True)):
        segment = Segment.objects.kept().select_related("stream").filter(pk=pk).first()
        if segment is not None:
            yield segment


def _cold(stream: Stream, first: int, last: int) -> list[Event]:
    found = list(Segment.objects.of_stream(stream).overlapping(first, last))
    if any(segment.dropped_at for segment in found):
        gone = dropped(stream)
        if gone:
            raise gone
    return [event for segment in found for event in segments.unpack(segment, first, last)]


def _find(event_ids: Collection[str]) -> tuple[dict[str, Event], set[str]]:
    """The events by id, and the ids that only segments hold whose content was dropped."""
    found = {event.event_id: event for event in Event.objects.filter(event_id__in=event_ids)}
    missing = {segments.id_hash(name): name for name in event_ids if name not in found}
    archived = sql.run("archived_ids", {"hashes": list(missing)}) if missing else []
    if not archived:
        return found, set()
    dropped_hashes: set[int] = set()
    # One at a time: the ids of a batch may come from as many segments.
    for segment in Segment.objects.filter(pk__in={segment_id for _, segment_id in archived}).iterator(chunk_size=1):
        hashes = {id_hash for id_hash, segment_id in archived if segment_id == segment.pk}
        if segment.dropped_at:
            dropped_hashes |= hashes
        else:
            found |= {event.event_id: event for event in segments.find(segment, {missing[each] for each in hashes})}
    return found, {missing[each] for each in dropped_hashes} - found.keys()

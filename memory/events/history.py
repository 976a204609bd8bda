"""The events of a stream and of a tenant, wherever they are: in their table (hot) or in segments (cold).

Compaction may move events while somebody reads, and each statement sees what is committed when it begins. So the table
is read first and the segments after it: what was moved in between could come twice, which shows, but is never missed.
As only the oldest events of a stream are ever moved, segments are asked only for what lies before the first one in the
table.

Everything here needs a tenant's scope.
"""

from collections.abc import Collection

from memory import sql
from memory.errors import EventIdTaken, Gone
from memory.events import facts, segments
from memory.models.event import Event
from memory.models.segment import Segment
from memory.models.stream import Stream

Place = tuple[int, int]


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


def find(event_ids: Collection[str]) -> dict[str, Event]:
    """The events of the tenant that have these ids, by id; those that retention has dropped are left out."""
    return _find(event_ids)[0]


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
    newest = Segment.objects.of_stream(stream).dropped().last()
    if newest is None or newest.dropped_at is None:
        return None
    return Gone(stream.name, newest.last_version + 1, newest.dropped_at)


def cold_in_order(after: Place, end: Place, limit: int) -> list[Event]:
    """The next `limit` cold events behind one place in the order of the cursor and up to another, each with its stream.

    What retention has dropped is passed over.
    """
    found: list[Event] = []
    reaching = Segment.objects.kept().reaching(after, end)
    for pk, *begins in reaching.values_list("pk", "first_transaction_id", "first_position"):
        if len(found) == limit and place(found[-1]) < tuple(begins):
            break
        segment = Segment.objects.kept().select_related("stream").filter(pk=pk).first()
        if segment is None:
            continue  # dropped just now
        for event in segments.unpack(segment):
            if after < place(event) <= end:
                event.stream = segment.stream
                found.append(event)
        found = sorted(found, key=place)[:limit]
    return found


def place(event: Event) -> Place:
    """An event's place in the order of the cursor."""
    return event.transaction_id, event.position


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
    for segment in Segment.objects.filter(pk__in={segment_id for _, segment_id in archived}):
        hashes = {id_hash for id_hash, segment_id in archived if segment_id == segment.pk}
        if segment.dropped_at:
            dropped_hashes |= hashes
        else:
            found |= {event.event_id: event for event in segments.find(segment, {missing[each] for each in hashes})}
    return found, {missing[each] for each in dropped_hashes} - found.keys()

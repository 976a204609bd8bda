"""What is recorded of a stream, part by part from its first event on, for who doubts it. Needs a tenant's scope.

Unlike `memory.events.history`, this stops at nothing: of a segment that cannot be read, or that retention has dropped,
it gives the hashes that are left. Segments are made meanwhile as well: an event that is missing in the table is looked
for among them before it counts as missing.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from memory import sql
from memory.errors import Damaged
from memory.events import segments
from memory.events.walk import Fault, Finding, Stretch
from memory.models.event import Event
from memory.models.segment import Segment
from memory.models.stream import Stream

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

    @classmethod
    def of(cls, event: Event) -> "Row":
        """The row of an event that was read in another way."""
        return cls(
            event.version, event.event_id, event.type, event.payload_json, event.metadata_json, event.occurred_at,
            event.recorded_at, event.causation_id, event.correlation_id, event.is_error, bytes(event.digest),
            bytes(event.hash), event.is_erased,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Part:
    """Consecutive events, at least one: their rows, or the stretch of them of which only hashes are left.

    `last` is the last one's version. `findings` are what is wrong with how they are kept.
    """

    last: int
    rows: list[Row] = field(default_factory=list)
    stretch: Stretch | None = None
    findings: list[Finding] = field(default_factory=list)


def parts(stream: Stream, last: int) -> Iterator[Part]:
    """The stream up to a version, within the bounds on what is in memory at once, but for segments: a whole one."""
    after = 0
    while after < last:
        part = _archived(stream, after) or _hot(stream, after, last)
        if part is None:
            return
        yield part
        after = part.last


def _hot(stream: Stream, after: int, last: int) -> Part | None:
    bounds = {"after": after, "last": last, "most": MOST_ROWS, "most_bytes": MOST_BYTES}
    found = sql.run("recorded_events", {"stream_id": stream.pk, **bounds}, binary=True)
    if not found or found[0][0] > after + 1:
        segment = Segment.objects.of_stream(stream).overlapping(after + 1, found[0][0] - 1 if found else last).first()
        if segment is not None:  # made just now, or one before it is missing
            return _of_segment(segment, after)
    return Part(found[-1][0], [Row._make(row) for row in found]) if found else None


def _archived(stream: Stream, after: int) -> Part | None:
    """The segment that the next event is in."""
    segment = Segment.objects.of_stream(stream).overlapping(after + 1, after + 1).first()
    return _of_segment(segment, after) if segment else None


def _of_segment(segment: Segment, after: int) -> Part:
    doubled = _doubled(segment)
    if segment.dropped_at:
        return Part(segment.last_version, stretch=_stretch(segment), findings=doubled)
    try:
        rows = [Row.of(event) for event in segments.unpack(segment)]
    except Damaged:
        first, last = segment.first_version, segment.last_version
        unreadable = Finding(first, Fault.SEGMENT, f"The segment of events {first} to {last} cannot be read.")
        return Part(last, stretch=_stretch(segment), findings=[unreadable, *doubled])
    findings = [*_untrue(segment, rows), *doubled]
    return Part(segment.last_version, [row for row in rows if row.version > after], findings=findings)


def _stretch(segment: Segment) -> Stretch:
    return Stretch(segment.first_version, segment.last_version, bytes(segment.previous_hash), bytes(segment.hashes))


def _untrue(segment: Segment, rows: list[Row]) -> list[Finding]:
    """What a segment says of its events besides, if that is not so: whoever reads relies on it."""
    letters = "".join(segments.letter(row.type, row.is_error) for row in rows)
    if (segment.type_counts, segment.letters) == (Counter(row.type for row in rows), letters):
        return []
    first, last = segment.first_version, segment.last_version
    detail = f"The segment of events {first} to {last} says something else of their types than they do."
    return [Finding(first, Fault.SEGMENT, detail)]


def _doubled(segment: Segment) -> list[Finding]:
    """Events that are kept twice: archived, and in the table or in another segment as well."""
    first, last = segment.first_version, segment.last_version
    others = (
        Segment.objects.filter(stream=segment.stream_id).overlapping(first + 1, last).filter(first_version__gt=first)
    )
    hot = Event.objects.filter(stream=segment.stream_id).after(first - 1).up_to(last)
    archived = "It is archived, and in the table of events as well."
    return [
        *(Finding(version, Fault.DOUBLED, archived) for version in hot.values_list("version", flat=True)),
        *(Finding(other.first_version, Fault.DOUBLED, "Two segments hold it.") for other in others.defer("content")),
    ]

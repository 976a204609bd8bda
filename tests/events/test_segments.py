"""What goes into a segment comes out again."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.errors import Damaged
from memory.events import segments
from memory.events.canonical import canonical_json
from memory.events.compaction import COLUMNS
from memory.events.draft import content_digest
from memory.models import Event, Segment
from memory.vocabulary import IDENTIFIER_PATTERN
from tests.events.making import MAY, payloads, times, types

identifiers = st.from_regex(IDENTIFIER_PATTERN, fullmatch=True).filter(lambda text: len(text) <= 200)
numbers = st.integers(1, 2**63 - 1)


@st.composite
def stretches(draw: st.DrawFn) -> list[Event]:
    """Consecutive events of a stream, some of them erased."""
    first = draw(st.integers(1, 10**9))
    events = []
    for version in range(first, first + draw(st.integers(1, 6))):
        erased_at = draw(st.none() | times)
        payload, metadata = (
            "{}" if erased_at else canonical_json(draw(payloads), max_depth=100, where="it") for _ in range(2)
        )
        digest = draw(st.binary(min_size=32, max_size=32)) if erased_at else content_digest(payload, metadata)
        events.append(
            Event(
                tenant_id=3,
                stream_id=4,
                version=version,
                event_id=draw(identifiers),
                type=draw(types),
                payload_json=payload,
                metadata_json=metadata,
                occurred_at=draw(times),
                recorded_at=draw(times),
                causation_id=draw(st.just("") | identifiers),
                correlation_id=draw(st.just("") | identifiers),
                is_error=draw(st.booleans()),
                digest=digest,
                hash=draw(st.binary(min_size=32, max_size=32)),
                position=draw(numbers),
                transaction_id=draw(numbers),
                erased_at=erased_at,
            )
        )
    return events


def columns(event: Event) -> dict[str, Any]:
    return {name: getattr(event, name) for name in COLUMNS}


def segment(events: list[Event], content: bytes) -> Segment:
    return Segment(
        tenant_id=3,
        stream_id=4,
        first_version=events[0].version,
        last_version=events[-1].version,
        hashes=b"".join(event.hash for event in events),
        content=content,
        raw_bytes=segments.pack(events).raw_bytes,
        last_transaction_id=max(event.transaction_id for event in events),
    )


@given(stretches())
def test_events_come_out_as_they_went_in(events: list[Event]) -> None:
    packed = segments.pack(events)
    assert list(map(columns, segments.unpack(segment(events, packed.content)))) == list(map(columns, events))
    assert len(packed.letters) == len(events)


@given(stretches(), st.integers(-2, 8), st.integers(-2, 8))
def test_a_part_of_a_segment_is_the_same_part_of_its_events(events: list[Event], begin: int, end: int) -> None:
    first, last = events[0].version + begin, events[0].version + end
    found = segments.unpack(segment(events, segments.pack(events).content), first, last)
    assert [event.version for event in found] == [e.version for e in events if first <= e.version <= last]


@given(stretches())
def test_events_are_found_by_their_ids(events: list[Event]) -> None:
    held = segment(events, segments.pack(events).content)
    wanted = {events[-1].event_id, "of nobody"}
    expected = [event.version for event in events if event.event_id in wanted]
    assert [event.version for event in segments.find(held, wanted)] == expected


@given(stretches())
def test_blanked_events_keep_everything_but_their_content(events: list[Event]) -> None:
    before = list(map(columns, events))
    packed = segments.pack(segments.blanked(events, MAY))
    after = list(map(columns, segments.unpack(segment(events, packed.content))))
    for was, now in zip(before, after, strict=True):
        assert now == {**was, "payload_json": "{}", "metadata_json": "{}", "erased_at": was["erased_at"] or MAY}


def test_what_is_no_content_is_called_damaged() -> None:
    events = [
        Event(version=n, event_id=f"e{n}", type="a.b", payload_json="{}", metadata_json="{}", occurred_at=MAY,
              recorded_at=datetime.now(UTC), digest=b"", hash=bytes(32), position=n, transaction_id=n)
        for n in (1, 2)
    ]  # fmt: skip
    packed = segments.pack(events)
    for content in (b"", b"nothing", packed.content[:-3], segments.pack(events[:1]).content):
        with pytest.raises(Damaged, match="Segment"):
            segments.unpack(segment(events, content))


def test_a_segments_transaction_bounds_those_of_its_events() -> None:
    event = Event(version=1, event_id="e", type="a.b", payload_json="{}", metadata_json="{}", occurred_at=MAY,
                  recorded_at=MAY, digest=b"", hash=bytes(32), position=5, transaction_id=70)  # fmt: skip
    moved = segment([event], segments.pack([event]).content)
    moved.last_transaction_id = 0
    assert [(one.transaction_id, one.position) for one in segments.unpack(moved)] == [(0, 5)]

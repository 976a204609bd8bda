"""Events are read the same, whether they are in their table, in segments, or partly here and there."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import dashboard
import memory
from memory.errors import EventIdTaken
from memory.events import history, state, store
from memory.events.cursor import Cursor, read_all
from memory.flight import timeline
from memory.models import Event, Segment, Snapshot, Stream, Tenant
from memory.tenancy import tenant_scope
from tests.events.archiving import archive, recorded, small_segments, story
from tests.events.making import drafted
from tests.events.test_segments import columns
from tests.events.verifying import assert_verifies

LENGTH = 47
KEEPS = (0, 1, 7, 20, 46)


@pytest.fixture(autouse=True)
def _small(in_acme: Tenant) -> Iterator[None]:
    with small_segments():
        yield


@pytest.fixture(params=KEEPS, ids=lambda keep: f"{keep} hot")
def both(request: Any) -> tuple[Stream, list[Event]]:
    """A stream of which so many events are hot, and its events as they were when all were."""
    stream = recorded(LENGTH)
    before = list(Event.objects.in_stream(stream))
    archive(stream, request.param)
    assert Event.objects.count() == request.param
    return stream, before


def test_every_range_reads_as_before(both: tuple[Stream, list[Event]]) -> None:
    stream, before = both
    for first, last in ((1, LENGTH), (1, 10), (10, 11), (5, 33), (26, 29), (40, 99), (47, 47), (48, 60), (0, 3)):
        expected = [columns(event) for event in before if first <= event.version <= last]
        assert [columns(event) for event in history.read(stream, first, last)] == expected
        backward = [event.version for event in history.read_back(stream, last, last - first + 1)]
        assert backward == [each["version"] for each in expected[::-1] if each["version"] >= max(first, 1)]


def test_events_are_found_by_id(both: tuple[Stream, list[Event]]) -> None:
    _, before = both
    names = ["e1", "e10", "e11", "e30", "e47", "of nobody"]
    found = history.find(names)
    assert {name: columns(event) for name, event in found.items()} == {
        event.event_id: columns(event) for event in before if event.event_id in names
    }
    assert history.find([]) == {}


def test_the_strip_and_its_errors_read_as_before(both: tuple[Stream, list[Event]]) -> None:
    stream, _ = both
    families, errors = timeline.letters(stream)
    assert families == ("ootlm" * 10)[:LENGTH]
    assert errors == list(range(2, LENGTH + 1, 5))
    for after in (0, 5, 10, 26, 46, 47):
        assert timeline.letters(stream, after) == (families[after:], [at for at in errors if at > after])


def test_timeline_and_state_are_as_before() -> None:
    stream = recorded(LENGTH)
    rows = timeline.window(stream, 1, LENGTH)
    states = [state.state_at(stream, version) for version in range(LENGTH + 1)]
    for keep in reversed(KEEPS):
        archive(stream, keep)
        Snapshot.objects.all().delete()
        assert timeline.window(stream, 1, LENGTH) == rows
        assert timeline.window(stream, 8, 22) == rows[7:22]
        assert [state.state_at(stream, version) for version in range(LENGTH + 1)] == states


def test_the_chain_verifies_across_hot_and_cold(both: tuple[Stream, list[Event]]) -> None:
    stream, before = both
    assert_verifies(stream)
    previous = None
    for segment in Segment.objects.of_stream(stream):
        events = [event for event in before if segment.first_version <= event.version <= segment.last_version]
        assert bytes(segment.hashes) == b"".join(bytes(event.hash) for event in events)
        assert previous in (None, bytes(segment.previous_hash))
        assert sum(segment.type_counts.values()) == len(events)
        assert (segment.first_at, segment.last_at) == (events[0].recorded_at, events[-1].recorded_at)
        previous = bytes(segment.hashes[-32:])


def test_a_retry_of_archived_events_returns_them_and_writes_nothing(both: tuple[Stream, list[Event]]) -> None:
    _, before = both
    again = store.append("run", story(LENGTH))
    assert (again.version, again.new) == (LENGTH, 0)
    assert [columns(event) for event in again.events] == [columns(event) for event in before]
    more = store.append("run", [*story(LENGTH)[-3:], drafted(event_id="new")], expected_version=LENGTH)
    assert (more.version, more.new) == (LENGTH + 1, 1)


def test_an_archived_id_is_taken_for_other_content_and_other_streams(both: tuple[Stream, list[Event]]) -> None:
    for name, content in (("run", "other"), ("elsewhere", "text 1")):
        with pytest.raises(EventIdTaken):
            store.append(name, [drafted("tool.call", "e1", content=content)])
    assert Stream.objects.get(name="run").version == LENGTH


def test_another_tenant_sees_none_of_it_and_may_use_the_ids(both: tuple[Stream, list[Event]], globex: Tenant) -> None:
    stream, _ = both
    with tenant_scope(globex.pk):
        assert history.read(stream, 1, LENGTH) == []
        assert history.find(["e1"]) == {}
        assert history.letters(stream) == ""
        assert store.append("run", story(3)).new == 3


def follow(limit: int) -> list[tuple[str, int]]:
    """Everything from the beginning, so many events a page."""
    place, seen = Cursor(), []
    while page := read_all(place, limit):
        assert len(page) <= limit
        place = Cursor.behind(page[-1])
        seen += [(event.stream.name, event.version) for event in page]
    return seen


def test_events_within_an_unfinished_transaction_do_not_show_in_the_order_of_all_because_they_are_archived() -> None:
    archive(recorded(15), 0)
    assert follow(5) == []


# Who moves events, looks at them for faults, and searches them for text, which passes archived ones over.
AT_THE_TABLE = {"events/history.py", "events/cursor.py", "events/compaction.py", "events/record.py", "models/stream.py"}


def test_nobody_else_asks_the_table_what_is_recorded() -> None:
    packages = (Path(memory.__file__).parent, Path(dashboard.__file__).parent)
    asking = {
        str(path.relative_to(package))
        for package in packages
        for path in package.rglob("*.py")
        if "Event.objects" in path.read_text()
    }
    assert asking == AT_THE_TABLE

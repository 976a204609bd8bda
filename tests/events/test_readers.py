"""For any stream, compacted anywhere, every reader gives what it gave when all events were in their table."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as settings_of_hypothesis
from hypothesis import strategies as st

from memory import recovery, sql
from memory.deadline import within
from memory.events import compaction, export, history, state, store, verification
from memory.events.cursor import MOST, Cursor, read_all
from memory.events.draft import Draft
from memory.events.rebuild import rebuild
from memory.flight import agents, crash, timeline
from memory.flight.fixture import fixture
from memory.models import Event, Segment, Snapshot, Stream, Tenant
from memory.vocabulary import EventType, new_id
from tests.api.conftest import ApiClient
from tests.events import making
from tests.events.archiving import small_segments
from tests.events.making import drafted
from tests.events.test_segments import columns

MOST_EVENTS = 45
TYPES = ("message.added", "tool.call", "tool.result", "agent.crashed", "agent.restored", "task.created", "acme.seen")
PATHS = ("events?limit=7", "events?direction=backward&limit=9", "events?from_version=13&limit=30", "state")


@pytest.fixture(autouse=True)
def _small(in_acme: Tenant, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Small segments; and the feed takes what this test's transaction has written for settled."""
    run = sql.run

    def settled(name: str, *args: Any, **kwargs: Any) -> Any:
        return [(MOST,)] if name == "settled_before" else run(name, *args, **kwargs)

    monkeypatch.setattr(sql, "run", settled)
    with small_segments():
        yield


@st.composite
def runs(draw: st.DrawFn) -> tuple[list[Draft], list[int]]:
    """A run's events, and how many stay in their table: fewer each time."""
    kinds = st.tuples(st.sampled_from(TYPES), making.payloads, st.sampled_from(["a", "b", "c"]))
    drawn = draw(st.lists(kinds, min_size=1, max_size=MOST_EVENTS))
    drafts = [drafted(kind, **{"tool_call_id": call, **payload}) for kind, payload, call in drawn]
    keeps = draw(st.lists(st.integers(0, len(drafts)), min_size=1, max_size=3, unique=True))
    return drafts, sorted(keeps, reverse=True)


def feed(limit: int) -> list[tuple[int, dict[str, Any]]]:
    place, seen = Cursor(), []
    while page := read_all(place, limit):
        place = Cursor.behind(page[-1])
        seen += [(event.stream.version, columns(event)) for event in page]
    return seen


def found(events: list[Event]) -> list[dict[str, Any]]:
    return [columns(event) for event in events]


def everything(stream: Stream, api: ApiClient) -> dict[str, Any]:
    """What every reader says of a stream, by its name."""
    Snapshot.objects.filter(stream=stream).delete()
    versions = range(stream.version + 1)
    states = [state.state_at(stream, version) for version in versions]
    with within(60) as deadline:
        Snapshot.objects.filter(stream=stream).delete()
        rebuilt = rebuild(stream, deadline)
    verified = verification.verify(stream)
    told = crash.story(stream, datetime.now(UTC))
    return {
        "events": found(history.read(stream, 1, stream.version)),
        "walk": found(list(history.walk(stream, 1, stream.version))),
        "by type": [
            found(history.of_types(stream, [kind], limit, after=after, newest_first=backward))
            for kind in TYPES
            for limit in (1, 4, 100)
            for after in (0, 12)
            for backward in (False, True)
        ],
        "errors": found(history.of_types(stream, TYPES, 5, up_to=30, is_error=True, newest_first=True)),
        "some": found(history.at(stream, [1, 2, 11, stream.version, stream.version + 1])),
        "hashes": [history.hash_at(stream, version) for version in range(stream.version + 2)],
        "found": {name: columns(event) for name, event in history.find(ids(stream)).items()},
        "strip": timeline.letters(stream),
        "rows": timeline.window(stream, 1, stream.version),
        "some rows": timeline.window(stream, 8, 22),
        "states": states,
        "rebuilt": (rebuilt.state, rebuilt.version, rebuilt.head_hash, rebuilt.broken_at),
        "said": list(recovery._said_in_stream(stream, 500)),
        "verified": (verified.version, verified.faults, bytes(verified.clean_hash)),
        "fixtures": [fixture(stream, version) for version in versions],
        "exported": list(export.lines(stream)),
        "story": told and (told.told.version, told.told.before, told.restored_version, told.before, told.restored),
        "good": told and told.last_good and columns(told.last_good),
        "breaks": [(one.version, [event.version for event in one.recoveries]) for one in crash._breaks(stream)],
        "restarts": agents.restarts_since(datetime(2020, 1, 1, tzinfo=UTC)),
        "recent": history.count_since(datetime(2020, 1, 1, tzinfo=UTC)),
        "api": [api.get(f"/streams/{stream.name}/{path}").content for path in PATHS],
        "feed": [feed(limit) for limit in (7, 100)],
    }


def ids(stream: Stream) -> list[str]:
    return [event.event_id for event in history.read(stream, 1, stream.version)]


@settings_of_hypothesis(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(runs())
def test_every_reader_gives_the_same_wherever_the_events_are(acme_key: str, run: tuple[list[Draft], list[int]]) -> None:
    drafts, keeps = run
    api = ApiClient(acme_key)
    name, other = new_id("run-"), new_id("run-")
    half = len(drafts) // 2
    store.append(name, drafts[:half] or drafts)
    store.append(other, [drafted() for _ in range(13)])
    if half:
        store.append(name, drafts[half:])
    stream = Stream.objects.named(name)
    before = everything(stream, api)
    compaction.move_oldest(Stream.objects.named(other), keep=0)
    for keep in keeps:
        while compaction.move_oldest(stream, keep):
            pass
        assert Event.objects.in_stream(stream).count() == keep
        after = everything(stream, api)
        for reader, said in before.items():
            assert after[reader] == said, f"{reader}, with {keep} events in their table"


LARGE: dict[str, Callable[[str], dict[str, Any]]] = {
    "a long text": lambda text: {"content": text},
    "parts": lambda text: {"content": [{"type": "text", "text": text}], "role": "user"},
    "an object": lambda text: {"arguments": {"b": text, "a": [1, 2.50]}, "name": "tool"},
    "an error": lambda text: {"error": {"message": text, "type": "x"}},
    "calls": lambda text: {"content": None, "tool_calls": [{"function": {"name": "df", "arguments": text}}]},
}


@pytest.mark.parametrize("kind", LARGE)
def test_the_row_of_a_large_payload_is_the_same_after_it_is_archived(kind: str) -> None:
    payload = LARGE[kind]('größe\n" ' * (timeline.WHOLE_PAYLOAD // 5))
    store.append("run", [drafted(event_type, **payload) for event_type in ("message.added", "tool.result")])
    stream = Stream.objects.named("run")
    before = timeline.window(stream, 1, 2)
    assert compaction.move_oldest(stream, keep=0)
    assert timeline.window(stream, 1, 2) == before


def test_a_segment_holds_no_more_than_fits_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "MOST_BYTES", 1000)
    store.append("run", [drafted(EventType.TOOL_RESULT, content="x" * size) for size in (300, 300, 5000, 10, 10, 10)])
    stream = Stream.objects.named("run")
    while compaction.move_oldest(stream, keep=0):
        pass
    bounds = Segment.objects.of_stream(stream).values_list("first_version", "last_version")
    assert list(bounds) == [(1, 2), (3, 3), (4, 6)]
    assert [event.version for event in history.walk(stream, 1, 6)] == [1, 2, 3, 4, 5, 6]

"""The state after any event: from a snapshot or from the beginning, it is the same."""

from collections.abc import Iterable, Iterator

import pytest
from django.conf import settings
from django.test import override_settings
from hypothesis import HealthCheck, given
from hypothesis import settings as settings_of_hypothesis

from memory.errors import NotFound
from memory.events import erasure, state, store
from memory.events.draft import Draft
from memory.events.reducer import REDUCER_VERSION, State, initial_state, replay
from memory.models import Event, Snapshot, Stream, Tenant
from memory.vocabulary import new_id
from tests.events import making
from tests.events.making import drafted

EVERY = 10


@pytest.fixture(autouse=True)
def _often(in_acme: Tenant) -> Iterator[None]:
    with override_settings(ARES={**settings.ARES, "ARES_SNAPSHOT_EVERY": EVERY}):
        yield


def story(length: int) -> list[Draft]:
    """Events of several types whose order matters to the state."""
    kinds = [
        lambda n: drafted("message.added", role="user", content=f"message {n}"),
        lambda n: drafted("tool.call", tool_call_id=f"c{n}", name="t"),
        lambda n: drafted("tool.result", tool_call_id=f"c{n - 1}", content=n, error="late" if n % 4 else None),
        lambda n: drafted("task.created", task_id=f"t{n}", input=n),
        lambda n: drafted("task.completed", task_id=f"t{n - 1}"),
        lambda n: drafted("step.started", step=n),
        lambda n: drafted("llm.response", usage={"input_tokens": n, "output_tokens": 1}),
    ]
    return [kinds[n % len(kinds)](n) for n in range(length)]


def recorded(length: int, name: str = "run") -> Stream:
    store.append(name, story(length))
    return Stream.objects.named(name)


def from_the_beginning(stream: Stream, version: int) -> State:
    return replay(initial_state(), Event.objects.in_stream(stream).up_to(version))


def versions(reducer_version: int = REDUCER_VERSION) -> list[int]:
    return list(
        Snapshot.objects.filter(reducer_version=reducer_version).order_by("version").values_list("version", flat=True)
    )


def test_with_snapshots_or_without_the_state_is_the_same_at_every_cut() -> None:
    stream = recorded(37)
    without = [from_the_beginning(stream, version) for version in range(38)]
    assert [state.state_at(stream, version) for version in range(38)] == without
    assert versions() == [10, 20, 30]
    assert [state.state_at(stream, version) for version in reversed(range(38))] == without[::-1]


def test_the_newest_state_takes_the_snapshots_on_the_way_and_no_others() -> None:
    stream = recorded(25)
    state.state_at(stream, 9)
    assert versions() == []
    state.state_at(stream, 25)
    assert versions() == [10, 20]
    store.append("run", story(15))
    stream.refresh_from_db()
    assert state.state_at(stream, 40) == from_the_beginning(stream, 40)
    assert versions() == [10, 20, 30, 40]


def test_a_snapshot_holds_the_hash_of_the_event_it_was_taken_after() -> None:
    stream = recorded(12)
    state.state_at(stream, 12)
    assert bytes(Snapshot.objects.get().stream_hash) == bytes(Event.objects.get(stream=stream, version=10).hash)


def test_only_the_events_behind_the_nearest_snapshot_are_read() -> None:
    stream = recorded(40)
    state.state_at(stream, 40)
    Snapshot.objects.filter(version=30).update(state={**state.state_at(stream, 30), "session": "of the snapshot"})
    assert [state.state_at(stream, version)["session"] for version in (29, 30, 31)] == [None, *["of the snapshot"] * 2]


def test_snapshots_of_another_reducer_are_ignored_and_taken_anew() -> None:
    stream = recorded(25)
    for version in (10, 20):
        Snapshot.objects.create(
            tenant=stream.tenant,
            stream=stream,
            version=version,
            reducer_version=REDUCER_VERSION + 1,
            stream_hash=b"",
            state={"wrong": True},
        )
    assert state.state_at(stream, 25) == from_the_beginning(stream, 25)
    assert versions() == [10, 20]


def test_streams_lack_snapshots_when_another_reducer_took_them() -> None:
    stream = recorded(25)
    lacking = Stream.objects.lacking_snapshot(EVERY, REDUCER_VERSION)
    assert list(lacking.all()) == [stream]
    assert state.take_snapshots(stream) == 2
    assert list(lacking.all()) == []
    Snapshot.objects.update(reducer_version=REDUCER_VERSION - 1)
    assert list(lacking.all()) == [stream]


def test_snapshots_can_be_thrown_away_at_any_time() -> None:
    stream = recorded(25)
    before = state.state_at(stream, 25)
    Snapshot.objects.all().delete()
    assert state.state_at(stream, 25) == before


def test_another_distance_between_snapshots_goes_on_from_those_that_are_there() -> None:
    stream = recorded(40)
    state.state_at(stream, 25)
    with override_settings(ARES={**settings.ARES, "ARES_SNAPSHOT_EVERY": 15}):
        assert state.state_at(stream, 40) == from_the_beginning(stream, 40)
    assert versions() == [10, 20, 30]


@pytest.mark.parametrize("version", [-1, 13, 2**63])
def test_a_version_that_the_stream_has_not_come_to_is_not_found(version: int) -> None:
    with pytest.raises(NotFound, match="versions 0 to 12"):
        state.state_at(recorded(12), version)


def test_version_0_is_the_state_before_the_first_event() -> None:
    assert state.state_at(recorded(3), 0) == initial_state()


@settings_of_hypothesis(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(events=making.streams(most=25))
def test_for_any_stream_and_every_cut_a_snapshot_and_the_tail_give_the_state_of_all_events(
    events: list[making.Recorded],
) -> None:
    store.append(name := new_id("run-"), [drafted(event.type, **event.payload) for event in events] or [drafted()])
    stream = Stream.objects.named(name)
    whole = from_the_beginning(stream, stream.version)
    for cut in range(stream.version + 1):
        Snapshot.objects.filter(stream=stream).delete()
        kept = Event.objects.in_stream(stream).filter(version=cut).first()
        if kept:
            snapshot = {"reducer_version": REDUCER_VERSION, "state": from_the_beginning(stream, cut)}
            Snapshot.objects.create(tenant=stream.tenant, stream=stream, version=cut, stream_hash=kept.hash, **snapshot)
        assert state.state_at(stream, stream.version) == whole


def test_a_reducer_that_changed_ignores_old_snapshots_and_makes_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = recorded(25)
    state.state_at(stream, 25)

    def another(before: State, events: Iterable[Event]) -> State:
        return {**replay({**before}, events), "made_by": "another"}

    monkeypatch.setattr(state, "replay", another)
    assert "made_by" in state.state_at(stream, 25)  # the tail alone, on a snapshot of the old one
    monkeypatch.setattr(state, "REDUCER_VERSION", REDUCER_VERSION + 1)
    assert state.take_snapshots(stream) == 2
    made = Snapshot.objects.filter(reducer_version=REDUCER_VERSION + 1)
    assert [snapshot.state["made_by"] for snapshot in made] == ["another"] * 2
    assert versions() == versions(REDUCER_VERSION + 1) == [10, 20]
    Snapshot.objects.filter(reducer_version=REDUCER_VERSION).update(state={})
    assert state.state_at(stream, 20)["made_by"] == "another"


def test_an_erased_stream_has_states_without_its_content() -> None:
    stream = recorded(25)
    state.state_at(stream, 25)
    erasure.blank_stream(stream)
    assert "message 0" not in str([state.state_at(stream, version) for version in range(26)])
    assert state.state_at(stream, 25)["version"] == 25

"""The store: append to a stream, all or nothing."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import override_settings

from memory.errors import EventIdTaken, Invalid, TooLarge, WrongVersion
from memory.events import store
from memory.events.draft import draft
from memory.events.totals import Totals, add
from memory.models import Event, Stream, Tenant
from memory.tenancy import tenant_scope
from tests.events.making import LIMITS, drafted
from tests.events.verifying import assert_verifies

pytestmark = pytest.mark.usefixtures("in_acme")


def ids(name: str = "run") -> list[str]:
    return [event.event_id for event in Event.objects.in_stream(Stream.objects.named(name))]


def append(*names: str, stream: str = "run", expected_version: int | None = None) -> store.Appended:
    return store.append(stream, [drafted(event_id=name, n=name) for name in names], expected_version)


def test_the_first_append_makes_the_stream() -> None:
    done = append("a", "b")
    assert (done.version, done.new) == (2, 2)
    assert [(event.version, event.event_id) for event in done.events] == [(1, "a"), (2, "b")]
    assert Stream.objects.named("run").version == 2


def test_versions_are_contiguous_over_appends_and_positions_follow_them() -> None:
    for start in range(0, 30, 3):
        append(*(f"e{n}" for n in range(start, start + 3)))
    events = list(Event.objects.in_stream(Stream.objects.named("run")))
    assert [event.version for event in events] == list(range(1, 31))
    assert [event.position for event in events] == sorted(event.position for event in events)


def test_a_whole_batch_has_its_positions_in_its_order() -> None:
    done = append(*(f"e{n}" for n in range(1000)))
    positions = [event.position for event in done.events]
    assert positions == sorted(positions)
    assert [event.version for event in done.events] == list(range(1, 1001))


def test_what_is_read_back_is_what_append_answered() -> None:
    done = store.append("run", [draft({"type": "a.b", "payload": {"n": 2**70}, "metadata": {"m": "é"}, "causation_id": "c",
                                       "correlation_id": "d", "occurred_at": "2026-05-01T09:30:00Z"}, LIMITS)])  # fmt: skip
    read = Event.objects.get(event_id=done.events[0].event_id)
    for field in Event._meta.concrete_fields:
        answered, stored = getattr(done.events[0], field.attname), getattr(read, field.attname)
        assert answered == (bytes(stored) if isinstance(stored, memoryview) else stored), field.attname
    assert (read.payload, read.metadata) == ({"n": 2**70}, {"m": "é"})


def test_the_chain_follows_from_the_rows() -> None:
    append("a", "b")
    append("c")
    append("x", stream="other")
    for name in ("run", "other"):
        assert_verifies(Stream.objects.named(name))


def test_the_stream_keeps_the_totals_of_its_events() -> None:
    usage = {"usage": {"input_tokens": 5, "output_tokens": 2}}
    for event_type, payload in [
        ("task.created", {"input": "do it"}),
        ("llm.response", usage),
        ("task.failed", {"error": "no"}),
    ]:
        store.append("run", [draft({"type": event_type, "payload": payload}, LIMITS)])
    stream = Stream.objects.named("run")
    expected = add(Totals(), list(Event.objects.in_stream(stream)))
    assert {name: getattr(stream, name) for name in expected.__slots__} == {
        name: getattr(expected, name) for name in expected.__slots__
    }
    assert (stream.outcome, stream.error_count, stream.title, stream.input_tokens) == ("failed", 1, "do it", 5)


@pytest.mark.parametrize("expected", [1, 3, 2**62])
def test_append_refuses_a_stale_version_and_tells_the_actual_one(expected: int) -> None:
    append("a", "b")
    with pytest.raises(WrongVersion) as caught:
        append("c", expected_version=expected)
    assert caught.value.extra == {"stream": "run", "expected_version": expected, "actual_version": 2}
    assert ids() == ["a", "b"]


def test_append_takes_the_right_version() -> None:
    append("a", expected_version=0)
    assert append("b", expected_version=1).version == 2


def test_a_stream_that_must_be_new_is_refused_when_it_is_not() -> None:
    append("a")
    with pytest.raises(WrongVersion):
        append("b", expected_version=0)


def test_a_version_of_a_stream_that_does_not_exist_is_refused_and_makes_none() -> None:
    with pytest.raises(WrongVersion) as caught:
        append("a", expected_version=7)
    assert caught.value.extra["actual_version"] == 0
    assert not Stream.objects.exists()


def test_the_same_batch_again_writes_nothing_and_answers_the_same() -> None:
    first = append("a", "b", expected_version=0)
    again = append("a", "b", expected_version=0)
    assert (again.version, again.new, ids()) == (2, 0, ["a", "b"])
    assert [(event.version, event.position, bytes(event.hash)) for event in again.events] == [
        (event.version, event.position, event.hash) for event in first.events
    ]


def test_a_batch_that_overlaps_writes_what_is_new_and_answers_in_the_order_asked_for() -> None:
    append("a", "b", "c")
    done = append("x", "b", "y", "a")
    assert (done.version, done.new) == (5, 2)
    assert [(event.event_id, event.version) for event in done.events] == [("x", 4), ("b", 2), ("y", 5), ("a", 1)]
    assert ids() == ["a", "b", "c", "x", "y"]
    assert_verifies(Stream.objects.named("run"))


def test_a_batch_that_overlaps_at_a_stale_version_writes_nothing() -> None:
    append("a")
    with pytest.raises(WrongVersion):
        append("a", "b", expected_version=0)
    assert ids() == ["a"]


def test_an_id_that_the_server_made_is_never_taken_for_a_retry() -> None:
    made = drafted()
    assert store.append("run", [made]).new == 1
    assert store.append("run", [drafted(), drafted()]).new == 2


SENT: dict[str, Any] = {"id": "a", "type": "a.b", "payload": {"n": 1}, "metadata": {"m": 1}, "causation_id": "c",
                        "correlation_id": "d", "occurred_at": "2026-05-01T09:30:00Z"}  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [{"type": "a.c"}, {"payload": {"n": 2}}, {"payload": {"n": 1.0}}, {"payload": {"n": True}}, {"metadata": {}},
     {"causation_id": "x"}, {"causation_id": None}, {"correlation_id": "x"}, {"occurred_at": "2026-05-01T09:30:01Z"}],
)  # fmt: skip
def test_the_same_id_with_other_content_is_a_conflict_that_writes_nothing(change: dict[str, Any]) -> None:
    store.append("run", [draft(SENT, LIMITS)])
    with pytest.raises(EventIdTaken):
        store.append("run", [drafted(event_id="new"), draft({**SENT, **change}, LIMITS)])
    assert ids() == ["a"]


@pytest.mark.parametrize("same", [{}, {"occurred_at": "2026-05-01T11:30:00+02:00"}, {"occurred_at": None}])
def test_the_same_id_with_the_same_content_is_a_retry(same: dict[str, Any]) -> None:
    store.append("run", [draft(SENT, LIMITS)])
    assert store.append("run", [draft({**SENT, **same}, LIMITS)]).new == 0


def test_an_id_of_another_stream_is_taken() -> None:
    append("a")
    with pytest.raises(EventIdTaken):
        append("a", stream="other")


def test_another_tenant_may_use_the_same_names_and_ids(globex: Tenant) -> None:
    append("a")
    with tenant_scope(globex.pk):
        assert append("a", expected_version=0).version == 1
    assert ids() == ["a"]


def test_an_id_twice_in_a_batch_is_refused() -> None:
    with pytest.raises(Invalid, match="same id twice"):
        append("a", "a")
    assert not Stream.objects.exists()


def test_a_batch_has_at_least_one_event_and_not_too_many() -> None:
    with pytest.raises(Invalid):
        store.append("run", [])
    with override_settings(ARES={"ARES_MAX_BATCH": 2}), pytest.raises(TooLarge):
        append("a", "b", "c")
    assert not Stream.objects.exists()


@pytest.mark.parametrize("name", ["run", "a", "A1._:@+~-z", "x" * 200])
def test_a_stream_name_needs_no_escaping_in_an_address(name: str) -> None:
    assert append("a", stream=name).version == 1


@pytest.mark.parametrize(
    "name", ["", " ", ".", "..", "-a", "a/b", "a b", "a?b", "a%b", "ä", "a\n", "a\0", "x" * 201, "\ud800"]
)
def test_anything_else_is_no_stream_name(name: str) -> None:
    with pytest.raises(Invalid):
        append("a", stream=name)


def test_the_clock_of_the_client_is_kept_and_not_trusted() -> None:
    ahead = store.append("run", [draft({"type": "a.b", "occurred_at": "2099-01-01T00:00:00Z"}, LIMITS)]).events[0]
    assert ahead.occurred_at == datetime(2099, 1, 1, tzinfo=UTC)
    assert abs((ahead.recorded_at - datetime.now(UTC)).total_seconds()) < 60
    behind = store.append("run", [draft({"type": "a.b", "occurred_at": "1970-01-01T00:00:00Z"}, LIMITS)]).events[0]
    assert (behind.version, behind.position > ahead.position) == (2, True)

"""Session memory: conversations, whose every change is an event of their stream."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.test import override_settings

from memory.errors import Invalid, NotFound, SessionExpired, TooLarge
from memory.layers import session
from memory.models import Event, Message, Session, Stream, Tenant
from memory.tenancy import tenant_scope
from tests import tables
from tests.events.making import drafted
from tests.events.verifying import assert_verifies

pytestmark = pytest.mark.usefixtures("in_acme")


def types(session_id: str) -> list[str]:
    return list(Event.objects.in_stream(Stream.objects.named(session_id)).values_list("type", flat=True))


def age(opened: Session, hours: float) -> None:
    """As if so many hours had passed."""
    Session.objects.filter(pk=opened.pk).update(expires_at=opened.expires_at - timedelta(hours=hours))


def test_a_session_opens_with_its_stream_and_event() -> None:
    opened = session.create("ann", "helper", {"n": 2**70})
    assert (opened.user_id, opened.agent_id, opened.metadata) == ("ann", "helper", {"n": 2**70})
    assert opened.expires_at - opened.created_at == timedelta(hours=24)
    event = Event.objects.get(stream_id=opened.stream_id)
    assert (event.type, event.version, event.recorded_at) == ("session.created", 1, opened.created_at)
    assert event.payload == {"session_id": opened.pk, "user_id": "ann", "agent_id": "helper", "metadata": {"n": 2**70}}
    assert Session.objects.with_id(opened.pk).metadata == {"n": 2**70}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([""], "user_id"), ([None], "user_id"), ([1], "user_id"), (["u" * 201], "user_id"), (["\0"], "user_id"), (["\ud800"], "user_id"),
        (["u", 1], "agent_id"), (["u", "a" * 201], "agent_id"), (["u", None, []], "metadata"), (["u", None, ""], "metadata"),
        (["u", None, False], "metadata"), (["u", None, "m"], "metadata"), (["u", None, {"a": "\0"}], "NUL"),
        (["u", None, {"a": float("inf")}], "infinity"),
    ],
)  # fmt: skip
def test_a_session_that_is_not_what_it_should_be_leaves_nothing(arguments: list[Any], says: str) -> None:
    before = tables.row_counts()
    with pytest.raises(Invalid, match=says):
        session.create(*arguments)
    assert tables.row_counts() == before


def test_messages_are_rows_and_events_at_once() -> None:
    opened = session.create("ann")
    calls = [{"id": "c1", "function": {"name": "search", "arguments": "{}"}}]
    said = session.add_messages(
        opened.pk,
        [
            {"role": "user", "content": "hi", "name": "Ann", "occurred_at": "2026-05-01T09:30:00Z"},
            {"role": "assistant", "content": None, "tool_calls": calls, "model": "m"},
            {"role": "tool", "content": [{"type": "text", "text": "found"}], "tool_call_id": "c1"},
            {"role": "wizard", "content": ""},
        ],
    )
    rows = list(Message.objects.in_session(opened))
    assert [row.pk for row in rows] == [row.pk for row in said]
    assert [(row.number, row.event_version, row.role) for row in rows] == [
        (1, 2, "user"), (2, 3, "assistant"), (3, 4, "tool"), (4, 5, "wizard"),
    ]  # fmt: skip
    assert (rows[0].content, rows[0].name, rows[0].occurred_at) == (
        "hi",
        "Ann",
        datetime(2026, 5, 1, 9, 30, tzinfo=UTC),
    )
    assert (rows[1].content, rows[1].tool_calls, rows[2].tool_call_id) == (None, calls, "c1")
    events = list(Event.objects.in_stream(Stream.objects.named(opened.pk)).after(1))
    assert [event.payload["message_id"] for event in events] == [row.pk for row in rows]
    assert events[1].payload["model"] == "m"
    assert "occurred_at" not in events[0].payload
    assert Session.objects.with_id(opened.pk).message_count == 4


def test_numbers_go_on_where_the_last_messages_ended() -> None:
    opened = session.create("ann")
    for n in range(3):
        session.add_messages(opened.pk, [{"role": "user", "content": f"{n}"}] * 2)
    assert [row.number for row in Message.objects.in_session(opened)] == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (None, "must be an object"), ("hi", "must be an object"), ({}, "role"), ({"role": "", "content": "x"}, "role"),
        ({"role": 1, "content": "x"}, "role"), ({"role": "r" * 51, "content": "x"}, "role"), ({"role": "user"}, "content or tool_calls"),
        ({"role": "user", "content": {}}, "content"), ({"role": "user", "content": 1}, "content"),
        ({"role": "user", "content": "x", "tool_calls": {}}, "tool_calls"), ({"role": "user", "content": "x", "tool_calls": ["c"]}, "tool_calls"),
        ({"role": "user", "content": "x", "name": 1}, "name"), ({"role": "user", "content": "x", "tool_call_id": "c" * 201}, "tool_call_id"),
        ({"role": "user", "content": "x", "message_id": "m"}, "message_id"), ({"role": "user", "content": "x", "session_id": "s"}, "session_id"),
        ({"role": "user", "content": "x", "occurred_at": "2026-05-01T09:30:00"}, "zone"), ({"role": "user", "content": "\0"}, "NUL"),
    ],
)  # fmt: skip
def test_one_wrong_message_stops_them_all_and_is_named(wrong: Any, says: str) -> None:
    opened = session.create("ann")
    before = tables.row_counts()
    with pytest.raises(Invalid, match=says) as caught:
        session.add_messages(opened.pk, [{"role": "user", "content": "right"}, wrong])
    assert "messages[1]" in caught.value.detail
    assert tables.row_counts() == before


def test_there_is_at_least_one_message_and_not_too_many() -> None:
    opened = session.create("ann")
    with pytest.raises(Invalid):
        session.add_messages(opened.pk, [])
    with override_settings(ARES={**settings.ARES, "ARES_MAX_BATCH": 2}), pytest.raises(TooLarge):
        session.add_messages(opened.pk, [{"role": "user", "content": "x"}] * 3)


def test_a_message_prolongs_the_session() -> None:
    opened = session.create("ann")
    age(opened, hours=23)
    session.add_messages(opened.pk, [{"role": "user", "content": "still here"}])
    assert Session.objects.with_id(opened.pk).expires_at > datetime.now(UTC) + timedelta(hours=23)


def test_a_session_that_is_over_takes_no_messages_even_before_the_job_has_run() -> None:
    opened = session.create("ann")
    age(opened, hours=24)
    with pytest.raises(SessionExpired, match="can still be replayed"):
        session.add_messages(opened.pk, [{"role": "user", "content": "late"}])


@pytest.mark.parametrize("name", ["", "sess_0", "no such", "\0", "\ud800", "x" * 10**6, "sess_%", "é"])
def test_what_is_no_session_is_not_found(name: str) -> None:
    with pytest.raises(NotFound) as caught:
        session.add_messages(name, [{"role": "user", "content": "hi"}])
    assert len(caught.value.detail.encode()) < 300
    with pytest.raises(NotFound):
        session.erase(name)


def test_another_tenants_session_is_not_found(globex: Tenant) -> None:
    with tenant_scope(globex.pk):
        theirs = session.create("bob")
    with pytest.raises(NotFound):
        session.add_messages(theirs.pk, [{"role": "user", "content": "hi"}])
    with pytest.raises(NotFound):
        session.check_stream(theirs.pk, [])


def test_a_stream_with_a_sessions_name_belongs_to_a_session() -> None:
    session.check_stream("run-1", [])
    session.check_stream(session.create("ann").pk, [])
    with pytest.raises(NotFound):
        session.check_stream("sess_made_up", [])


def test_a_retry_is_no_second_message() -> None:
    opened = session.lock(session.create("ann").pk)
    said = drafted("message.added", "mine", message_id="msg_1", role="user", content="hi")
    assert [len(session.record(opened, [said]).messages) for _ in range(2)] == [1, 0]
    assert (Message.objects.count(), opened.message_count) == (1, 1)


class TestExpiry:
    """Messages go; the session's row and its stream stay."""

    def test_a_session_whose_time_is_over_expires(self) -> None:
        opened, other = session.create("ann"), session.create("bob")
        session.add_messages(opened.pk, [{"role": "user", "content": "hi"}] * 3)
        session.add_messages(other.pk, [{"role": "user", "content": "hi"}])
        now = datetime.now(UTC) + timedelta(hours=1)
        age(Session.objects.with_id(opened.pk), hours=23.5)
        assert len(session.expire_due(now)) == 1
        assert list(Message.objects.values_list("session_id", flat=True)) == [other.pk]
        assert Session.objects.with_id(opened.pk).expired_at == now
        stream = Stream.objects.named(opened.pk)
        newest = Event.objects.in_stream(stream).last()
        assert (newest.type, newest.payload) == (
            "session.expired",
            {"session_id": opened.pk, "messages": 3, "reason": "Its time was over."},
        )
        assert Event.objects.get(stream=stream, version=2).payload["content"] == "hi"
        assert_verifies(stream)

    def test_it_expires_once(self) -> None:
        opened = session.create("ann")
        later = datetime.now(UTC) + timedelta(hours=25)
        assert [len(session.expire_due(later)) for _ in range(2)] == [1, 0]
        assert types(opened.pk) == ["session.created", "session.expired"]

    def test_nothing_is_due_before_its_time(self) -> None:
        opened = session.create("ann")
        assert len(session.expire_due(opened.expires_at - timedelta(microseconds=1))) == 0
        assert len(session.expire_due(opened.expires_at)) == 1

    def test_the_longest_overdue_come_first_and_no_run_takes_too_many(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(session, "EXPIRY_BATCH", 2)
        opened = [session.create("ann") for _ in range(3)]
        for hours, one in enumerate(opened, start=25):
            age(one, hours)
        now = datetime.now(UTC)
        assert len(session.expire_due(now)) == 2
        assert Session.objects.get(expired_at=None) == opened[0]
        assert len(session.expire_due(now)) == 1

    def test_an_expired_session_keeps_no_message_that_comes_in_late(self) -> None:
        opened = session.create("ann")
        session.expire_due(opened.expires_at)
        late = session.record(
            session.lock(opened.pk), [drafted("message.added", message_id="m", role="user", content="late")]
        )
        assert (len(late.events), late.messages, Message.objects.count()) == (1, [], 0)

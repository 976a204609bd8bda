"""What a client may send as an event."""

import hashlib
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.errors import Invalid, TooLarge
from memory.events.draft import Limits, draft, event_type, identifier, instant, text
from tests.events.making import LIMITS, payloads, scalars, values


def test_a_type_is_all_that_an_event_needs() -> None:
    made = draft({"type": "tool.call"}, LIMITS)
    assert (made.type, made.payload, made.payload_json, made.metadata_json) == ("tool.call", {}, "{}", "{}")
    assert (made.occurred_at, made.causation_id, made.correlation_id) == (None, "", "")
    assert made.id.startswith("evt_")
    assert not made.given_id


def test_a_null_field_is_an_absent_one() -> None:
    nulls = dict.fromkeys(["id", "payload", "metadata", "occurred_at", "causation_id", "correlation_id"])
    made = draft({"type": "tool.call", **nulls}, LIMITS)
    assert made.digest == draft({"type": "tool.call"}, LIMITS).digest
    assert not made.given_id


def test_everything_that_a_client_gives_is_kept() -> None:
    made = draft(
        {
            "id": "mine",
            "type": "acme.order.placed",
            "payload": {"b": 2**70, "a": 1},
            "metadata": {"host": "x"},
            "occurred_at": "2026-05-01T11:30:00+02:00",
            "causation_id": "c",
            "correlation_id": "d",
        },
        LIMITS,
    )
    assert (made.id, made.given_id, made.type) == ("mine", True, "acme.order.placed")
    assert made.payload_json == f'{{"a":1,"b":{2**70}}}'
    assert made.metadata_json == '{"host":"x"}'
    assert made.occurred_at == datetime(2026, 5, 1, 9, 30, tzinfo=UTC)
    assert (made.causation_id, made.correlation_id) == ("c", "d")
    assert (
        made.digest == hashlib.sha256(f'{{"metadata":{{"host":"x"}},"payload":{made.payload_json}}}'.encode()).digest()
    )


def test_the_digest_tells_payload_from_metadata() -> None:
    one = draft({"type": "a.b", "payload": {"a": 1}}, LIMITS)
    other = draft({"type": "a.b", "metadata": {"a": 1}}, LIMITS)
    assert one.digest != other.digest


@pytest.mark.parametrize("raw", [None, 1, "a", [], True])
def test_an_event_must_be_an_object(raw: Any) -> None:
    with pytest.raises(Invalid, match=r"^events\[2\] must be an object"):
        draft(raw, LIMITS, "events[2]")


def test_unknown_fields_are_named_and_not_repeated_at_length() -> None:
    with pytest.raises(Invalid, match="'timestamp'"):
        draft({"type": "a.b", "timestamp": 1}, LIMITS)
    with pytest.raises(Invalid) as caught:
        draft({"type": "a.b", "x" * 10**6: 1, "\ud800": 1}, LIMITS)
    assert len(caught.value.detail.encode()) < 500


@pytest.mark.parametrize("field", ["payload", "metadata"])
@pytest.mark.parametrize("value", [[], "", "a", 0, 1.5, True, False])
def test_payload_and_metadata_must_be_objects(field: str, value: Any) -> None:
    with pytest.raises(Invalid, match=f"event.{field} must be an object"):
        draft({"type": "a.b", field: value}, LIMITS)


@pytest.mark.parametrize("field", ["payload", "metadata"])
def test_payload_and_metadata_are_measured_in_bytes(field: str) -> None:
    limits = Limits(payload_bytes=100, depth=10)
    draft({"type": "a.b", field: {"a": "x" * 92}}, limits)
    draft({"type": "a.b", field: {"a": "é" * 46}}, limits)
    for value in ("x" * 93, "é" * 47):
        with pytest.raises(TooLarge, match=f"event.{field} has more than 100 bytes"):
            draft({"type": "a.b", field: {"a": value}}, limits)


@pytest.mark.parametrize("given_type", ["tool.call", "a.b.c", "A1.b-c_d", "x." + "y" * 98])
def test_a_type_is_words_joined_by_dots(given_type: str) -> None:
    assert event_type(given_type, "type") == given_type


@pytest.mark.parametrize(
    "given_type",
    [None, 1, [], "", "tool", "tool.", ".call", "a..b", "tool call", "1.a", "a.b\n", "ä.b", "a.ß", "a.٣", "x." + "y" * 99, "a.\ud800"],
)  # fmt: skip
def test_anything_else_is_no_type(given_type: Any) -> None:
    with pytest.raises(Invalid, match="words joined by dots"):
        event_type(given_type, "type")


@pytest.mark.parametrize("given_id", ["a", "evt_1", "!~", "x" * 200])
def test_an_identifier_is_visible_ascii(given_id: str) -> None:
    assert identifier(given_id, "id") == given_id


@pytest.mark.parametrize("given_id", ["", " ", "a b", "a\n", "\0", "é", "x" * 201, 1, True, [], {}, "\ud800", "\x7f"])
def test_anything_else_is_no_identifier(given_id: Any) -> None:
    for field in ("id", "causation_id", "correlation_id"):
        with pytest.raises(Invalid, match=f"event.{field} must be 1 to 200 visible ASCII"):
            draft({"type": "a.b", field: given_id}, LIMITS)


@pytest.mark.parametrize(
    ("given_time", "utc"),
    [
        ("2026-05-01T09:30:00Z", datetime(2026, 5, 1, 9, 30, tzinfo=UTC)),
        ("2026-05-01 09:30:00.123456+00:00", datetime(2026, 5, 1, 9, 30, 0, 123456, tzinfo=UTC)),
        ("2026-05-01T00:00:00+05:45", datetime(2026, 4, 30, 18, 15, tzinfo=UTC)),
        ("9998-12-31T00:00:00Z", datetime(9998, 12, 31, tzinfo=UTC)),
    ],
)
def test_times_are_kept_in_utc(given_time: str, utc: datetime) -> None:
    assert instant(given_time, "occurred_at") == utc
    assert instant(given_time, "occurred_at").utcoffset().total_seconds() == 0


@pytest.mark.parametrize("given_time", ["2026-05-01T09:30:00", "2026-05-01"])
def test_a_time_without_a_zone_is_refused(given_time: str) -> None:
    with pytest.raises(Invalid, match="must say its time zone"):
        instant(given_time, "occurred_at")


@pytest.mark.parametrize(
    "given_time",
    ["", "now", "2026-13-01T00:00:00Z", "2026-05-01T25:00:00Z", 1777627800, 1.5, True, [], {}, "\0", "2026-05-01T09:30:00Z\0",
     "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "\ud800"],
)  # fmt: skip
def test_anything_else_is_no_time(given_time: Any) -> None:
    with pytest.raises(Invalid, match="ISO 8601"):
        instant(given_time, "occurred_at")


@pytest.mark.parametrize("given_time", ["0001-12-31T23:59:59Z", "9999-01-01T00:00:00Z", "9998-12-31T23:00:00-02:00"])
def test_a_time_that_some_zone_cannot_show_is_refused(given_time: str) -> None:
    with pytest.raises(Invalid, match="years 2 to 9998"):
        instant(given_time, "occurred_at")


def test_a_text_has_a_type_a_length_and_only_characters() -> None:
    assert (text(None, "name", 3), text("äbc", "name", 3)) == ("", "äbc")
    for value, says in [
        (1, "must be a text"),
        ("abcd", "at most 3 characters, not 4"),
        ("\0", "NUL"),
        ("\ud800", "surrogate"),
    ]:
        with pytest.raises(Invalid, match=says):
            text(value, "name", 3)


@given(
    st.dictionaries(
        st.sampled_from(["id", "type", "payload", "metadata", "occurred_at", "causation_id", "correlation_id"]),
        values | scalars | st.text() | st.datetimes().map(datetime.isoformat),
    )
    | values
)
def test_whatever_a_client_sends_becomes_a_draft_or_a_clear_error(raw: Any) -> None:
    with suppress(Invalid, TooLarge):
        assert draft(raw, LIMITS).payload_json.encode()


@given(payloads)
def test_every_json_object_is_a_payload(payload: dict[str, Any]) -> None:
    assert draft({"type": "a.b", "payload": payload}, LIMITS).payload == payload

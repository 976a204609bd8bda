"""Reading fields whose types nobody promised."""

from datetime import UTC, datetime
from typing import Any

import pytest

from memory.imports.fields import lacks_zone, mapping, milliseconds, moment, number, present, sequence, string


@pytest.mark.parametrize("value", [None, 5, True, 1.5, "x", [], {}])
def test_what_is_of_another_type_is_absent(value: Any) -> None:
    assert mapping(value) == {}
    assert sequence(value) == []
    assert string(value) == ("x" if value == "x" else "")


@pytest.mark.parametrize(("value", "expected"), [(5, 5), (1.5, 1.5), (True, None), ("5", None), (float("nan"), None)])
def test_a_number_is_finite_and_no_truth_value(value: Any, expected: Any) -> None:
    assert number(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"), [(1.5, 1500), (0, 0), (-1, None), (10**400, None), (1e300, None), ("1", None)]
)
def test_seconds_are_turned_to_milliseconds_where_that_makes_sense(value: Any, expected: Any) -> None:
    assert milliseconds(value) == expected


def test_what_says_nothing_is_left_out_and_zero_says_something() -> None:
    assert present({"a": None, "b": "", "c": [], "d": {}, "e": 0, "f": False, "g": [0]}) == {
        "e": 0,
        "f": False,
        "g": [0],
    }


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2025-01-01T10:00:00Z", datetime(2025, 1, 1, 10, tzinfo=UTC)),
        ("2025-01-01T10:00:00+02:00", datetime(2025, 1, 1, 8, tzinfo=UTC)),
        ("2025-01-01 10:00:00.5", datetime(2025, 1, 1, 10, 0, 0, 500000, tzinfo=UTC)),
        ("0001-01-01T00:00:00+14:00", None),
        ("9999-12-31T23:59:59-14:00", None),
        ("yesterday", None),
        ("2025-01-01\ud800", None),
        (1735725600, None),
        (None, None),
    ],
)
def test_a_time_is_iso_8601_and_comes_out_in_utc(value: Any, expected: datetime | None) -> None:
    assert moment(value) == expected


def test_a_time_may_lack_its_zone() -> None:
    assert lacks_zone("2025-01-01T10:00:00")
    assert not lacks_zone("2025-01-01T10:00:00Z")
    assert not lacks_zone("yesterday")
    assert not lacks_zone(None)

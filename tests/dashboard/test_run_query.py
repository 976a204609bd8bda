"""The filter text of the runs list."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.run_query import EXAMPLES, Range, RunQuery, parse


def test_keys_and_words_may_stand_in_any_order() -> None:
    found = parse('disk type:tool.call "no such file" agent:ops error:yes')
    assert found == RunQuery(type="tool.call", agent="ops", error=True, text="disk no such file")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tokens:>1000", Range(1001, None)),
        ("tokens:>=1000", Range(1000, None)),
        ("tokens:<10", Range(None, 9)),
        ("tokens:<=10", Range(None, 10)),
        ("tokens:7", Range(7, 7)),
        ("tokens:10..20", Range(10, 20)),
    ],
)
def test_numbers_have_bounds(text: str, expected: Range) -> None:
    assert parse(text).tokens == expected


def test_spans_of_time_have_a_unit() -> None:
    assert parse("since:90m").since == timedelta(minutes=90)
    assert parse("since:2w").since == timedelta(weeks=2)


def test_quotes_hold_the_words_of_a_key_together() -> None:
    assert parse('agent:"the one on call" late').agent == "the one on call"


@pytest.mark.parametrize("text", ["tokens:x", "error:maybe", "outcome:great", "since:yesterday", "events:1..x"])
def test_what_means_nothing_is_told_and_passed_over(text: str) -> None:
    found = parse(f"{text} disk")
    assert (found.faults, found.text) == ((text,), "disk")


@pytest.mark.parametrize("text", ["http://example.com/a", "12:30", "c:\\temp", "type:"])
def test_a_colon_alone_makes_no_key(text: str) -> None:
    assert parse(text).text == text
    assert parse(text).faults == ()


def test_every_example_of_the_page_is_understood() -> None:
    for example, _ in EXAMPLES:
        found = parse(example)
        assert found != RunQuery(text=example)
        assert found.faults == ()


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    assert "\x00" not in parse(text).text

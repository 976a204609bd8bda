"""What the replay page makes of an event's payload."""

from typing import Any

import pytest
from hypothesis import given

from dashboard.readable import LONGEST, blocks, cut
from tests.events.making import payloads, types


def labels(event_type: str, payload: dict[str, Any]) -> list[tuple[str, str]]:
    return [(block.label, block.shape) for block in blocks(event_type, payload)]


def test_an_error_comes_first_and_what_is_left_comes_last() -> None:
    payload = {"extra": 1, "content": "text", "error": {"type": "Timeout", "message": "5 s"}}
    assert labels("tool.result", payload) == [("error", "error"), ("", "text"), ("more", "pairs")]


@pytest.mark.parametrize("error", [False, 0, "", [], {}, None])
def test_a_falsy_error_is_none(error: object) -> None:
    assert labels("tool.result", {"content": "fine", "error": error}) == [("", "text")]


def test_an_empty_tool_result_says_so() -> None:
    assert [block.text for block in blocks("tool.result", {"content": ""})] == ["(empty)"]


@pytest.mark.parametrize("arguments", ["[" * 100_000, '{"a": "\\ud800"}', "not json", "5", '"x"', ""])
def test_arguments_that_are_no_object_are_shown_as_the_text_they_are(arguments: str) -> None:
    call = {"id": "c", "function": {"name": "f", "arguments": arguments}}
    (block,) = blocks("message.added", {"tool_calls": [call]})
    shown = block.calls[0]["pairs"]
    assert shown == ([("", cut(arguments))] if arguments else [])


def test_a_long_text_is_cut_and_says_how_much_is_missing() -> None:
    (block,) = blocks("message.added", {"content": "x" * (LONGEST + 1234)})
    assert len(block.text) < LONGEST + 100
    assert "1,234 more characters" in block.text


@given(types, payloads)
def test_no_payload_makes_it_fail(event_type: str, payload: dict[str, Any]) -> None:
    blocks(event_type, payload)

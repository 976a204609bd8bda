"""Calls that cannot work."""

from typing import Any

import pytest

from tests.flight.hints.telling import called, hints, prompt, result, rules, said

SEARCH = {
    "type": "function",
    "function": {
        "name": "search",
        "parameters": {
            "type": "object",
            "properties": {"q": {"type": "string"}, "limit": {"type": "integer"}},
            "required": ["q"],
            "additionalProperties": False,
        },
    },
}
OFFER = prompt(("user", "find it"), tools=[SEARCH])


def test_a_tool_that_no_prompt_offered_is_told_once() -> None:
    [hint] = hints(OFFER, called("browse", q="a"), called("browse", q="b"))

    assert (hint.rule, hint.version, hint.evidence) == ("unknown_tool", 2, (2,))


def test_nothing_is_said_of_tools_where_no_offer_is_recorded() -> None:
    assert rules(prompt(("user", "find it")), called("browse", q="a")) == []


@pytest.mark.parametrize("complaint", ["No such function name: browse", "Unknown tool 'browse'", "工具不存在"])
def test_a_complaint_that_there_is_no_such_tool_is_told(complaint: str) -> None:
    [hint] = hints(called("browse", q="a"), result("browse", complaint, error=complaint))

    assert (hint.rule, hint.version, hint.evidence) == ("unknown_tool", 1, (1, 2))


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ({}, "q is missing"),
        ({"q": 3}, "q is not of the type string"),
        ({"q": "a", "limit": "many"}, "limit is not of the type integer"),
        ({"q": "a", "limit": True}, "limit is not of the type integer"),
        ({"q": "a", "page": 2}, "there is no argument page"),
        ("find it", "they are no JSON object"),
        ([1], "they are no JSON object"),
    ],
)
def test_arguments_that_break_the_schema_are_told(arguments: Any, what: str) -> None:
    [hint] = hints(OFFER, ("tool.call", {"name": "search", "arguments": arguments}))

    assert (hint.rule, hint.version) == ("broken_arguments", 2)
    assert what in hint.sentence


@pytest.mark.parametrize("arguments", [{"q": "a"}, '{"q": "a", "limit": 3}', {"q": "a", "limit": 3.0}, {"q": None}])
def test_arguments_that_keep_the_schema_are_none(arguments: Any) -> None:
    assert rules(OFFER, ("tool.call", {"name": "search", "arguments": arguments})) == []


def test_a_call_that_was_asked_for_is_judged_once() -> None:
    ask = ("message.added", {"role": "assistant", "content": "", "tool_calls": [{"id": "c", "function": {"name": "search", "arguments": "{}"}}]})  # fmt: skip
    made = ("tool.call", {"tool_call_id": "c", "name": "search", "arguments": {}})
    told = result("search", "", error="Missing required argument q", tool_call_id="c")
    assert rules(OFFER, ask, made, told, said("I am sorry, that failed.")) == ["broken_arguments"]


def test_a_complaint_about_arguments_is_told() -> None:
    [hint] = hints(called("search"), result("search", "", error="search() got an unexpected keyword argument 'w'"))
    assert (hint.rule, hint.version) == ("broken_arguments", 1)


def test_a_long_text_that_speaks_of_missing_arguments_is_none() -> None:
    assert rules(called("read"), result("read", "Invalid arguments are refused. " * 40)) == []

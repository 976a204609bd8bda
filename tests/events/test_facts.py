"""What one event says at a glance, whatever its payload holds."""

from typing import Any

import pytest
from hypothesis import given

from memory.events import facts, usage
from tests.events.making import payloads, types, values


@pytest.mark.parametrize(
    ("event_type", "letter"),
    [("tool.call", "o"), ("tool.call.retried", "o"), ("llm.response", "l"), ("context.built", "y"), ("memory.recalled", "y"),
     ("acme.order.placed", "x"), ("toolbox.opened", "x"), ("tool", "o")],
)  # fmt: skip
def test_a_type_belongs_to_the_family_of_its_first_word(event_type: str, letter: str) -> None:
    assert facts.family(event_type) == letter


@pytest.mark.parametrize("error", ["broken", {"message": "broken"}, {"type": "E"}, {"code": 7}])
def test_an_event_with_an_error_is_one(error: Any) -> None:
    assert facts.is_error("tool.result", {"error": error})


@pytest.mark.parametrize("error", [None, "", {}, [], False, 0])
def test_an_empty_error_is_none(error: Any) -> None:
    assert not facts.is_error("tool.result", {"error": error})
    assert not facts.is_error("tool.result", {})


@pytest.mark.parametrize("event_type", ["task.failed", "step.failed", "agent.crashed"])
def test_some_types_are_errors_by_themselves(event_type: str) -> None:
    assert facts.is_error(event_type, {})


@pytest.mark.parametrize(
    ("error", "text"),
    [("broken", "broken"), ({"type": "E", "message": "m"}, "E: m"), ({"message": "m"}, "m"), ({"type": "E", "message": 1}, "E"),
     ({"code": "ß"}, '{"code": "ß"}'), (None, ""), (7, "7")],
)  # fmt: skip
def test_an_error_has_one_text(error: Any, text: str) -> None:
    assert facts.error_text({"error": error}) == text


def test_tokens_are_what_the_provider_reported() -> None:
    assert facts.tokens(
        "llm.response", {"usage": {"input_tokens": 12, "output_tokens": 3, "cached_input_tokens": 9}}
    ) == (12, 3)
    assert facts.tokens("llm.response", {"usage": {"output_tokens": 3}}) == (0, 3)


@pytest.mark.parametrize("count", [-1, 1.5, "12", True, None, [], {}, 10**9 + 1, 10**30])
def test_a_count_of_tokens_that_cannot_be_one_is_absent(count: Any) -> None:
    assert facts.tokens("llm.response", {"usage": {"input_tokens": count, "output_tokens": 5}}) == (0, 5)


@pytest.mark.parametrize("usage", [None, 5, "many", [], [{"input_tokens": 5}]])
def test_usage_of_another_type_is_absent(usage: Any) -> None:
    assert facts.tokens("llm.response", {"usage": usage}) == (0, 0)


@pytest.mark.parametrize(
    ("content", "text"),
    [("hi", "hi"), (None, ""), ([{"type": "text", "text": "a"}, {"type": "image"}, "b", 7], "a\nb"), ([{"type": "image"}], '[{"type": "image"}]'),
     ({"q": "é"}, '{"q": "é"}'), (7, "7"), (True, "true")],
)  # fmt: skip
def test_every_content_has_a_text(content: Any, text: str) -> None:
    assert facts.text_of(content) == text


def test_a_field_of_another_type_is_no_string() -> None:
    assert [facts.string({"name": value}, "name") for value in ("n", 1, None, ["n"], {})] == ["n", "", "", "", ""]


@given(types, payloads)
def test_no_payload_makes_the_facts_fail(event_type: str, payload: dict[str, Any]) -> None:
    assert facts.family(event_type).isalpha()
    assert isinstance(facts.is_error(event_type, payload), bool)
    assert isinstance(facts.error_text(payload), str)
    assert all(0 <= count <= usage.MOST_TOKENS for count in facts.tokens("llm.response", payload))


@given(values)
def test_every_value_has_a_text(value: Any) -> None:
    assert isinstance(facts.text_of(value), str)

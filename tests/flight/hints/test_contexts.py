"""What a model was given, what was remembered, and what it cost."""

import pytest

from tests.flight.hints.telling import Event, answer, asked, called, hints, prompt, result, rules, said

REQUEST = "Write the incident into incident.md, with the order number please"


@pytest.mark.parametrize(
    "error",
    [
        "This model's maximum context length is 8192 tokens",
        "context_length_exceeded",
        "prompt is too long",
        "超出上下文长度",
    ],
)
def test_a_prompt_that_was_refused_as_too_long_is_told(error: str) -> None:
    [hint] = hints(prompt(("user", "x")), answer(error=error))
    assert (hint.rule, hint.version) == ("overflowed_context", 2)


def test_an_answer_that_breaks_off_is_told() -> None:
    assert rules(answer("The runbook is", finish_reason="length")) == ["overflowed_context"]


def test_another_error_and_an_answer_that_ends_are_none() -> None:
    assert rules(answer(error="connection reset"), answer("It is RB-207.", finish_reason="stop")) == []


def test_a_prompt_without_the_request_is_told() -> None:
    full, window = prompt(("system", "You help."), ("user", REQUEST)), prompt(("system", "You help."), ("user", "yes"))

    [hint] = hints(asked(REQUEST), full, said("Is it urgent?"), asked("yes"), window)

    assert (hint.rule, hint.version, hint.evidence) == ("dropped_message", 5, (1, 5))


def test_a_summary_of_the_request_is_enough() -> None:
    summary = prompt(
        ("system", "You help."), ("system", "Asked: write incident with order number into incident.md please")
    )
    assert rules(asked(REQUEST), prompt(("system", "You help."), ("user", REQUEST)), summary) == []


def test_a_prompt_of_another_conversation_is_none() -> None:
    title = prompt(("system", "You make up titles."), ("user", "Make one up"))
    assert rules(asked(REQUEST), prompt(("system", "You help."), ("user", REQUEST)), title) == []


def recalled(text: str) -> Event:
    return "memory.recalled", {"query": "limit", "results": [{"source": "experience", "id": "e", "text": text}]}


def test_a_memory_that_a_result_contradicts_is_told() -> None:
    [hint] = hints(
        recalled("Retention days: 30. Ask before you change it."),
        called("settings"),
        result("settings", '{"retention_days": 90}'),
    )

    assert (hint.rule, hint.version, hint.evidence) == ("contradicted_memory", 1, (1, 3))
    assert "30" in hint.sentence
    assert "90" in hint.sentence


@pytest.mark.parametrize("text", ["The note I remembered is outdated: it is 90 days now.", "记忆中的期限已经过时。"])
def test_a_memory_that_an_answer_calls_wrong_is_told(text: str) -> None:
    assert rules(recalled("The limit is a month."), said(text)) == ["contradicted_memory"]


def test_a_memory_that_fits_is_none() -> None:
    told = rules(
        recalled("Retention days: 30."), called("settings"), result("settings", '{"retention_days": 30, "size": 5}'),
        said("As I remembered, it is 30 days."),
    )  # fmt: skip
    assert told == []


def spent(tokens: int) -> Event:
    return answer("ok", usage={"input_tokens": tokens, "output_tokens": 10})


def test_an_answer_that_costs_many_times_the_usual_is_told() -> None:
    [hint] = hints(*[spent(800 + n) for n in range(12)], spent(40_000))
    assert (hint.rule, hint.version, hint.severity) == ("unusual_cost", 13, "low")
    assert hint.tokens_before == sum(810 + n for n in range(12)) + 40_010
    assert hint.tokens_after(100_000) == 100_000 - hint.tokens_before


def test_prompts_that_grow_step_by_step_are_none() -> None:
    assert rules(*[spent(500 * n) for n in range(1, 60)]) == []


def test_too_few_answers_say_nothing() -> None:
    assert rules(*[spent(800) for _ in range(9)], spent(40_000)) == []


def test_a_tool_that_takes_many_times_its_usual_is_told_and_another_one_is_not() -> None:
    usual = [result("read", f"text {n}", duration_ms=40 + n) for n in range(12)]
    slow = result("build", "built", duration_ms=60_000)
    [hint] = hints(*usual, slow, result("read", "text", duration_ms=9_000))
    assert (hint.rule, hint.version) == ("unusual_latency", 14)
    assert "9.0 s" in hint.sentence

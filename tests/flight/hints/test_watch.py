"""Watching a run: event by event, from any state that was kept, at the same cost however long it is."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.flight.hints.rules import FAMILIES, RULES
from memory.flight.hints.watch import MOST_OF_A_RULE, STATE_VERSION, is_current, watch
from memory.vocabulary import HintRule
from tests.events.making import Recorded, streams
from tests.flight.hints.telling import Told, answer, asked, called, hints, prompt, result, said, steps

TROUBLED = [
    ("agent.started", {"agent_id": "a"}),
    ("task.created", {"task_id": "t", "input": "find it"}),
    asked("Which runbook applies to the error code of checkout?"),
    called("search", q="x"),
    result("search", "[]"),
    prompt(("user", "Which runbook applies to the error code of checkout?")),
    said("RB-100 applies."),
    *[called("look", at=1), result("look", "a wall")] * 4,
    *[called("book", seat=9), result("book", "", "no such seat")] * 2,
    said("Your seat has been booked."),
    answer(error="context_length_exceeded", usage={"input_tokens": 900, "output_tokens": 1}),
    ("agent.stopped", {"agent_id": "a"}),
]
FOUND = ["empty_result", "repeated_call", "futile_retry", "unearned_success", "overflowed_context", "dropped_goal"]


def test_every_rule_has_one_entry_in_the_table() -> None:
    assert list(RULES) == list(HintRule)
    assert all(rule.finds.endswith(".") and rule.silenced_by.endswith(".") for rule in RULES.values())


def test_the_hints_of_a_run_come_with_the_events_that_make_them_certain() -> None:
    watching = watch(None)
    told = {step.version: [str(hint.rule) for hint in watching.add(step)] for step in steps(TROUBLED)}
    assert {version: names for version, names in told.items() if names} == {
        7: ["empty_result"], 13: ["repeated_call"], 19: ["futile_retry"], 20: ["unearned_success"],
        21: ["overflowed_context"], 22: ["dropped_goal"],
    }  # fmt: skip


def kept(state: dict[str, Any]) -> Any:
    """A state as a database gives it back: JSON, the keys in an order of its own."""
    return json.loads(json.dumps(state, sort_keys=True))


@pytest.mark.parametrize("cut", range(1, len(TROUBLED)))
def test_a_watch_that_goes_on_from_a_kept_state_tells_the_same(cut: int) -> None:
    read = steps(TROUBLED)
    first = watch(None)
    told = [hint for step in read[:cut] for hint in first.add(step)]
    second = watch(kept(first.state()))
    assert second.version == cut

    told += [hint for step in read[cut:] for hint in second.add(step)]

    assert told == hints(*TROUBLED)
    assert [str(hint.rule) for hint in told] == FOUND


def test_rules_that_are_off_tell_nothing_and_know_the_run_when_they_are_on_again() -> None:
    off = {"empty_result", "repeated_call"}
    assert [str(hint.rule) for hint in hints(*TROUBLED, off=off)] == [name for name in FOUND if name not in off]
    read = steps(TROUBLED)
    first = watch(None, off)
    assert [hint for step in read[:6] for hint in first.add(step)] == []
    assert [str(hint.rule) for hint in watch(kept(first.state())).add(read[6])] == ["empty_result"]


def test_an_event_is_read_once() -> None:
    watching = watch(None)
    step = steps(TROUBLED)[0]
    watching.add(step)
    with pytest.raises(ValueError, match="read already"):
        watching.add(step)


def test_the_state_of_other_rules_is_refused() -> None:
    old = {**watch(None).state(), "rules": STATE_VERSION - 1}
    assert not is_current(old)
    assert not is_current({})
    with pytest.raises(ValueError, match="not one of these rules"):
        watch(old)


def test_a_rule_tells_of_the_same_run_only_so_often() -> None:
    calls = [
        event
        for n in range(2 * MOST_OF_A_RULE)
        for event in (called("search", n=n), result("search", "[]"), said(f"It is {n}."))
    ]
    assert len(hints(*calls)) == MOST_OF_A_RULE


def noisy(n: int) -> list[Any]:
    """A round of a run in which nothing is ever the same, and every rule has something to remember."""
    name = f"tool_{n}_" + "x" * 300
    text = (
        f"order_{n}_id: A{n:06}B, total_price_{n}: {n}.5, due_{n}: 2026-01-01 {n}1 {n}2 {n}3 {n}4 {n}5 {n}6 "
        + "word " * 100
    )
    return [
        ("task.created", {"task_id": f"task_{n}" * 50, "input": text}),
        asked(f"Request number {n} about the order {text}"),
        prompt(("user", text), agent_id=f"agent {n}", tools=[{"name": name, "parameters": {"properties": {f"p{n}": {}}}}]),
        said(text, name, name=f"speaker {n}" * 40),
        ("tool.call", {"name": name, "arguments": {"q": text}, "tool_call_id": f"id_{n}" * 90}),
        result(name, f'{{"label_{n}": {n}, "text": "{text}"', duration_ms=n, tool_call_id=f"other_{n}" * 90),
        result("search", "[]"),
        ("memory.recalled", {"results": [{"text": text}] * 30}),
        answer(f"{n} EUR", usage={"input_tokens": n * 7, "output_tokens": 3}, duration_ms=n),
        ("step.failed", {"step": text, "error": text}),
    ]  # fmt: skip


def test_what_is_remembered_does_not_grow_with_the_run() -> None:
    watching = watch(None)
    sizes = []
    read = steps(event for n in range(240) for event in noisy(n))
    for step in read:
        watching.add(step)
        if step.version % 1200 == 0:
            sizes.append({name: len(json.dumps(watching.state()["memories"].get(name, {}))) for name in FAMILIES})
    for name in FAMILIES:
        assert sizes[-1][name] < 1.1 * sizes[0][name] + 200, name
    assert len(json.dumps(watching.state())) < 100_000


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(streams())
def test_any_run_can_be_watched(run: list[Recorded]) -> None:
    watching = watch(None)
    for event in run:
        watching.add(step_of_recorded(event))
    assert kept(watching.state())["version"] == (run[-1].version if run else 0)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["", "[]", "{", "a1b2c3", "2026-01-01", "$1,2.5 元", "id: 5"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["name", "content", "error", "tools", "messages", "function", "arguments", "results", "text", "usage", "parameters", "properties", "required", "type", "tool_call_id", "role"]), inner, max_size=5),
    max_leaves=6,
)  # fmt: skip
FIELDS = st.dictionaries(
    st.sampled_from(["name", "role", "content", "error", "tools", "messages", "tool_calls", "arguments", "results", "usage", "duration_ms", "task_id", "step", "agent_id", "finish_reason", "tool_call_id"]),
    JSON,
    max_size=8,
)  # fmt: skip
TYPES = ["message.added", "llm.call", "llm.response", "tool.call", "tool.result", "memory.recalled", "task.created", "task.completed", "step.failed", "agent.stopped"]  # fmt: skip


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.sampled_from(TYPES), FIELDS), max_size=6))
def test_no_payload_breaks_a_rule(events: list[Any]) -> None:
    told = hints(
        *[
            (kind, {**fields, **({"role": "assistant"} if index % 2 else {})})
            for index, (kind, fields) in enumerate(events)
        ]
    )
    assert all(hint.evidence and hint.sentence.endswith(".") for hint in told)


def step_of_recorded(event: Recorded) -> Any:
    from memory.flight.trace import step_of

    return step_of(Told(event.version, event.type, event.payload, event.occurred_at))

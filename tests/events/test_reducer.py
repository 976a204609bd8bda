"""The reducer folds any events to a small state, the same however they are cut."""

import json
from typing import Any

import pytest
from hypothesis import given

from memory.events import reducer
from memory.events.reducer import State, initial_state, replay
from memory.vocabulary import EventType
from tests.events.making import FIELDS, Recorded, batches, recorded, streams

# Any bound on the size of a state: far under the 50 texts of 20,000 characters that it would hold uncut.
MOST_CHARACTERS = 700_000


def state_of(*events: tuple[str, dict[str, Any]]) -> State:
    return replay(initial_state(), recorded(*events))


@given(batches())
def test_replaying_in_parts_gives_the_same_state(given_batches: tuple[list[Recorded], list[list[Recorded]]]) -> None:
    events, parts = given_batches
    state = initial_state()
    for part in parts:
        state = json.loads(json.dumps(replay(state, part)))  # as a snapshot keeps it
    assert state == replay(initial_state(), events)


@given(streams())
def test_a_kept_state_and_the_tail_give_the_state_of_all_events_at_every_cut(events: list[Recorded]) -> None:
    whole = replay(initial_state(), events)
    for cut in range(len(events) + 1):
        kept = json.loads(json.dumps(replay(initial_state(), events[:cut])))
        assert replay(kept, events[cut:]) == whole


@given(streams())
def test_no_payload_makes_the_reducer_fail(events: list[Recorded]) -> None:
    state = replay(initial_state(), events)
    assert state["version"] == state["counters"]["events"] == len(events)
    assert json.loads(json.dumps(state)) == state


@pytest.mark.parametrize("event_type", [*EventType, "acme.order.placed"])
@pytest.mark.parametrize(
    "value", [None, True, 0, -1, 1.5, 10**30, "", "x", [], [1], [[]], [{}], [None], {}, {"id": []}, {"function": 1}]
)
def test_every_field_of_every_type_may_hold_anything(event_type: str, value: Any) -> None:
    alone = [(event_type, {name: value}) for name in FIELDS]
    assert state_of(*alone, (event_type, dict.fromkeys(FIELDS, value)))["version"] == len(FIELDS) + 1


def test_replay_leaves_the_state_it_starts_from_alone() -> None:
    before = state_of(("message.added", {"role": "user", "content": "hi"}))
    kept = json.dumps(before)
    replay(before, recorded(("message.added", {}), ("task.created", {}), first=2))
    assert json.dumps(before) == kept


@pytest.mark.parametrize("event_type", EventType)
def test_the_state_stays_small_however_long_the_run_and_its_texts(event_type: str) -> None:
    huge = "x" * 20_000
    calls = [{"id": huge, "function": {"name": huge}}] * 60
    payload = {**dict.fromkeys(FIELDS, huge), "tool_calls": calls}
    once = state_of(*[(event_type, payload)] * 51)
    assert len(json.dumps(once)) < MOST_CHARACTERS
    longer = replay(once, recorded(*[(event_type, payload)] * 20, first=52))
    assert abs(len(json.dumps(longer)) - len(json.dumps(once))) < 100


def test_a_conversation_keeps_its_newest_messages() -> None:
    state = state_of(*(("message.added", {"role": "user", "content": f"m{n}"}) for n in range(25)))
    assert [message["content"] for message in state["messages"]] == [f"m{n}" for n in range(5, 25)]
    assert state["counters"]["messages"] == 25


def test_long_texts_are_cut_and_say_how_much_is_missing() -> None:
    message = state_of(("message.added", {"role": "user", "content": "ä" * 5000}))["messages"][0]
    assert (message["content"], message["omitted"]) == ("ä" * reducer.TEXT_LENGTH, 1000)


def test_a_session_is_opened_and_closed() -> None:
    created = ("session.created", {"session_id": "s", "user_id": "u", "agent_id": "a"})
    assert state_of(created)["session"] == {"version": 1, "id": "s", "user_id": "u", "agent_id": "a", "closed": None}
    assert state_of(created, ("session.expired", {}))["session"]["closed"] == "expired"
    assert state_of(("session.deleted", {"session_id": "s"}))["session"]["closed"] == "deleted"
    assert state_of(("session.deleted", {}))["session"].keys() == state_of(created)["session"].keys()


def test_tasks_are_open_until_they_end() -> None:
    made = [("task.created", {"task_id": name, "input": name}) for name in ("a", "b", "c")]
    state = state_of(*made, ("task.completed", {"task_id": "b"}), ("task.failed", {"task_id": "a"}))
    assert [task["id"] for task in state["open_tasks"]] == ["c"]
    counters = state["counters"]
    assert (counters["tasks"], counters["tasks_completed"], counters["tasks_failed"]) == (3, 1, 1)
    assert state["last_error"]["type"] == "task.failed"


def test_a_result_finds_its_call_and_takes_its_name() -> None:
    calls = [("tool.call", {"tool_call_id": name, "name": f"tool {name}", "arguments": {"n": 1}}) for name in "ab"]
    state = state_of(*calls, ("tool.result", {"tool_call_id": "b", "content": "found", "error": "late"}))
    assert [call["tool_call_id"] for call in state["pending_tool_calls"]] == ["a"]
    result = state["tool_results"][0]
    assert (result["name"], result["call_version"], result["content"], result["error"]) == (
        "tool b",
        2,
        "found",
        "late",
    )


def test_a_result_without_a_call_stands_alone() -> None:
    result = state_of(("tool.result", {"tool_call_id": "x", "content": [{"type": "text", "text": "t"}]}))[
        "tool_results"
    ][0]
    assert (result["name"], result["call_version"], result["content"]) == ("", None, "t")


def test_steps_are_open_until_they_end_whether_numbered_or_named() -> None:
    state = state_of(
        ("step.started", {"step": 1}), ("step.started", {"step": "plan"}), ("step.completed", {"step": 1}),
        ("step.started", {"step": 2}), ("step.failed", {"step": "plan", "error": "no plan"}),
    )  # fmt: skip
    assert [step["step"] for step in state["open_steps"]] == ["2"]
    assert state["last_error"] == {"version": 5, "type": "step.failed", "message": "no plan", "omitted": 0}


def test_a_message_names_the_calls_that_it_asks_for() -> None:
    calls = [
        {"id": "c1", "type": "function", "function": {"name": "search", "arguments": "{}"}},
        "odd",
        {"id": 7, "name": "plain"},
    ]
    message = state_of(("message.added", {"role": "assistant", "tool_calls": calls}))["messages"][0]
    assert message["tool_calls"] == [{"tool_call_id": "c1", "name": "search"}, {"tool_call_id": "", "name": "plain"}]


def test_an_agent_has_the_status_of_its_newest_event_and_a_heartbeat_changes_none() -> None:
    state = state_of(
        ("agent.started", {"agent_id": "a"}), ("agent.crashed", {"error": "boom"}), ("agent.heartbeat", {})
    )
    assert state["agent"] == {"version": 3, "id": "a", "status": "crashed"}


def test_usage_and_errors_are_counted_wherever_they_are_reported() -> None:
    usage = {"usage": {"input_tokens": 7, "output_tokens": 2}}
    counters = state_of(("llm.response", usage), ("message.added", {**usage, "error": {"message": "e"}}))["counters"]
    assert (counters["input_tokens"], counters["output_tokens"], counters["errors"]) == (14, 4, 1)


def test_what_was_recalled_is_shown_as_sent() -> None:
    payload = {"experiences": [1, "ä"]}
    assert json.loads(state_of(("memory.recalled", payload))["recalled"][0]["text"]) == payload

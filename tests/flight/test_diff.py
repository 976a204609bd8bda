"""Two states beside each other."""

from hypothesis import given

from memory.events.reducer import initial_state, replay
from memory.flight.diff import Pair, changes, diff
from tests.events.making import Recorded, recorded, streams


def test_equal_states_do_not_differ_anywhere() -> None:
    state = replay(
        initial_state(), recorded(("task.created", {"task_id": "t", "input": "x"}), ("step.started", {"step": 1}))
    )
    assert sum(section.differences for section in diff(state, state)) == 0


def test_what_one_state_lacks_stands_beside_nothing() -> None:
    before = replay(initial_state(), recorded(("task.created", {"task_id": "t", "input": "x"})))
    after = replay(before, recorded(("task.completed", {"task_id": "t"}), first=2))
    sections = {section.name: section for section in diff(before, after)}
    [task] = sections["open_tasks"].pairs
    assert (task.key, task.before["input"], task.after, task.is_different) == ("event 1", "x", None, True)
    assert sections["messages"].pairs == []


def test_an_object_gives_a_pair_for_each_key_and_marks_those_that_differ() -> None:
    before = initial_state()
    after = replay(before, recorded(("agent.crashed", {"agent_id": "a"})))
    sections = {section.name: section for section in diff(before, after)}
    changed = [pair for pair in sections["counters"].pairs if pair.is_different]
    assert changed == [Pair("events", 0, 1), Pair("errors", 0, 1)]
    assert Pair("status", None, "crashed") in sections["agent"].pairs
    assert sections["version"].pairs == [Pair("version", 0, 1)]


@given(streams(), streams())
def test_any_two_states_can_be_compared(one: list[Recorded], other: list[Recorded]) -> None:
    before, after = replay(initial_state(), one), replay(initial_state(), other)
    sections = diff(before, after)
    assert [section.name for section in sections] == list(before)
    assert (sum(section.differences for section in sections) == 0) == (before == after)


def test_things_of_another_run_are_paired_by_what_they_say() -> None:
    call = ("tool.call", {"tool_call_id": "a", "name": "look", "arguments": {"at": 1}})
    said, heard = (
        ("message.added", {"role": "user", "content": "x"}),
        ("message.added", {"role": "user", "content": "y"}),
    )
    before = replay(initial_state(), recorded(said, call))
    after = replay(initial_state(), recorded(heard, said, ("tool.call", {**call[1], "tool_call_id": "b"})))
    sections = {section.name: section for section in diff(before, after, is_same_run=False)}
    assert sections["pending_tool_calls"].differences == 0
    assert [(pair.key, pair.is_different) for pair in sections["messages"].pairs] == [
        ("event none / 1", True),
        ("event 1 / 2", False),
    ]


def test_changes_are_what_differs_alone() -> None:
    before = initial_state()
    after = replay(before, recorded(("message.added", {"role": "user", "content": "x"})))
    found = {section.name: [pair.key for pair in section.pairs] for section in changes(diff(before, after))}
    assert found["messages"] == ["event 1"]
    assert found["counters"] == ["events", "messages"]
    assert "open_tasks" not in found
    assert changes(diff(after, after)) == []


@given(streams(), streams())
def test_any_two_states_of_different_runs_can_be_compared(one: list[Recorded], other: list[Recorded]) -> None:
    before, after = replay(initial_state(), one), replay(initial_state(), other)
    assert [section.name for section in diff(before, after, is_same_run=False)] == list(before)
    assert changes(diff(before, before, is_same_run=False)) == []

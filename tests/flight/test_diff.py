"""Two states beside each other."""

from hypothesis import given

from memory.events.reducer import initial_state, replay
from memory.flight.diff import Pair, diff
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

"""What was to be done and was not."""

from typing import Any

from tests.flight.hints.telling import asked, called, hints, prompt, result, rules, said

STARTED = ("agent.started", {"agent_id": "a"})
STOPPED = ("agent.stopped", {"agent_id": "a"})
OPENED = ("task.created", {"task_id": "t", "input": "find it"})
COMPLETED = ("task.completed", {"task_id": "t"})


def test_a_task_that_is_open_when_the_agent_stops_is_a_dropped_goal() -> None:
    [hint] = hints(STARTED, OPENED, said("I look."), STOPPED)

    assert (hint.rule, hint.version, hint.evidence) == ("dropped_goal", 2, (2, 4))


def test_a_task_that_was_closed_is_none() -> None:
    assert rules(STARTED, OPENED, COMPLETED, STOPPED) == []
    assert rules(STARTED, OPENED, ("task.failed", {"task_id": "t"}), STOPPED) == []


def test_one_of_several_agents_may_stop_while_others_go_on() -> None:
    other = ("agent.started", {"agent_id": "b"})
    assert rules(STARTED, other, OPENED, STOPPED, COMPLETED, ("agent.stopped", {"agent_id": "b"})) == []


def test_a_request_without_an_answer_is_a_dropped_goal() -> None:
    [hint] = hints(
        STARTED, asked("Where is my order?"), said("It is on its way."), asked("And the other one?"), STOPPED
    )

    assert (hint.rule, hint.version, hint.evidence) == ("dropped_goal", 4, (4, 5))


def test_thanks_need_no_answer() -> None:
    assert (
        rules(STARTED, asked("Where is my order?"), said("On its way."), asked("Thank you very much!"), STOPPED) == []
    )


def later(event: Any, seconds: float) -> Any:
    return (*event, seconds)


def test_a_long_silence_with_an_open_task_is_told() -> None:
    [hint] = hints(OPENED, asked("Find it"), later(prompt(("user", "Find it")), 900))

    assert (hint.rule, hint.version, hint.evidence, hint.severity) == ("silent_agent", 2, (2, 3), "low")
    assert "900 s" in hint.sentence


def test_a_tool_at_work_a_person_who_is_asked_and_a_closed_task_are_no_silence() -> None:
    assert rules(OPENED, called("build"), later(result("build", "built"), 900)) == []
    assert rules(OPENED, said("Which one do you mean?"), later(asked("The red one"), 900)) == []
    assert rules(OPENED, COMPLETED, later(asked("And now the next one"), 900)) == []


def test_a_run_that_is_slow_by_itself_is_not_silent() -> None:
    slow = [later(prompt(("user", f"part {n}")), 100) for n in range(10)]
    assert rules(OPENED, *slow, later(prompt(("user", "the last part")), 900)) == []


def test_heartbeats_break_no_silence() -> None:
    beats = [later(("agent.heartbeat", {"agent_id": "a"}), 60) for _ in range(20)]
    assert rules(OPENED, asked("Find it"), *beats, prompt(("user", "Find it"))) == ["silent_agent"]

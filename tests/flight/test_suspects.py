"""The first bad step."""

from pathlib import Path
from typing import Any

import pytest

from bench.sample_runs import who_and_when
from memory.flight.hints.watch import watch
from memory.flight.suspects import MOST, suspects
from memory.flight.trace import Step
from memory.flight.turns import Part, Sign, turns
from memory.vocabulary import Outcome
from tests.flight.hints.telling import Event, asked, called, hints, result, said, steps

SEARCHED = [
    asked("Which runbook applies to PAY-5021?"),
    said("I look for it.", "search"),
    called("search", q="PAY-5021"),
    result("search", "[]"),
    said("RB-100 applies. I follow it.", "restart"),
    called("restart", service="checkout"),
    result("restart", "restarted"),
    said("RB-100 applies, and the service was restarted."),
]


def agent(name: str, text: str, role: str = "user") -> Event:
    return "message.added", {"role": role, "name": name, "content": text}


GROUP = [
    agent(
        "Planner", "Find the height of the tower in Oslo, and verify it with a source before you answer.", "assistant"
    ),
    agent("Searcher", "I will search for it. ```python\nprint(search('tower in Oslo'))\n```"),
    agent("Terminal", "exitcode: 1 (execution failed)\nCode output: NameError: name 'search' is not defined"),
    agent("Guesser", "Let us assume that the tower is typically 118 metres high. Therefore the result is 118 metres."),
    agent("Checker", "I agree: it has been verified that the height is 118 metres. TERMINATE"),
]


def test_the_step_that_a_grave_hint_tells_of_comes_first() -> None:
    [first] = suspects(steps(SEARCHED), hints(*SEARCHED), Outcome.SUCCEEDED)

    assert (first.version, first.speaker, first.hints) == (4, "assistant", ("empty_result",))
    assert first.reason.startswith("The result of search brought nothing")
    assert 0.5 < first.score <= 1


def test_a_run_that_went_well_without_hints_has_no_suspects() -> None:
    healthy = [*SEARCHED[:3], result("search", "RB-207 applies"), *SEARCHED[4:]]
    assert hints(*healthy) == []
    assert suspects(steps(healthy), [], Outcome.SUCCEEDED) == []
    assert suspects(steps(healthy), [], Outcome.UNKNOWN) == []


def test_a_run_that_failed_has_suspects_without_any_hint() -> None:
    failed = [*SEARCHED[:3], result("search", "RB-207 applies"), *SEARCHED[4:]]
    found = suspects(steps(failed), [], Outcome.FAILED)
    assert 1 <= len(found) <= MOST
    assert found == sorted(found, key=lambda each: -each.score)


def test_the_agent_that_assumes_what_the_answer_rests_on_is_named_first() -> None:
    found = suspects(steps(GROUP), [], Outcome.UNKNOWN)

    assert (found[0].version, found[0].speaker) == (4, "Guesser")
    assert found[0].reason == "It takes an assumption or a placeholder for something that was looked up."
    assert found[1].version == 2
    assert found[1].reason == "What it had run failed."
    assert sum(each.score for each in found) <= 1


def test_a_hint_about_what_is_no_turn_is_told_too() -> None:
    run = [("task.created", {"task_id": "t"}), said("I look into it."), ("agent.stopped", {"agent_id": "a"})]
    [first] = suspects(steps(run), hints(*run), Outcome.RUNNING)
    assert (first.version, first.hints) == (1, ("dropped_goal",))


def test_an_empty_run_has_no_suspects() -> None:
    assert suspects([], [], Outcome.FAILED) == []


def parts(run: list[Event]) -> list[tuple[str, Part]]:
    return [(turn.speaker, turn.part) for turn in turns(steps(run))]


def test_turns_are_what_agents_do_to_each_other() -> None:
    run = [
        ("message.added", {"role": "human", "content": "How high is it?"}),
        ("message.added", {"role": "Lead (thought)", "content": "We have to find out the height first of all."}),
        ("message.added", {"role": "Lead (-> Surfer)", "content": "Please search for the height of the tower."}),
        ("message.added", {"role": "Lead (thought)", "content": "Next speaker Surfer"}),
        ("message.added", {"role": "Surfer", "content": "I typed 'height' into the search bar. It says 118 metres."}),
        ("message.added", {"role": "Writer", "content": "The tower is 118 metres high, as we have found out."}),
    ]
    assert parts(run) == [
        ("human", Part.GOAL), ("Lead", Part.THOUGHT), ("Lead", Part.ORDER), ("Lead", Part.NOTE),
        ("Surfer", Part.EVIDENCE), ("Writer", Part.CLAIM),
    ]  # fmt: skip


def test_a_result_and_the_message_that_hands_it_on_are_one_turn() -> None:
    handed_on = ("message.added", {"role": "tool", "name": "search", "content": "[]"})
    assert len(turns(steps([*SEARCHED[:4], handed_on, *SEARCHED[4:]]))) == len(turns(steps(SEARCHED)))


def test_people_with_names_are_no_suspects_where_agents_have_none() -> None:
    run = [
        agent("mara", "Where is my order, please?"),
        said("On its way, and it comes by tomorrow."),
        agent("mara", "Let us assume that it is late."),
    ]
    assert parts(run)[2] == ("mara", Part.NOTE)


def test_an_order_that_differs_from_its_goal_is_marked() -> None:
    def told(order: str) -> float:
        goal = f"# Goal\nHow high is the tower in Oslo, in metres?\n# Plan\n{order}\n# Format\nJust the number, please."
        return turns(steps([agent("Planner", goal, "assistant")]))[0].signs[Sign.DIFFERS_FROM_GOAL]

    assert told("Repair the Python script that sums up squares.") == 1.0
    assert told("Look up how high the tower in Oslo is, in metres.") == 0.0


@pytest.mark.parametrize(("part", "least"), [("Hand-Crafted", 0.35), ("Algorithm-Generated", 0.6)])
def test_annotated_decisive_steps_are_among_the_suspects(part: str, least: float, sample_data: Path) -> None:
    runs = list(who_and_when(sample_data, part))
    hit = [
        run.decisive in [each.version for each in suspects(run.steps, watched(run.steps), Outcome.UNKNOWN)]
        for run in runs
    ]
    assert sum(hit) / len(hit) >= least


def watched(read: list[Step]) -> list[Any]:
    watching = watch(None)
    return [hint for step in read for hint in watching.add(step)]

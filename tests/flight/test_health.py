"""How an agent is, by the rules: a table of what is known, and what is said of it."""

from datetime import timedelta

import pytest

from memory.flight.health import Facts, Health, Limits, judge, span
from tests.events.making import MAY

LIMITS = Limits(stall_seconds=300, crash_seconds=900)


def judged(tasks: int = 0, work: float | None = None, beat: float | None = None, **told: float) -> Health:
    """The health of an agent whose last work, heartbeat and status lie so many seconds back."""
    [(status, status_ago)] = told.items() or [("", None)]

    def ago(seconds: float | None):  # type: ignore[no-untyped-def]
        return None if seconds is None else MAY - timedelta(seconds=seconds)

    return judge(Facts(tasks, status, ago(status_ago), ago(work), ago(beat)), MAY, LIMITS)


@pytest.mark.parametrize(
    ("facts", "state", "reason"),
    [
        # With an open task, silence is trouble.
        ({"tasks": 1, "work": 10}, "running", "It works on 1 open task; last event 10 s ago."),
        ({"tasks": 2, "work": 299, "beat": 5}, "running", "It works on 2 open tasks; last event 4 min ago."),
        (
            {"tasks": 1, "work": 300, "beat": 5},
            "stalled",
            "Alive but silent: heartbeats come, but nothing else for 5 min, with 1 open task.",
        ),
        ({"tasks": 1, "work": 86400 * 3, "beat": 299}, "stalled", "Alive but silent: heartbeats come, but nothing else for 3 d, with 1 open task."),
        ({"tasks": 1, "work": 400}, "stalled", "Nothing for 6 min, not even a heartbeat, with 1 open task."),
        ({"tasks": 1, "work": 800, "beat": 301}, "stalled", "Nothing for 5 min, not even a heartbeat, with 1 open task."),
        ({"tasks": 1, "work": 899.9}, "stalled", "Nothing for 14 min, not even a heartbeat, with 1 open task."),
        ({"tasks": 1, "work": 900}, "crashed", "Nothing at all for 15 min, not even a heartbeat, with 1 open task."),
        ({"tasks": 3, "work": 9000, "beat": 900}, "crashed", "Nothing at all for 15 min, not even a heartbeat, with 3 open tasks."),
        # Without one, it is not.
        ({"work": 10}, "running", "Its last event came 10 s ago."),
        ({"work": 400, "beat": 20}, "idle", "It has no open task and waits; last heartbeat 20 s ago."),
        ({"work": 86400 * 9}, "idle", "It has no open task; last sign of life 9 d ago."),
        ({"beat": 3}, "idle", "It has no open task and waits; last heartbeat 3 s ago."),
        # What it told of its process holds until it does something else.
        ({"tasks": 1, "work": 5, "crashed": 5}, "crashed", "It reported a crash 5 s ago, with 1 open task."),
        ({"work": 86400, "crashed": 86400}, "crashed", "It reported a crash 24 h ago."),
        ({"tasks": 1, "work": 2, "crashed": 5}, "running", "It works on 1 open task; last event 2 s ago."),
        ({"work": 7200, "stopped": 7200}, "stopped", "It stopped 2 h ago."),
        ({"tasks": 1, "work": 7200, "stopped": 7200}, "stopped", "It stopped 2 h ago, with 1 open task."),
        ({"work": 4, "stopped": 7200}, "running", "Its last event came 4 s ago."),
        ({"work": 7200, "beat": 1, "crashed": 7200}, "crashed", "It reported a crash 2 h ago."),
        ({"tasks": 1, "work": 5, "restored": 5}, "restored", "It was restored 5 s ago and has not gone on yet, with 1 open task."),
        ({"work": 5, "restored": 5}, "restored", "It was restored 5 s ago and has not gone on yet."),
        ({"tasks": 1, "work": 3, "restored": 5}, "running", "It works on 1 open task; last event 3 s ago."),
        ({"tasks": 1, "work": 400, "beat": 3, "restored": 400}, "stalled", "Alive but silent: heartbeats come, but nothing else for 6 min, with 1 open task."),
        ({"tasks": 1, "work": 1000, "restored": 1000}, "crashed", "Nothing at all for 16 min, not even a heartbeat, with 1 open task."),
        ({"work": 3, "started": 3}, "running", "Its last event came 3 s ago."),
    ],
)  # fmt: skip
def test_health_follows_from_what_is_known(facts: dict[str, float], state: str, reason: str) -> None:
    assert judged(**facts) == Health(state, reason)  # type: ignore[arg-type]


def test_trouble_is_what_somebody_should_look_at() -> None:
    assert {state: judged(**facts).is_trouble for state, facts in {
        "running": {"work": 1}, "stalled": {"tasks": 1, "work": 400}, "crashed": {"work": 1, "crashed": 1}, "stopped": {"work": 1, "stopped": 1},
    }.items()} == {"running": False, "stalled": True, "crashed": True, "stopped": False}  # fmt: skip


def test_a_clock_that_is_behind_makes_no_nonsense() -> None:
    assert judged(tasks=1, work=-60) == Health("running", "It works on 1 open task; last event 0 s ago.")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.9, "0 s"),
        (119, "119 s"),
        (120, "2 min"),
        (7199, "119 min"),
        (7200, "2 h"),
        (172800, "2 d"),
        (float("inf"), "ever"),
    ],
)
def test_spans_are_told_in_their_largest_unit(seconds: float, text: str) -> None:
    assert span(seconds) == text

"""A run's running totals."""

import json
from dataclasses import asdict
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given

from memory.events.totals import MOST_TYPES, TITLE_LENGTH, Totals, add
from memory.vocabulary import Outcome
from tests.events.making import MAY, Recorded, batches, recorded, streams


def totals(*events: tuple[str, dict[str, Any]]) -> Totals:
    return add(Totals(), recorded(*events))


def outcome(*types: str) -> str:
    return totals(*((event_type, {}) for event_type in types)).outcome


@given(batches())
def test_totals_do_not_depend_on_the_batches(given_batches: tuple[list[Recorded], list[list[Recorded]]]) -> None:
    events, parts = given_batches
    folded = Totals()
    for part in parts:
        folded = add(folded, part)
    assert folded == add(Totals(), events)


@given(streams())
def test_no_payload_makes_the_totals_fail_or_outgrow_their_row(events: list[Recorded]) -> None:
    made = add(Totals(), events)
    assert json.dumps(asdict(made), default=str)
    assert len(made.title) <= TITLE_LENGTH
    assert max(len(made.agent_id), len(made.user_id)) <= 200
    assert made.outcome in set(Outcome)
    assert 0 <= made.open_tasks <= len(events)


def test_nothing_adds_nothing() -> None:
    assert add(Totals(title="kept"), []) == Totals(title="kept")


def test_tokens_errors_and_types_are_counted() -> None:
    usage = {"usage": {"input_tokens": 10, "output_tokens": 2}}
    made = totals(("llm.response", usage), ("llm.response", {**usage, "error": "e"}), ("tool.call", {}))
    assert (made.input_tokens, made.output_tokens, made.error_count) == (20, 4, 1)
    assert made.event_types == ["llm.response", "tool.call"]
    assert made.strip == "lLo"


def test_a_client_that_makes_up_types_does_not_blow_up_the_row() -> None:
    made = totals(*((f"made.up{n:04}", {}) for n in range(MOST_TYPES * 3)))
    assert len(made.event_types) == MOST_TYPES


def test_times_are_the_earliest_and_the_latest_that_clients_told() -> None:
    later, early = Recorded(1, "a.b", {}, MAY + timedelta(days=365)), Recorded(2, "a.b", {}, MAY - timedelta(days=1))
    made = add(add(Totals(), [later]), [early, Recorded(3, "a.b", {}, MAY)])
    assert (made.started_at, made.ended_at) == (MAY - timedelta(days=1), MAY + timedelta(days=365))


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        ([], "unknown"),
        (["tool.call"], "unknown"),
        (["agent.started"], "running"),
        (["task.created"], "running"),
        (["task.created", "task.completed"], "succeeded"),
        (["task.created", "task.created", "task.completed"], "running"),
        (["task.created", "task.created", "task.completed", "task.completed"], "succeeded"),
        (["task.created", "task.failed"], "failed"),
        (["task.created", "task.failed", "task.created"], "running"),
        (["task.created", "task.failed", "task.created", "task.completed"], "succeeded"),
        (["task.completed"], "succeeded"),
        (["agent.started", "agent.stopped"], "unknown"),
        (["agent.started", "task.created", "agent.stopped"], "running"),
        (["task.created", "task.completed", "agent.stopped"], "succeeded"),
        (["agent.started", "agent.crashed"], "failed"),
        (["agent.crashed", "agent.stopped"], "failed"),
        (["agent.crashed", "agent.restored"], "running"),
        (["task.created", "step.failed", "tool.result"], "running"),
    ],
)
def test_the_outcome_follows_the_newest_telling_event(types: list[str], expected: str) -> None:
    assert outcome(*types) == expected


def test_who_is_told_by_the_first_event_that_names_somebody() -> None:
    made = totals(
        ("session.created", {"user_id": "u", "agent_id": 7}),
        ("agent.started", {"agent_id": "a" * 300, "user_id": "other"}),
    )
    assert (made.user_id, made.agent_id) == ("u", "a" * 200)


@pytest.mark.parametrize(
    ("event_type", "payload", "title"),
    [
        ("session.created", {"metadata": {"title": "  A \n title "}}, "A title"),
        ("session.created", {"metadata": ["title"]}, ""),
        ("task.created", {"input": {"do": "it"}}, '{"do": "it"}'),
        ("task.created", {"input": "fix it"}, "fix it"),
        ("message.added", {"role": "user", "content": [{"type": "text", "text": "hello"}]}, "hello"),
        ("message.added", {"role": "assistant", "content": "hello"}, ""),
        ("message.added", {"role": "user", "content": None}, ""),
        ("tool.call", {"input": "x"}, ""),
        ("task.created", {"input": "x" * 500}, "x" * (TITLE_LENGTH - 1) + "…"),
    ],
)
def test_a_title_is_found_in_what_began_the_run(event_type: str, payload: dict[str, Any], title: str) -> None:
    assert totals((event_type, payload)).title == title


@pytest.mark.parametrize(
    ("payload", "shown"),
    [
        ({"input": "Log in, the password is hunter2hunter2."}, "Log in, the password is [redacted]"),
        ({"input": {"api_key": "zebra-okapi-1", "do": "pay"}}, '{"api_key": "[redacted]", "do": "pay"}'),
        ({"input": "x" * 100 + " ghp_0123456789abcdefghijABCDEFGHIJ012345"}, "x" * 100 + " [redacted]"),
        ({"input": "pay with 4111 1111 1111 1111"}, "pay with [redacted]"),
    ],
)
def test_a_title_shows_no_secret_and_no_part_of_one(payload: dict[str, Any], shown: str) -> None:
    assert totals(("task.created", payload)).title == shown


def test_the_first_title_stays() -> None:
    assert (
        totals(("message.added", {"role": "user", "content": "one"}), ("task.created", {"input": "two"})).title == "one"
    )


def test_work_heartbeats_and_the_agents_status_are_told_apart_by_the_servers_clock() -> None:
    def at(second: int, event_type: str) -> Recorded:
        return Recorded(second, event_type, {}, MAY - timedelta(days=9), MAY + timedelta(seconds=second))

    made = add(
        Totals(), [at(1, "agent.started"), at(2, "tool.call"), at(3, "agent.heartbeat"), at(4, "session.expired")]
    )
    assert (made.last_work_at, made.last_heartbeat_at) == (MAY + timedelta(seconds=2), MAY + timedelta(seconds=3))
    assert (made.agent_status, made.agent_status_at) == ("started", MAY + timedelta(seconds=1))
    made = add(made, [at(5, "agent.crashed"), at(6, "agent.heartbeat"), at(7, "agent.flapping")])
    assert (made.last_work_at, made.last_heartbeat_at) == (MAY + timedelta(seconds=7), MAY + timedelta(seconds=6))
    assert (made.agent_status, made.agent_status_at) == ("crashed", MAY + timedelta(seconds=5))

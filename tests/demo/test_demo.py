"""The demo against a running installation: what its agent did, and what was recorded of it."""

import json
import sys
from collections import Counter
from datetime import datetime
from itertools import pairwise
from typing import Any

import psycopg
import pytest

from aresweb.demo import DemoError, run_all
from aresweb.demo.__main__ import main
from aresweb.demo.agent import Agent, Turn
from aresweb.demo.client import Client
from aresweb.demo.model import Story, finish, use
from aresweb.demo.recorder import Run
from aresweb.demo.scratch import SCHEMA, scratch
from aresweb.demo.troubles import TROUBLES, silent_failure
from memory.flight.hints.data import Hint
from memory.flight.hints.watch import watch
from memory.flight.trace import step_of
from tests.demo.conftest import Demo, Installation, Recorded
from tests.flight.hints.telling import Told

# Asks for the test database; what the demo commits there is taken away by the fixture `installation`.
pytestmark = pytest.mark.django_db
NAMES = [trouble.name for trouble in TROUBLES]


# What happened


def test_only_the_migration_that_cannot_have_its_lock_fails(demo: Demo) -> None:
    outcomes = {name: run.stream["outcome"] for name, run in demo.runs.items()}

    assert outcomes == {**dict.fromkeys(NAMES, "succeeded"), "lock-timeout": "failed"}


def test_the_silent_failure_reads_an_empty_result_and_answers_wrongly_without_any_error(demo: Demo) -> None:
    run = demo.runs["silent-failure"]
    version, result = next(
        (event["version"], event["payload"]) for event in run.events if event["type"] == "tool.result"
    )
    prompt = next(event for event in run.events if event["type"] == "llm.call" and event["version"] > version)

    assert (result["name"], result["content"], run.stream["error_count"]) == ("search_runbooks", "[]", 0)
    assert prompt["payload"]["messages"][-1] == {
        "role": "tool",
        "tool_call_id": result["tool_call_id"],
        "name": "search_runbooks",
        "content": "[]",
    }
    assert "RB-100" in run.answer
    assert "RB-207" not in run.answer


def test_the_silent_failure_is_the_only_run_with_a_hint_and_the_hint_is_the_right_one(demo: Demo) -> None:
    told = {name: _hints(run) for name, run in demo.runs.items()}

    assert {name for name, hints in told.items() if hints} == {"silent-failure"}
    [hint] = told["silent-failure"]
    run = demo.runs["silent-failure"]
    types = {event["version"]: event["type"] for event in run.events}
    assert (hint.rule, types[hint.version]) == ("empty_result", "tool.result")
    assert [types[version] for version in hint.evidence] == ["tool.result", "llm.call", "llm.response"]
    assert "search_runbooks" in hint.sentence


def _hints(run: Recorded) -> list[Hint]:
    watching = watch(None)
    return [hint for event in run.events for hint in watching.add(step_of(_told(event)))]


def _told(event: dict[str, Any]) -> Told:
    return Told(event["version"], event["type"], event["payload"], datetime.fromisoformat(event["occurred_at"]))


def test_the_right_runbook_was_there_under_another_service(installation: Installation) -> None:
    with scratch(installation.database) as schema, silent_failure.build(schema):
        found = silent_failure.Runbooks(schema).search_runbooks("PAY-5021", "payments")

    assert [runbook["id"] for runbook in found] == ["RB-207"]


def test_the_slow_query_is_answered_from_an_index_and_the_real_times_are_told(demo: Demo) -> None:
    run = demo.runs["slow-query"]
    results = run.payloads("tool.result")
    before, after = [json.loads(result["content"]) for result in results if result["name"] == "time_query"]
    plans = [result["content"] for result in results if result["name"] == "explain"]

    assert "Seq Scan on orders" in plans[0]
    assert "orders_customer_id" in plans[1]
    assert before["least_ms"] > 3 * after["least_ms"] > 0
    assert f"from {before['least_ms']} ms to {after['least_ms']} ms" in run.answer


def test_the_api_answers_once_the_agent_sends_the_header_and_waits_as_told(demo: Demo) -> None:
    run = demo.runs["api-error"]
    results = run.payloads("tool.result")
    statuses = [json.loads(result["content"])["status"] for result in results if result["name"] == "http_request"]
    [waited] = [result for result in results if result["name"] == "wait"]

    assert statuses == [500, 429, 200]
    assert waited["duration_ms"] >= 1000
    assert [result["error"]["message"][:3] for result in results if "error" in result] == ["500", "429"]


def test_the_gateway_answers_again_with_the_configuration_corrected(demo: Demo) -> None:
    contents = {result["name"]: result["content"] for result in demo.runs["bad-configuration"].payloads("tool.result")}

    assert json.loads(contents["http_request"])["status"] == 200
    assert json.loads(contents["check_port"])["listening"]
    assert f"upstream_port = {json.loads(contents['check_port'])['port']}" in contents["replace_in_file"]


def test_the_migration_is_tried_three_times_unchanged(demo: Demo) -> None:
    run = demo.runs["lock-timeout"]

    assert len({json.dumps(call["arguments"]) for call in run.payloads("tool.call")}) == 1
    assert [result["error"]["type"] for result in run.payloads("tool.result")] == ["LockNotAvailable"] * 3
    assert "lock timeout" in run.payloads("task.failed")[0]["output"]["error"]


def test_the_long_conversation_has_four_tasks_a_dozen_steps_and_tools_side_by_side(demo: Demo) -> None:
    run = demo.runs["shop-checkup"]
    causes = Counter(event["causation_id"] for event in run.events if event["type"] == "tool.call")

    assert len(run.payloads("task.completed")) == 4
    assert len(run.payloads("step.completed")) >= 12
    assert sorted(causes.values())[-3:] == [2, 3, 3]
    assert "/search" in run.payloads("task.completed")[2]["output"]["answer"]


def test_the_missing_orders_are_found_in_chinese(demo: Demo) -> None:
    assert "201 到 230" in demo.runs["missing-orders"].answer


# How it is recorded


@pytest.mark.parametrize("name", NAMES)
def test_every_event_names_the_earlier_event_that_caused_it(demo: Demo, name: str) -> None:
    events = demo.runs[name].events
    types = {event["id"]: event["type"] for event in events}
    position = {event["id"]: event["version"] for event in events}
    expected = {
        "llm.response": {"llm.call"},
        "tool.call": {"llm.response"},
        "tool.result": {"tool.call"},
        "llm.call": {"tool.result", "message.added"},
        "step.completed": {"step.started"},
        "step.failed": {"step.started"},
    }
    caused = [event for event in events if event["type"] in expected]

    assert all(types[event["causation_id"]] in expected[event["type"]] for event in caused)
    assert all(position[event["causation_id"]] < event["version"] for event in caused)
    tasks = {task["task_id"] for task in demo.runs[name].payloads("task.created")}
    assert {event["correlation_id"] for event in caused} == tasks


@pytest.mark.parametrize("name", NAMES)
def test_what_is_sent_to_the_model_is_the_conversation_so_far(demo: Demo, name: str) -> None:
    said: list[tuple[str, str]] = []
    for event in demo.runs[name].events:
        if event["type"] == "message.added":
            said.append((event["payload"]["role"], event["payload"]["content"]))
        elif event["type"] == "llm.call":
            assert [(message["role"], message["content"]) for message in event["payload"]["messages"]] == said


@pytest.mark.parametrize("name", NAMES)
def test_a_run_is_whole(demo: Demo, name: str) -> None:
    run = demo.runs[name]
    called = [call["tool_call_id"] for call in run.payloads("tool.call")]
    requested = [call["id"] for reply in run.payloads("llm.response") for call in reply.get("tool_calls", [])]

    assert run.events[-1]["type"] == "agent.stopped"
    assert run.stream["open_tasks"] == 0
    assert requested == called
    assert sorted(called) == sorted(result["tool_call_id"] for result in run.payloads("tool.result"))
    assert {reply["model"] for reply in run.payloads("llm.call", "llm.response")} == {"ares-demo-rules"}
    assert len(run.payloads("step.started")) == len(run.payloads("step.completed", "step.failed"))
    assert all(before["occurred_at"] <= after["recorded_at"] for before, after in pairwise(run.events))


def test_a_second_demo_with_the_same_seed_records_nothing(demo: Demo) -> None:
    assert [run.new for run in demo.first] == [True] * len(TROUBLES)
    assert [run.new for run in demo.second] == [False] * len(TROUBLES)
    assert [run.session_id for run in demo.first] == [run.session_id for run in demo.second]
    assert demo.streams_after_first == demo.streams_after_second


def test_a_run_that_was_abandoned_is_ended_once_and_done_again(demo: Demo) -> None:
    assert [event["type"] for event in demo.abandoned.events] == ["session.created", "agent.started", "agent.crashed"]
    assert demo.abandoned.stream["outcome"] == "failed"
    assert demo.before not in [run.session_id for run in demo.first]


def test_an_agent_that_breaks_down_leaves_its_error(client: Client) -> None:
    def plan(question: str) -> Story:
        yield use(question[1000])
        return finish("Never said.")

    session_id = client.post("/sessions", {"user_id": "mara"})["id"]
    with pytest.raises(IndexError):
        Agent(Run(client, session_id), []).work([Turn("What?", plan)])

    events = client.get(f"/streams/{session_id}/events", direction="backward")["results"]
    assert events[0]["type"] == "agent.crashed"
    assert events[0]["payload"]["error"]["type"] == "IndexError"


# The command, what stops it, and what is left


def test_the_command_tells_of_each_run_on_a_line(
    demo: Demo, installation: Installation, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _command(monkeypatch, installation, installation.key)
    main()

    expected = [f"was there  {run.session_id}  {run.title}" for run in demo.first]
    assert capsys.readouterr().out.splitlines() == expected


def test_the_command_ends_with_the_reason(installation: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    _command(monkeypatch, installation, "wrong")

    with pytest.raises(SystemExit, match=r"The demo has stopped\. GET .* 401"):
        main()


def test_a_wrong_key_stops_the_demo_with_the_reason(installation: Installation) -> None:
    with pytest.raises(DemoError, match="401 Unauthorized: The API key is unknown"):
        run_all(installation.url, "ares_wrong_key", installation.database)


def test_a_database_that_does_not_answer_stops_the_demo_with_the_reason(installation: Installation) -> None:
    with pytest.raises(DemoError, match="PostgreSQL, which does not answer"):
        run_all(installation.url, installation.key, "host=127.0.0.1 port=1 dbname=none")


def test_nothing_of_it_remains_in_the_database(demo: Demo, installation: Installation) -> None:
    with psycopg.connect(installation.database) as connection:
        found = connection.execute("SELECT count(*) FROM pg_namespace WHERE nspname = %s", [SCHEMA]).fetchone()

    assert found == (0,)


def _command(monkeypatch: pytest.MonkeyPatch, installation: Installation, key: str) -> None:
    options = ["--url", installation.url, "--key", key, "--database", installation.database, "--seed", "tests"]
    monkeypatch.setattr(sys, "argv", ["aresweb.demo", *options])

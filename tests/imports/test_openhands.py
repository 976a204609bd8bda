"""OpenHands event streams."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memory.imports import openhands
from tests.imports.examples import openhands_action, openhands_events, openhands_old_run, openhands_run
from tests.imports.reading import count, of_type, read, read_one, roles, types, units, write, write_lines


def test_an_action_is_an_answer_that_calls_a_tool_and_its_observation_the_result(tmp_path: Path) -> None:
    run = read_one(openhands, write_lines(tmp_path / "output.jsonl", [openhands_run()]))
    action = ["llm.response", "message.added", "tool.call"]
    assert types(run) == [
        "task.created",
        "message.added",
        "action.recall",
        "observation.recall",
        *action,
        "tool.result",
        "message.added",
        "observation.error",
        *action,
        "llm.response",
        "task.completed",
    ]
    assert [event.causes for event in run.events] == [
        None,
        None,
        None,
        2,
        None,
        4,
        5,
        6,
        7,
        None,
        None,
        10,
        11,
        None,
        None,
    ]
    assert roles(run) == ["user", "assistant", "tool", "assistant"]
    assert run.counts == {"events": 7}


def test_a_call_has_the_name_and_arguments_that_the_model_gave(tmp_path: Path) -> None:
    run = read_one(openhands, write(tmp_path / "trajs.json", openhands_events()))
    first = of_type(run, "tool.call")[0]
    assert first.payload == {"tool_call_id": "toolu_5", "name": "execute_bash", "arguments": {"command": "ls"}}


def test_exit_codes_and_error_events_are_errors(tmp_path: Path) -> None:
    run = read_one(openhands, write(tmp_path / "trajs.json", openhands_events()))
    result = of_type(run, "tool.result")[0]
    assert result.payload["error"] == {"type": "exit_code", "message": "exit code 2"}
    assert result.metadata == {"exit_code": 2}
    error = of_type(run, "observation.error")[0]
    assert error.payload == {"content": "Bad parameter", "error": {"type": "error", "message": "Bad parameter"}}
    assert count([run])["errors"] == 2


def test_an_exit_code_of_0_is_none(tmp_path: Path) -> None:
    events = openhands_events()
    events[4]["extras"]["metadata"]["exit_code"] = 0
    run = read_one(openhands, write(tmp_path / "trajs.json", events))
    assert "error" not in of_type(run, "tool.result")[0].payload


def test_the_metrics_tell_the_tokens_of_each_answer_and_none_is_lost(tmp_path: Path) -> None:
    run = read_one(openhands, write_lines(tmp_path / "output.jsonl", [openhands_run()]))
    answers = {event.payload["call_id"]: event.payload for event in of_type(run, "llm.response")}
    assert answers["gen-5"]["usage"] == {"input_tokens": 500, "output_tokens": 5, "cached_input_tokens": 400}
    assert answers["gen-5"]["duration_ms"] == 1500
    assert answers["gen-lost"]["usage"]["input_tokens"] == 700
    assert count([run])["input_tokens"] == 2000
    assert count([run])["output_tokens"] == 20


def test_without_metrics_an_answer_tells_its_own_tokens_once_however_many_calls_it_makes(tmp_path: Path) -> None:
    first = openhands_action(5, "run", "execute_bash", {"command": "ls"})
    second = openhands_action(6, "run", "execute_bash", {"command": "pwd"})
    calls = first["tool_call_metadata"]["model_response"]["choices"][0]["message"]["tool_calls"]
    calls += second["tool_call_metadata"]["model_response"]["choices"][0]["message"]["tool_calls"]
    second["tool_call_metadata"]["model_response"] = first["tool_call_metadata"]["model_response"]
    run = read_one(openhands, write(tmp_path / "trajs.json", [first, second]))
    assert types(run) == ["llm.response", "message.added", "tool.call", "tool.call"]
    assert [event.causes for event in run.events] == [None, 0, 1, 1]
    assert count([run])["input_tokens"] == 500
    del first["tool_call_metadata"]["model_response"]["id"]
    without_id = read_one(openhands, write(tmp_path / "trajs.json", [first, second]))
    assert count([without_id])["input_tokens"] == 500


def test_times_without_a_zone_are_taken_as_utc_and_the_run_says_so(tmp_path: Path) -> None:
    run = read_one(openhands, write(tmp_path / "trajs.json", openhands_events()))
    assert run.events[0].occurred_at == datetime(2025, 4, 30, 16, 45, tzinfo=UTC)
    assert "assumed UTC" in run.metadata["time_zone"]
    events = openhands_events()
    for event in events:
        event["timestamp"] += "+02:00"
    zoned = read_one(openhands, write(tmp_path / "trajs.json", events))
    assert zoned.events[0].occurred_at == datetime(2025, 4, 30, 14, 45, tzinfo=UTC)
    assert "time_zone" not in zoned.metadata


def test_the_older_shape_has_neither_ids_nor_sources(tmp_path: Path) -> None:
    run = read_one(openhands, write_lines(tmp_path / "output.jsonl", [openhands_old_run()]))
    asked = ["message.added", "tool.call"]
    assert types(run) == [
        "task.created",
        "message.added",
        *asked,
        "tool.result",
        "message.added",
        *asked,
        "task.failed",
    ]
    assert roles(run) == ["user", "assistant", "tool", "assistant"]
    assert run.events[2].payload["content"] == "Let me look."
    assert run.events[3].payload == {"tool_call_id": "imported_1", "name": "run", "arguments": {"command": "ls"}}
    assert run.events[4].payload["error"] == {"type": "exit_code", "message": "exit code 1"}
    assert run.title == "Add dark mode"
    assert run.events[-1].payload == {"output": {"git_patch": "diff", "basis": "The toggle is missing."}}


def finished(**fields: Any) -> dict[str, Any]:
    """A run whose agent says in its last action that the work is done; `fields` replace the run's."""
    return {**openhands_run(), **fields}


@pytest.mark.parametrize(
    ("run", "ending"),
    [
        (finished(), "task.completed"),
        (finished(error="ran out of steps"), "task.failed"),
        (finished(success=False), "task.failed"),
        (finished(test_result={"report": {"resolved": False}}), "task.failed"),
        (finished(test_result={"report": {"resolved": False}}, success=True), "task.completed"),
        (finished(history=openhands_events()[:-1]), None),
        (finished(instruction=""), None),
    ],
)
def test_a_task_ends_as_the_best_witness_says(tmp_path: Path, run: dict[str, Any], ending: str | None) -> None:
    read_run = read_one(openhands, write_lines(tmp_path / "output.jsonl", [run]))
    found = [kind for kind in types(read_run) if kind.startswith("task.")]
    assert found == (["task.created", ending] if ending else [])


def test_an_agent_that_gives_up_has_failed(tmp_path: Path) -> None:
    raw = openhands_run()
    raw["history"][-1]["args"]["task_completed"] = "false"
    assert types(read_one(openhands, write_lines(tmp_path / "output.jsonl", [raw])))[-1] == "task.failed"


def test_pictures_are_parts_of_a_message(tmp_path: Path) -> None:
    events = openhands_events()
    events[0]["args"]["image_urls"] = ["data:image/png;base64,AA", 5]
    run = read_one(openhands, write(tmp_path / "trajs.json", events))
    assert run.events[0].payload["content"] == [
        {"type": "text", "text": "Fix it"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}},
    ]
    assert run.title == "Fix it"


def test_secrets_of_the_configuration_are_not_imported(tmp_path: Path) -> None:
    run = read_one(openhands, write_lines(tmp_path / "output.jsonl", [openhands_run()]))
    assert "api_key" not in str(run.metadata)
    assert run.agent_id == "openhands/CodeActAgent/openai/m"


def test_a_broken_line_or_event_costs_only_itself(tmp_path: Path) -> None:
    raw = openhands_run()
    raw["history"][1] = {"id": 1}
    runs, skipped = read(
        openhands, write_lines(tmp_path / "output.jsonl", [raw, '{"history": [', {"a": 1}, openhands_old_run()])
    )
    assert [run.counts for run in runs] == [{"events": 6}, {"events": 4}]
    assert len(skipped) == 3


def test_the_sample_data_have_their_counts(sample_data: Callable[[str], Path]) -> None:
    folder = sample_data("openhands")
    names = ("multi_swe_bench_output.jsonl", "resolver_output.jsonl", "trajs/basic_gui_mode.json")
    swe, resolver, gui, rename = (
        read_one(openhands, folder / name) for name in (*names, "trajs/wrong_initial_state.json")
    )
    assert [units([run])["events"] for run in (swe, resolver, gui, rename)] == [70, 44, 18, 8]
    # Two exit codes, one error event, and the task that the agent gave up.
    assert count([swe])["errors"] == 4
    assert count([swe])["observation.error"] == 1
    assert count([swe])["llm.response"] == 33
    assert (count([swe])["input_tokens"], count([swe])["output_tokens"]) == (410169, 5156)
    assert types(resolver)[-1] == "task.completed"
    assert count([gui])["errors"] == 1
    assert all(
        event.causes is not None for run in (swe, resolver, gui, rename) for event in of_type(run, "tool.result")
    )

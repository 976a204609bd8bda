"""Inspect evaluation logs."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memory.imports import inspect_log
from memory.imports.run import Run
from tests.imports.examples import inspect_log as log
from tests.imports.examples import inspect_message, inspect_sample
from tests.imports.reading import count, of_type, read, read_one, roles, types, units, write


def read_sample(tmp_path: Path, sample: dict[str, Any]) -> Run:
    return read_one(inspect_log, write(tmp_path / "log.json", {**log(), "samples": [sample]}))


def test_events_tell_the_conversation_the_model_the_tools_and_the_score(tmp_path: Path) -> None:
    run = read_one(inspect_log, write(tmp_path / "log.json", log()))
    answer = ["llm.call", "llm.response", "message.added"]
    assert types(run) == [
        "task.created",
        "span.started",
        "message.added",
        *answer,
        "tool.call",
        "inspect.sandbox",
        "tool.result",
        "message.added",
        *answer,
        "score.given",
        "task.completed",
    ]
    assert [event.causes for event in run.events] == [
        None,
        None,
        None,
        None,
        3,
        4,
        5,
        None,
        6,
        8,
        None,
        10,
        11,
        None,
        None,
    ]
    assert roles(run) == ["user", "assistant", "tool", "assistant"]
    assert run.counts == {"samples": 1, "events": 6, "messages": 4}


def test_attachments_are_put_back(tmp_path: Path) -> None:
    run = read_one(inspect_log, write(tmp_path / "log.json", log()))
    assert run.events[2].payload == {"role": "user", "content": "What is the weather in Lima?"}
    sample = inspect_sample()
    sample["attachments"] = {"0a1b": ["no text"]}
    assert read_sample(tmp_path, sample).metadata["missing_attachments"] == 2 + 1


def test_tokens_are_told_once_an_answer(tmp_path: Path) -> None:
    run = read_one(inspect_log, write(tmp_path / "log.json", log()))
    assert count([run])["input_tokens"] == 200
    assert count([run])["output_tokens"] == 10
    first = of_type(run, "llm.response")[0].payload
    assert first["usage"]["cached_input_tokens"] == 60
    assert first["duration_ms"] == 1250


def test_an_answer_out_of_a_cache_costs_no_tokens_again(tmp_path: Path) -> None:
    sample = inspect_sample()
    sample["events"][4]["cache"] = "read"
    assert count([read_sample(tmp_path, sample)])["input_tokens"] == 100


def test_times_are_those_of_the_log_in_utc(tmp_path: Path) -> None:
    run = read_one(inspect_log, write(tmp_path / "log.json", log()))
    result = of_type(run, "tool.result")[0]
    assert of_type(run, "tool.call")[0].occurred_at == datetime(2025, 5, 13, 0, 27, 42, tzinfo=UTC)
    assert result.occurred_at == datetime(2025, 5, 13, 0, 27, 45, tzinfo=UTC)
    assert result.payload["duration_ms"] == 2500


def test_a_tools_error_is_kept_with_its_type(tmp_path: Path) -> None:
    sample = inspect_sample()
    sample["events"][2]["error"] = {"type": "timeout", "message": "too slow"}
    result = of_type(read_sample(tmp_path, sample), "tool.result")[0]
    assert result.payload["error"] == {"type": "timeout", "message": "too slow"}


def test_without_events_the_messages_tell_the_run(tmp_path: Path) -> None:
    sample = inspect_sample()
    del sample["events"]
    sample["messages"][2]["error"] = {"type": "permission", "message": "no"}
    run = read_sample(tmp_path, sample)
    asked = ["task.created", "message.added", "message.added", "tool.call", "tool.result"]
    assert types(run) == [*asked, "message.added", "message.added", "task.completed"]
    assert run.events[3].payload == {"tool_call_id": "call_1", "name": "lookup", "arguments": {"city": "Lima"}}
    assert run.events[4].payload["error"] == {"type": "permission", "message": "no"}
    assert run.events[6].payload["usage"]["input_tokens"] == 100
    assert run.counts["messages"] == 4


def test_messages_without_ids_are_told_once_although_each_call_sends_them_again(tmp_path: Path) -> None:
    sample = inspect_sample()
    for message in [*sample["messages"], *sample["events"][1]["input"], *sample["events"][4]["input"]]:
        message.pop("id", None)
    for event in (sample["events"][1], sample["events"][4]):
        event["output"]["choices"][0]["message"].pop("id", None)
    assert roles(read_sample(tmp_path, sample)) == ["user", "assistant", "tool", "assistant"]


def test_messages_that_no_model_saw_are_told_at_the_end(tmp_path: Path) -> None:
    sample = inspect_sample()
    sample["messages"].append(inspect_message(5, "user", "Thanks."))
    run = read_sample(tmp_path, sample)
    assert roles(run) == ["user", "assistant", "tool", "assistant", "user"]
    assert types(run)[-2:] == ["message.added", "task.completed"]


def test_calls_that_never_ran_are_told_as_asked(tmp_path: Path) -> None:
    sample = inspect_sample()
    del sample["events"][2]
    run = read_sample(tmp_path, sample)
    assert [event.causes for event in of_type(run, "tool.call")] == [types(run).index("tool.call") - 1]
    assert len(of_type(run, "tool.result")) == 1


def test_events_nested_in_others_are_told_after_them(tmp_path: Path) -> None:
    sample = inspect_sample()
    sample["events"][2]["events"] = [sample["events"].pop(3)]
    assert "inspect.sandbox" in types(read_sample(tmp_path, sample))


def test_changes_of_state_are_left_out_and_told(tmp_path: Path) -> None:
    sample = inspect_sample()
    sample["events"].append({"event": "state", "changes": []})
    _, skipped = read(inspect_log, write(tmp_path / "log.json", {**log(), "samples": [sample]}))
    assert [item.reason for item in skipped] == ["1 of sample_init, state, store only retell what others tell"]


@pytest.mark.parametrize(
    ("scores", "ending"),
    [
        ({"a": {"value": "C"}}, "task.completed"),
        ({"a": {"value": 1}, "b": {"value": True}}, "task.completed"),
        ({"a": {"value": "C"}, "b": {"value": "I"}}, "task.failed"),
        ({"a": {"value": 0.0}}, "task.failed"),
        ({"a": {"value": 0.5}}, None),
        ({"a": {"value": {"x": 1}}}, None),
        ({}, None),
        (None, None),
    ],
)
def test_scores_decide_how_the_task_ended(tmp_path: Path, scores: Any, ending: str | None) -> None:
    run = read_sample(tmp_path, {**inspect_sample(), "scores": scores})
    found = [kind for kind in types(run) if kind.startswith("task.")]
    assert found == (["task.created", ending] if ending else [])


def test_a_sample_that_ended_in_an_error_has_failed(tmp_path: Path) -> None:
    error = {"message": "out of memory", "traceback": "…", "traceback_ansi": "…"}
    run = read_sample(tmp_path, {**inspect_sample(), "error": error})
    assert run.events[-1].type == "task.failed"
    assert run.events[-1].payload["error"] == {"type": "error", "message": "out of memory"}


def test_each_sample_and_epoch_is_a_run_of_its_own(tmp_path: Path) -> None:
    first, second = inspect_sample(), inspect_sample()
    del first["uuid"], second["uuid"]
    second["epoch"] = 2
    runs, skipped = read(inspect_log, write(tmp_path / "log.json", {**log(), "samples": [first, second, "x"]}))
    assert [run.key.rpartition("/")[0] for run in runs] == ["inspect/R1/T1/1/1", "inspect/R1/T1/1/2"]
    assert [item.reason for item in skipped] == ["is no sample: it is not an object"]


def test_a_message_without_a_role_costs_only_itself(tmp_path: Path) -> None:
    sample = {**inspect_sample(), "events": []}
    sample["messages"].insert(0, {"content": "who?"})
    runs, skipped = read(inspect_log, write(tmp_path / "log.json", {**log(), "samples": [sample]}))
    assert runs[0].counts["messages"] == 4
    assert [item.reason for item in skipped] == ["is no message: it has no role"]


def test_a_log_without_samples_is_told(tmp_path: Path) -> None:
    runs, skipped = read(inspect_log, write(tmp_path / "log.json", {**log(), "samples": None}))
    assert runs == []
    assert len(skipped) == 1


def test_the_sample_data_have_their_counts(sample_data: Callable[[str], Path]) -> None:
    found = {path.name: read(inspect_log, path)[0] for path in sample_data("inspect-eval-logs").glob("*.json")}
    assert {name: len(runs) for name, runs in found.items()} == dict.fromkeys(found, 1)
    browser = found["2025-05-12T20-27-36-04-00_browser.json"]
    counts = count(browser)
    assert (counts["llm.call"], counts["llm.response"], counts["tool.call"], counts["tool.result"]) == (5, 5, 4, 4)
    assert (counts["span.started"], counts["span.ended"], counts["score.given"]) == (8, 8, 1)
    assert units(browser) == {"samples": 1, "events": 43, "messages": 10}
    assert (counts["input_tokens"], counts["output_tokens"]) == (15235, 281)
    assert "attachment://" not in str(browser[0].events)
    assert browser[0].events[-1].type == "task.completed"
    read_log = count(found["log_read_sample.json"])
    assert (read_log["llm.response"], read_log["input_tokens"], read_log["task.completed"]) == (1, 66, 1)
    failing = found["log_tool_call_error.json"]
    assert count(failing)["errors"] == count(failing)["tool.result"] == 11
    kinds = {event.payload["error"]["type"] for event in of_type(failing[0], "tool.result")}
    assert kinds == {
        *("parsing", "timeout", "unicode_decode", "permission", "file_not_found"),
        *("is_a_directory", "limit", "approval", "unknown", "output_limit"),
    }

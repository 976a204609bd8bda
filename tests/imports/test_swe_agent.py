"""SWE-agent trajectories."""

from collections.abc import Callable
from pathlib import Path

import pytest

from memory.imports import swe_agent
from tests.imports.examples import call, swe_agent_run
from tests.imports.reading import count, of_type, read, read_one, roles, types, units, write


def test_each_step_is_told_once_although_it_stands_in_the_file_twice(tmp_path: Path) -> None:
    run = read_one(swe_agent, write(tmp_path / "proj-1.traj", swe_agent_run()))
    step = ["message.added", "tool.call", "tool.result", "message.added"]
    assert types(run) == ["task.created", *["message.added"] * 3, *step, *step, "task.completed"]
    assert roles(run) == ["system", "assistant", "user", "assistant", "tool", "assistant", "tool"]
    assert run.counts == {"steps": 2}


def test_an_action_in_the_text_becomes_a_call_of_the_shell(tmp_path: Path) -> None:
    run = read_one(swe_agent, write(tmp_path / "proj-1.traj", swe_agent_run()))
    calls = of_type(run, "tool.call")
    assert [event.payload["name"] for event in calls] == ["shell", "shell"]
    assert [event.payload["arguments"] for event in calls] == [{"command": "edti 1"}, {"command": "submit"}]
    assert "tool_calls" in run.events[4].metadata


def test_a_result_is_the_observation_and_its_message_what_the_model_saw(tmp_path: Path) -> None:
    run = read_one(swe_agent, write(tmp_path / "proj-1.traj", swe_agent_run()))
    first, second = of_type(run, "tool.result")
    assert first.payload["content"] == "no such command"
    assert second.payload["content"] == "diff"
    assert second.payload["duration_ms"] == 250
    assert second.metadata["state"] == {"open_file": "a.py"}
    said = [event.payload["content"] for event in of_type(run, "message.added") if event.payload["role"] == "tool"]
    assert said == ["no such command", "diff\n(Open file: a.py)\nbash-$"]


def test_demonstrations_are_marked(tmp_path: Path) -> None:
    run = read_one(swe_agent, write(tmp_path / "proj-1.traj", swe_agent_run()))
    assert [event.metadata.get("is_demo") for event in run.events[1:4]] == [None, True, None]


def test_the_task_is_the_issue_and_ends_as_the_agent_left(tmp_path: Path) -> None:
    run = read_one(swe_agent, write(tmp_path / "proj-1.traj", swe_agent_run()))
    assert run.events[0].payload == {"input": "Rounding is wrong\nSee code."}
    assert run.title == "Rounding is wrong"
    output = run.events[-1].payload["output"]
    assert (output["exit_status"], output["submission"]) == ("submitted", "diff")


def test_the_configured_problem_comes_before_the_prompt(tmp_path: Path) -> None:
    raw = swe_agent_run()
    raw["replay_config"]["problem_statement"]["text"] = "From the configuration"
    run = read_one(swe_agent, write(tmp_path / "a.traj", raw))
    assert run.events[0].payload == {"input": "From the configuration"}


@pytest.mark.parametrize("status", ["exit_cost", "submitted (exit_context)", "exit_format"])
def test_any_other_exit_is_a_failure(tmp_path: Path, status: str) -> None:
    raw = swe_agent_run()
    raw["info"]["exit_status"] = status
    run = read_one(swe_agent, write(tmp_path / "a.traj", raw))
    assert types(run)[-1] == "task.failed"


def test_a_run_that_broke_off_has_no_task(tmp_path: Path) -> None:
    raw = swe_agent_run()
    raw["info"] = {}
    assert "task.created" not in types(read_one(swe_agent, write(tmp_path / "a.traj", raw)))


def test_totals_of_tokens_stay_totals_and_are_no_steps_usage(tmp_path: Path) -> None:
    run = read_one(swe_agent, write(tmp_path / "a.traj", swe_agent_run()))
    assert run.metadata["model_stats"] == {"tokens_sent": 700, "tokens_received": 30, "api_calls": 3}
    assert count([run])["input_tokens"] == 0


def test_function_calls_come_from_the_history_with_their_ids(tmp_path: Path) -> None:
    raw = swe_agent_run()
    raw["history"][3]["tool_calls"] = [call("call_9", "submit", "{}")]
    raw["history"][4] = {"role": "tool", "content": "diff seen", "tool_call_ids": ["call_9"]}
    run = read_one(swe_agent, write(tmp_path / "a.traj", raw))
    last = of_type(run, "tool.result")[-1]
    assert last.payload == {"tool_call_id": "call_9", "name": "submit", "content": "diff", "duration_ms": 250}


def test_a_step_without_an_action_calls_no_tool(tmp_path: Path) -> None:
    raw = swe_agent_run()
    raw["trajectory"] = [{"action": "", "observation": "Use the format.", "response": "Hm.", "state": "{}"}]
    raw["history"] = []
    run = read_one(swe_agent, write(tmp_path / "a.traj", raw))
    assert types(run) == ["task.created", "message.added", "message.added", "task.completed"]
    assert roles(run) == ["assistant", "user"]


def test_messages_that_belong_to_no_step_are_told(tmp_path: Path) -> None:
    raw = swe_agent_run()
    raw["history"].append({"role": "assistant", "content": "lost", "action": "lost"})
    _, skipped = read(swe_agent, write(tmp_path / "a.traj", raw))
    assert [item.reason for item in skipped] == ["1 of its messages belong to no step of the trajectory"]


def test_a_step_of_a_wrong_type_costs_only_itself(tmp_path: Path) -> None:
    raw = swe_agent_run()
    raw["trajectory"][0] = "nothing"
    runs, skipped = read(swe_agent, write(tmp_path / "a.traj", raw))
    assert runs[0].counts == {"steps": 1}
    assert len(skipped) == 1


def test_a_state_that_is_no_json_is_kept_as_text(tmp_path: Path) -> None:
    raw = swe_agent_run()
    raw["trajectory"][0]["state"] = "{broken"
    run = read_one(swe_agent, write(tmp_path / "a.traj", raw))
    assert of_type(run, "tool.result")[0].metadata["state"] == "{broken"


def test_the_key_follows_the_content_and_not_the_name(tmp_path: Path) -> None:
    first = read_one(swe_agent, write(tmp_path / "a.traj", swe_agent_run()))
    again = read_one(swe_agent, write(tmp_path / "b.traj.gz", swe_agent_run()))
    raw = swe_agent_run()
    raw["info"]["submission"] = "another"
    other = read_one(swe_agent, write(tmp_path / "c.traj", raw))
    assert first.key == again.key != other.key


def test_the_sample_data_have_their_counts(sample_data: Callable[[str], Path]) -> None:
    paths = sorted(sample_data("swe-agent").rglob("*.traj"))
    runs = [read_one(swe_agent, path) for path in paths]
    assert len(runs) == len({run.key for run in runs}) == 8
    assert units(runs) == {"steps": 89}
    counts = count(runs)
    assert counts["tool.call"] == counts["tool.result"] == 89
    assert counts["task.completed"] == 8
    # Two messages a step, and before them the system's and the problem's.
    assert counts["message.added"] == 2 * 89 + 2 * 8
    marshmallow = [run for run in runs if run.metadata["instance"] == "marshmallow-code__marshmallow-1867"]
    assert len(marshmallow) == 6
    assert {run.events[0].payload["input"].splitlines()[0] for run in marshmallow} == {
        "TimeDelta serialization precision"
    }

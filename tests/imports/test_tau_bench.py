"""tau-bench results."""

from collections.abc import Callable
from pathlib import Path

import pytest

from memory.imports import tau_bench
from tests.imports.examples import tau_bench_run
from tests.imports.reading import count, of_type, read, read_one, types, units, write


def test_a_run_is_a_task_with_its_conversation(tmp_path: Path) -> None:
    run = read_one(tau_bench, write(tmp_path / "small-model-retail.json", [tau_bench_run()]))
    assert types(run)[0] == "task.created"
    assert types(run)[-1] == "task.completed"
    assert run.events[0].payload == {"input": "You want to know the weather."}
    assert run.events[-1].payload == {"output": {"reward": 1.0, "checks": {"r": 1.0}}}
    assert run.agent_id == "tau-bench/retail/small-model"
    assert run.user_id == "ana_1"
    assert run.title == "retail task 4, trial 0: What is the weather in Lima?"
    assert run.counts == {"messages": 5, "tool_results": 1, "tool_errors": 0}


def test_the_reference_solution_is_kept_beside_the_run(tmp_path: Path) -> None:
    run = read_one(tau_bench, write(tmp_path / "a.json", [tau_bench_run()]))
    assert run.metadata["actions"] == [{"name": "lookup", "kwargs": {"city": "Lima"}}]
    assert run.metadata["outputs"] == ["sunny"]
    assert (run.metadata["task_id"], run.metadata["trial"]) == (4, 0)


@pytest.mark.parametrize("reward", [0, 0.0, 0.5, -1])
def test_any_other_reward_than_one_is_a_failure(tmp_path: Path, reward: float) -> None:
    run = read_one(tau_bench, write(tmp_path / "a.json", [tau_bench_run(reward)]))
    assert types(run)[-1] == "task.failed"


@pytest.mark.parametrize("reward", [None, "1", True, [], float("nan")])
def test_without_a_reward_there_is_no_task_that_would_stay_open(tmp_path: Path, reward: object) -> None:
    run = read_one(tau_bench, write(tmp_path / "a.json", [tau_bench_run(reward)]))
    assert not {kind for kind in types(run) if kind.startswith("task.")}
    assert run.metadata["instruction"] == "You want to know the weather."


def test_a_result_that_begins_with_error_is_one(tmp_path: Path) -> None:
    raw = tau_bench_run()
    raw["traj"][3]["content"] = "Error: no such city"
    raw["traj"][4]["content"] = "Error: but this is no tool's"
    run = read_one(tau_bench, write(tmp_path / "a.json", [raw]))
    assert [event.payload.get("error") for event in of_type(run, "tool.result")] == ["Error: no such city"]
    assert count([run])["errors"] == run.counts["tool_errors"] == 1


def test_the_policy_tells_the_domain_where_the_file_name_does_not(tmp_path: Path) -> None:
    raw = tau_bench_run()
    raw["traj"][0]["content"] = "# Airline Agent Policy\n\nBe kind."
    assert read_one(tau_bench, write(tmp_path / "a.json", [raw])).agent_id == "tau-bench/airline"
    assert read_one(tau_bench, write(tmp_path / "b.json", [tau_bench_run()])).agent_id == "tau-bench"


def test_the_same_task_and_trial_of_two_runs_has_two_keys_and_the_path_does_not_matter(tmp_path: Path) -> None:
    other = tau_bench_run()
    other["traj"][4]["content"] = "It rains."
    runs, _ = read(tau_bench, write(tmp_path / "a.json", [tau_bench_run(), other]))
    again, _ = read(tau_bench, write(tmp_path / "b.json.gz", [tau_bench_run(), other]))
    assert runs[0].key != runs[1].key
    assert [run.key for run in runs] == [run.key for run in again]


def test_a_broken_run_costs_only_itself(tmp_path: Path) -> None:
    runs, skipped = read(tau_bench, write(tmp_path / "a.json", [5, {"traj": None}, tau_bench_run(), {"traj": []}]))
    assert len(runs) == 1
    assert [item.where.rpartition(": ")[2] for item in skipped] == ["record 1", "record 2", "record 4"]


def test_a_broken_message_costs_only_itself(tmp_path: Path) -> None:
    raw = tau_bench_run()
    raw["traj"][0] = {"content": "no role"}
    runs, skipped = read(tau_bench, write(tmp_path / "a.json", [raw]))
    assert runs[0].counts["messages"] == 4
    assert [item.where.rpartition(": ")[2] for item in skipped] == ["message 1"]


def test_the_sample_data_have_their_counts(sample_data: Callable[[str], Path]) -> None:
    runs, skipped = read(tau_bench, sample_data("tau-bench-airline") / "gpt-4o-airline.json.gz")
    assert skipped == []
    assert len(runs) == len({run.key for run in runs}) == 98
    assert units(runs) == {"messages": 2462, "tool_results": 567, "tool_errors": 21}
    counts = count(runs)
    assert counts["message.added"] == 2462
    assert counts["tool.call"] == counts["tool.result"] == 567
    assert (counts["task.completed"], counts["task.failed"]) == (48, 50)
    assert counts["errors"] == 21 + 50
    assert {run.agent_id for run in runs} == {"tau-bench/airline/gpt-4o"}
    assert all(event.causes is not None for run in runs for event in of_type(run, "tool.result"))

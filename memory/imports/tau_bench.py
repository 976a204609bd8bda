"""tau-bench results: a JSON array of runs, each with its task, its chat messages and its reward."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memory.imports.fields import Fields, mapping, number, sequence, string
from memory.imports.files import Record, records
from memory.imports.outline import outline
from memory.imports.run import Run, Skipped
from memory.imports.transcript import Transcript, run_key
from memory.vocabulary import EventType, MessageRole

NAME = "tau_bench"

# The data name neither domain nor model: the file's name has both, and the agent's policy begins with the domain.
_FILE_NAME = re.compile(r"(?P<model>.+?)-(?P<domain>airline|retail|telecom)\b")
_POLICY = re.compile(r"#\s*(\w+) agent policy", re.IGNORECASE)
_REWARD_TOLERANCE = 1e-6


def matches(path: Path, head: bytes) -> bool:
    """See `Format.matches`."""
    keys = outline(head)
    return "traj[]" in keys and not keys.isdisjoint({"task_id", "reward", "info"})


def read(path: Path) -> Iterator[Run | Skipped]:
    """See `Format.read`."""
    for record in records(path):
        if isinstance(record, Skipped):
            yield record
        elif not isinstance(mapping(record.value).get("traj"), list):
            yield Skipped(record.where, "is not a tau-bench run: it has no list `traj`")
        else:
            yield from _run(path, record)


def _run(path: Path, record: Record) -> Iterator[Run | Skipped]:
    run: Fields = record.value
    info = mapping(run.get("info"))
    task = mapping(info.get("task"))
    reward = number(run.get("reward"))
    transcript = Transcript(record.where)
    if reward is not None:
        transcript.add(EventType.TASK_CREATED, {"input": string(task.get("instruction"))})
    counts = _tell_messages(transcript, run["traj"])
    if reward is not None:
        solved = abs(reward - 1) <= _REWARD_TOLERANCE
        checks = mapping(mapping(info.get("reward_info")).get("info"))
        output = {"reward": reward, "checks": checks}
        transcript.add(EventType.TASK_COMPLETED if solved else EventType.TASK_FAILED, {"output": output})
    model, domain = _model_and_domain(path, run["traj"])
    name = f"{domain or 'tau-bench'} task {run.get('task_id')}, trial {run.get('trial')}"
    yield from transcript.finish(
        key=run_key("tau-bench", domain, run.get("task_id"), run.get("trial"), content=run),
        title=f"{name}: {_first_request(run['traj'])}",
        agent_id="/".join(part for part in ("tau-bench", domain, model) if part),
        user_id=string(task.get("user_id")),
        counts=counts,
        metadata={
            "task_id": run.get("task_id"),
            "trial": run.get("trial"),
            "instruction": string(task.get("instruction")) if reward is None else None,
            "actions": sequence(task.get("actions")),
            "outputs": sequence(task.get("outputs")),
            "user_cost": number(info.get("user_cost")),
        },
    )


def _tell_messages(transcript: Transcript, messages: list[Any]) -> dict[str, int]:
    counts = {"messages": 0, "tool_results": 0, "tool_errors": 0}
    for place, message in enumerate(messages, start=1):
        if not string(mapping(message).get("role")):
            transcript.skip(f"message {place}", "is no message: it has no role")
            continue
        content = string(message.get("content"))
        is_result = message["role"] == MessageRole.TOOL
        failed = is_result and content.startswith("Error")
        transcript.say(message, error=content if failed else None)
        counts["messages"] += 1
        counts["tool_results"] += is_result
        counts["tool_errors"] += failed
    return counts


def _model_and_domain(path: Path, messages: list[Any]) -> tuple[str, str]:
    """The model and the domain, each "" where it is not known."""
    named = _FILE_NAME.match(path.name)
    policy = _POLICY.search(string(mapping(messages[0]).get("content"))) if messages else None
    domain = policy[1].lower() if policy else named["domain"] if named else ""
    return named["model"] if named else "", domain


def _first_request(messages: list[Any]) -> str:
    said = (mapping(message) for message in messages)
    return next((string(message.get("content")) for message in said if message.get("role") == MessageRole.USER), "")

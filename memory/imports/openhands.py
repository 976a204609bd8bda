"""OpenHands: `output.jsonl` with one run a line (older and newer shape), or a JSON array of one run's events.

An action of the agent is a tool call that its model asked for; the observation that names it as its cause is its
result. What only OpenHands knows (recalls, changes of the agent's state) keeps its name: `action.…`, `observation.…`.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memory.events.facts import text_of
from memory.imports.fields import Fields, mapping, number, string
from memory.imports.files import records
from memory.imports.openhands_stream import Stream
from memory.imports.outline import outline
from memory.imports.run import Payload, Run, Skipped
from memory.imports.transcript import Transcript, run_key
from memory.vocabulary import EventType

NAME = "openhands"

_EVENT_KEYS = frozenset({"action", "observation"})
_RUN_KEYS = frozenset({"instance_id", "instruction", "issue", "test_result", "git_patch", "metrics"})


def matches(path: Path, head: bytes) -> bool:
    """See `Format.matches`. A run's patch may come before its history and fill the head."""
    keys = outline(head)
    is_run = len(keys & _RUN_KEYS) >= 2 and not keys.isdisjoint(
        {"history[].action", "history[].observation", "test_result.git_patch", "git_patch"}
    )
    are_events = "source" in keys and not keys.isdisjoint(_EVENT_KEYS) and not keys.isdisjoint({"args", "extras"})
    return is_run or are_events


def read(path: Path) -> Iterator[Run | Skipped]:
    """See `Format.read`."""
    events: list[Any] = []
    for record in records(path):
        if isinstance(record, Skipped):
            yield record
        elif isinstance(mapping(record.value).get("history"), list):
            yield from _run(record.where, record.value, record.value["history"])
        elif _EVENT_KEYS & mapping(record.value).keys():
            events.append(record.value)
        else:
            yield Skipped(record.where, "is neither a run with a `history` nor an event")
    if events:
        yield from _run(str(path), {}, events)


def _run(where: str, run: Fields, history: list[Any]) -> Iterator[Run | Skipped]:
    instruction = string(run.get("instruction"))
    metrics = mapping(run.get("metrics"))
    transcript = Transcript(where)
    stream = Stream(transcript, metrics)
    verdict = _verdict(run, history)
    if verdict:
        transcript.add(EventType.TASK_CREATED, {"input": instruction})
    told = sum(stream.tell(event, place) for place, event in enumerate(history, start=1))
    stream.tell_unmatched_usage()
    if verdict:
        transcript.add(*verdict)
    metadata = mapping(run.get("metadata"))
    agent = string(metadata.get("agent_class"))
    model = string(mapping(metadata.get("llm_config")).get("model")) or stream.model
    instance = mapping(run.get("instance"))
    yield from transcript.finish(
        key=run_key("openhands", run.get("instance_id"), content=run or history),
        title=_problem(run) or stream.first_request or instruction,
        agent_id="/".join(filter(None, ("openhands", agent, model))),
        counts={"events": told},
        metadata={
            "instance_id": run.get("instance_id"),
            "repo": instance.get("repo"),
            "base_commit": instance.get("base_commit") or run.get("base_commit"),
            "instruction": None if verdict else instruction,
            "accumulated_cost": number(metrics.get("accumulated_cost")),
            "accumulated_token_usage": mapping(metrics.get("accumulated_token_usage")),
            "time_zone": "assumed UTC: the origin names none" if stream.lacks_zone else None,
        },
    )


def _problem(run: Fields) -> str:
    """The problem's own title."""
    statement = string(mapping(run.get("instance")).get("problem_statement"))
    return string(mapping(run.get("issue")).get("title")) or statement.strip().partition("\n")[0]


def _verdict(run: Fields, history: list[Any]) -> tuple[str, Payload] | None:
    """How the run's task ended; None for runs without a task, or where nobody says."""
    if not string(run.get("instruction")):
        return None
    test_result = mapping(run.get("test_result"))
    output: Payload = {"git_patch": string(run.get("git_patch")) or string(test_result.get("git_patch"))}
    if run.get("error"):
        return EventType.TASK_FAILED, {"output": output, "error": text_of(run["error"])}
    resolved = mapping(test_result.get("report")).get("resolved")
    finish = next((event for event in map(mapping, reversed(history)) if event.get("action") == "finish"), None)
    if isinstance(run.get("success"), bool):
        succeeded, basis = run["success"], string(run.get("result_explanation"))
    elif isinstance(resolved, bool):
        succeeded, basis = resolved, "the benchmark's tests"
    elif finish is not None:
        # Since there is a claim it says whether the work is done; before, to finish meant that it is.
        claim = mapping(finish.get("args")).get("task_completed", "true")
        succeeded, basis = str(claim).lower() == "true", "the agent's own word"
    else:
        return None
    return EventType.TASK_COMPLETED if succeeded else EventType.TASK_FAILED, {"output": {**output, "basis": basis}}

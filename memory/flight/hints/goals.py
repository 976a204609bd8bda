"""What was to be done and was not: open tasks when the agent stops, requests without an answer, long silence. Pure."""

import re
from collections.abc import Iterator
from statistics import median
from typing import Any

from memory.flight.hints.data import Found, Kind, Memory, Place, Scene, keep
from memory.flight.hints.moves import users
from memory.vocabulary import HOUSEKEEPING, EventType, HintRule

MOST_OPEN = 20
# The stall of `ARES_STALL_SECONDS`, by default, and so many times what is usual between two events of the run.
SILENT_SECONDS = 300.0
TIMES_USUAL = 20
MOST_GAPS = 50
SHORTEST_REQUEST = 12
_THANKS = re.compile(r"\b(?:thanks?|thank you|bye|goodbye|that's all|great)\b|谢|再见|好的", re.IGNORECASE)
_NO_WORK = HOUSEKEEPING | {EventType.AGENT_HEARTBEAT}
_ENDS = frozenset({EventType.AGENT_STOPPED})


def dropped_goals(scene: Scene, memory: Memory) -> Iterator[Found]:
    """Told when the agent stops: until then anything may still be done. The last word may be a person's thanks."""
    step = scene.step
    tasks: list[dict[str, Any]] = memory.setdefault("tasks", [])
    for move in scene.moves:
        if move.kind is Kind.SAID and (move.text.strip() or move.asks):
            memory.pop("request", None)
    if any(len(move.text) >= SHORTEST_REQUEST and not _THANKS.search(move.text) for move in users(scene)):
        memory.setdefault("request", [step.version, scene.here.tokens])
    task_id = str(step.payload.get("task_id", ""))[:200]
    match step.type:
        case EventType.TASK_CREATED:
            keep(memory, "tasks", {"id": task_id, "version": step.version, "tokens": scene.here.tokens}, MOST_OPEN)
        case EventType.TASK_COMPLETED | EventType.TASK_FAILED | EventType.TASK_EXPIRED:
            tasks[:] = [task for task in tasks if task["id"] != task_id]
        case EventType.AGENT_STARTED | EventType.AGENT_RESTORED:
            memory["agents"] = memory.get("agents", 0) + 1
        case EventType.AGENT_CRASHED:
            memory["agents"] = max(0, memory.get("agents", 0) - 1)
        case EventType.AGENT_STOPPED:
            memory["agents"] = max(0, memory.get("agents", 0) - 1)
            if not memory["agents"]:
                yield from _left_open(scene, tasks)
                yield from _unanswered(scene, memory)


def _left_open(scene: Scene, tasks: list[dict[str, Any]]) -> Iterator[Found]:
    for task in tasks:
        sentence = "The agent stopped, and this task was neither completed nor reported as failed."
        at = Place(task["version"], task["tokens"])
        yield Found(HintRule.DROPPED_GOAL, at, (task["version"], scene.here.version), sentence)
    tasks.clear()


def _unanswered(scene: Scene, memory: Memory) -> Iterator[Found]:
    request = memory.pop("request", None)
    if request:
        sentence = "The run came to its end, and nothing was said or done about this request."
        yield Found(HintRule.DROPPED_GOAL, Place(*request), (request[0], scene.here.version), sentence)


def silences(scene: Scene, memory: Memory) -> Iterator[Found]:
    """A long gap before this event while a task was open and the agent had to act: nobody else was asked.

    Known only when the run goes on; a run that never does is what an agent's health tells.
    """
    step = scene.step
    if step.type in _NO_WORK:
        return
    now = step.occurred_at.timestamp()
    last = memory.get("last")
    kinds = {move.kind for move in scene.moves}
    if last:
        gap = now - last["at"]
        gaps = memory.get("gaps", [])
        limit = max(SILENT_SECONDS, TIMES_USUAL * median(gaps) if gaps else 0.0)
        if gap > limit and memory.get("open") and last["acts"] and Kind.ASKED not in kinds:
            sentence = f"With an open task, nothing happened for {gap:,.0f} s after this event."
            at = Place(last["version"], last["tokens"])
            yield Found(HintRule.SILENT_AGENT, at, (last["version"], step.version), sentence)
        if gap >= 0:
            keep(memory, "gaps", round(gap, 3), MOST_GAPS)
    if step.type == EventType.TASK_CREATED:
        memory["open"] = memory.get("open", 0) + 1
    elif step.type in {EventType.TASK_COMPLETED, EventType.TASK_FAILED}:
        memory["open"] = max(0, memory.get("open", 0) - 1)
    memory["last"] = {"at": now, "version": step.version, "tokens": scene.here.tokens, "acts": _must_act(scene)}


def _must_act(scene: Scene) -> bool:
    """Whether it is the agent's turn after this event: a tool that still works and a person who is asked take their
    own time."""
    kinds = {move.kind for move in scene.moves}
    if Kind.SAID in kinds:
        return False
    return scene.step.type not in {EventType.TOOL_CALL, EventType.LLM_RESPONSE, *_ENDS}

"""What happens in a run, each once: an answer, a call and its result are told by several events. Pure.

docs/events.md says which events a tool call makes when it is seen from all sides; most runs tell a part of them.
"""

import json
from collections.abc import Iterator
from typing import Any

from memory.flight.hints.data import Kind, Memory, Move, Scene, digest, keep
from memory.flight.trace import Step
from memory.vocabulary import EventType, MessageRole

# Calls that wait for their results, and results whose second telling is still expected.
MOST_OPEN = 50


def read(step: Step, memory: Memory) -> Iterator[Move]:
    """The moves of one event. `memory` is what earlier events have told."""
    if step.is_prompt:
        yield Move(Kind.PROMPTED, speaker=step.speaker)
    elif step.type == EventType.TOOL_CALL:
        yield from _called(step, memory)
    elif step.is_result:
        yield from _returned(step, memory)
    elif step.is_answer:
        yield from _said(step, memory)
    elif step.type == EventType.MESSAGE_ADDED and step.role == MessageRole.USER:
        memory.pop("said", None)
        yield Move(Kind.ASKED, step.text, step.speaker)


def users(scene: Scene) -> Iterator[Move]:
    """What a person asked for in this event: not what one agent tells another under a name of its own."""
    return (move for move in scene.moves if move.kind is Kind.ASKED and move.speaker == MessageRole.USER)


def readable(arguments: Any) -> Any:
    """Arguments as an object where they are the JSON text of one."""
    if isinstance(arguments, str):
        try:
            return json.loads(arguments)
        except ValueError:
            return arguments
    return arguments


def written(arguments: Any) -> str:
    """Arguments as one text, the same for the same ones in whatever order and form."""
    return json.dumps(readable(arguments), ensure_ascii=False, sort_keys=True, default=str)


def _said(step: Step, memory: Memory) -> Iterator[Move]:
    told = digest(step.text, *(f"{asked.name} {written(asked.arguments)}" for asked in step.asked))
    earlier = memory.pop("said", None)
    if earlier and earlier[0] == told and earlier[1] != step.type:
        return
    memory["said"] = [told, step.type]
    yield Move(
        Kind.SAID, step.text, step.speaker or MessageRole.ASSISTANT, asks=tuple(asked.name for asked in step.asked)
    )
    for asked in step.asked:
        call = digest(asked.name, written(asked.arguments))
        keep(memory, "open", [asked.call_id, asked.name, call, step.version, "asked"], MOST_OPEN)
        yield Move(Kind.CALLED, tool=asked.name, call=call, arguments=asked.arguments, called_at=step.version)


def _called(step: Step, memory: Memory) -> Iterator[Move]:
    """A call that is made; nothing where an answer asked for it, which was told already."""
    arguments = step.payload.get("arguments")
    call = digest(step.tool, written(arguments))
    for waiting in memory.get("open", ()):
        if waiting[4] == "asked" and _same(waiting, step.call_id, step.tool):
            waiting[2:] = [call, step.version, "made"]
            return
    keep(memory, "open", [step.call_id, step.tool, call, step.version, "made"], MOST_OPEN)
    yield Move(Kind.CALLED, tool=step.tool, call=call, arguments=arguments, called_at=step.version)


def _returned(step: Step, memory: Memory) -> Iterator[Move]:
    """What a call brought; nothing for the message that hands on a result which was told already."""
    told = [step.call_id, digest(step.text)]
    handed_on: list[list[str]] = memory.setdefault("results", [])
    if step.type == EventType.MESSAGE_ADDED and told in handed_on:
        handed_on.remove(told)
        return
    if step.type == EventType.TOOL_RESULT:
        keep(memory, "results", told, MOST_OPEN)
    waiting = memory.get("open", [])
    found = next((call for call in waiting if _same(call, step.call_id, step.tool)), None)
    if found:
        waiting.remove(found)
    _, tool, call, version, _ = found or ["", step.tool, "", None, ""]
    yield Move(Kind.RETURNED, step.text, tool=step.tool or tool, call=call, called_at=version)


def _same(waiting: list[Any], call_id: str, tool: str) -> bool:
    """Whether a call that waits is the one meant: by its id where both have one, else by its tool."""
    if waiting[0] and call_id:
        return bool(waiting[0] == call_id)
    return not tool or bool(waiting[1] == tool)

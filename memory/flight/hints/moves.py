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
# Longer names of tools, speakers and calls are known by their beginnings.
NAME_LENGTH = 200


def read(step: Step, memory: Memory) -> Iterator[Move]:
    """The moves of one event. `memory` is what earlier events have told."""
    if step.is_prompt:
        yield Move(Kind.PROMPTED, speaker=_short(step.speaker))
    elif step.type == EventType.TOOL_CALL:
        yield from _called(step, memory)
    elif step.is_result:
        yield from _returned(step, memory)
    elif step.is_answer:
        yield from _said(step, memory)
    elif step.type == EventType.MESSAGE_ADDED and step.role == MessageRole.USER:
        memory.pop("said", None)
        yield Move(Kind.ASKED, step.text, _short(step.speaker))


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
    speaker = _short(step.speaker) or MessageRole.ASSISTANT
    yield Move(Kind.SAID, step.text, speaker, asks=tuple(_short(asked.name) for asked in step.asked))
    for asked in step.asked:
        call = digest(asked.name, written(asked.arguments))
        name = _short(asked.name)
        keep(memory, "open", [_short(asked.call_id), name, call, step.version, "asked"], MOST_OPEN)
        yield Move(Kind.CALLED, tool=name, call=call, arguments=asked.arguments, called_at=step.version)


def _called(step: Step, memory: Memory) -> Iterator[Move]:
    """A call that is made; nothing where an answer asked for it, which was told already."""
    arguments = step.payload.get("arguments")
    call_id, tool = _short(step.call_id), _short(step.tool)
    call = digest(step.tool, written(arguments))
    for waiting in memory.get("open", ()):
        if waiting[4] == "asked" and _same(waiting, call_id, tool):
            waiting[2:] = [call, step.version, "made"]
            return
    keep(memory, "open", [call_id, tool, call, step.version, "made"], MOST_OPEN)
    yield Move(Kind.CALLED, tool=tool, call=call, arguments=arguments, called_at=step.version)


def _returned(step: Step, memory: Memory) -> Iterator[Move]:
    """What a call brought; nothing for the message that hands on a result which was told already."""
    call_id, tool = _short(step.call_id), _short(step.tool)
    told = [call_id, digest(step.text)]
    handed_on: list[list[str]] = memory.setdefault("results", [])
    if step.type == EventType.MESSAGE_ADDED and told in handed_on:
        handed_on.remove(told)
        return
    if step.type == EventType.TOOL_RESULT:
        keep(memory, "results", told, MOST_OPEN)
    waiting = memory.get("open", [])
    found = next((call for call in waiting if _same(call, call_id, tool)), None)
    if found:
        waiting.remove(found)
    _, called, call, version, _ = found or ["", "", "", None, ""]
    yield Move(Kind.RETURNED, step.text, tool=tool or called, call=call, called_at=version)


def _short(name: str) -> str:
    return name[:NAME_LENGTH]


def _same(waiting: list[Any], call_id: str, tool: str) -> bool:
    """Whether a call that waits is the one meant: by its id where both have one, else by its tool."""
    if waiting[0] and call_id:
        return bool(waiting[0] == call_id)
    return not tool or bool(waiting[1] == tool)

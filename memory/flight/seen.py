"""Which messages a prompt held, and since when one is missing. Pure.

A message is recognised by its id where a context names ids, by the ids of its tool calls, or by its text; the same
words said twice by the same role cannot be told apart.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from memory.events import facts

Marks = frozenset[str]


@dataclass(frozen=True, slots=True)
class Prompt:
    """What was put in front of a model by the event of this version."""

    version: int
    marks: Marks


@dataclass(frozen=True, slots=True)
class Presence:
    """Where a message was seen: the versions of the newest prompt that held it and of the first one behind that which
    did not. None for no such prompt."""

    last_in: int | None
    left_at: int | None

    @property
    def has_left(self) -> bool:
        """Whether it was in a prompt and is in none since."""
        return self.last_in is not None and self.left_at is not None


def marks(message: Mapping[str, Any]) -> Marks:
    """What a message is recognised by."""
    text = " ".join(facts.text_of(message.get("content")).split())
    found = {f"id {name}" for name in (facts.string(message, "message_id"),) if name}
    if text:
        said = f"{facts.string(message, 'role')}\n{text}".encode("utf-8", "surrogatepass")
        found.add(f"text {blake2b(said, digest_size=8).hexdigest()}")
    if call := facts.string(message, "tool_call_id"):
        found.add(f"result {call}")
    calls = message.get("tool_calls")
    for asked in calls if isinstance(calls, list) else ():
        if isinstance(asked, Mapping) and (name := facts.string(asked, "id")):
            found.add(f"call {name}")
    return frozenset(found)


def prompt(version: int, payload: facts.Payload) -> Prompt:
    """What an `llm.call` or a `context.built` put in front of a model: whole messages, or their ids."""
    found: set[str] = set()
    for each in _messages(payload):
        found |= {f"id {each}"} if isinstance(each, str) else marks(each)
    return Prompt(version, frozenset(found))


def presence(version: int, message: Marks, prompts: Sequence[Prompt]) -> Presence:
    """Where a message of this version was seen, by the prompts in order."""
    behind = [each for each in prompts if each.version > version]
    held = [each.version for each in behind if not message.isdisjoint(each.marks)]
    last_in = held[-1] if held else None
    return Presence(last_in, next((each.version for each in behind if each.version > (last_in or version)), None))


def _messages(payload: facts.Payload) -> Iterable[Mapping[str, Any] | str]:
    told = payload.get("messages")
    return (each for each in told if isinstance(each, Mapping | str)) if isinstance(told, list) else ()

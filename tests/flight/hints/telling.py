"""Runs told in a few words, as steps, and what a watch says about them."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from memory.flight.hints.data import Hint
from memory.flight.hints.watch import watch
from memory.flight.trace import Step, step_of

MAY = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)
Event = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Told:
    """An event as a step is read from it."""

    version: int
    type: str
    payload: dict[str, Any]
    occurred_at: datetime = MAY
    event_id: str = ""
    causation_id: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)


def asked(text: str) -> Event:
    """A person asks."""
    return "message.added", {"role": "user", "content": text}


def said(text: str, *tools: str, name: str = "") -> Event:
    """The agent says something, and asks for tools, each with the id `call_<tool>`."""
    calls = [{"id": f"call_{tool}", "function": {"name": tool, "arguments": "{}"}} for tool in tools]
    named = {"name": name} if name else {}
    return "message.added", {"role": "assistant", "content": text, **({"tool_calls": calls} if calls else {}), **named}


def called(tool: str, **arguments: Any) -> Event:
    """A tool is called."""
    return "tool.call", {"name": tool, "arguments": arguments}


def result(tool: str, content: Any, error: str | None = None, **fields: Any) -> Event:
    """A tool answers."""
    return "tool.result", {"name": tool, "content": content, **({"error": error} if error else {}), **fields}


def prompt(*messages: tuple[str, str], **fields: Any) -> Event:
    """A model is asked, with these messages as roles and texts."""
    return "llm.call", {"messages": [{"role": role, "content": text} for role, text in messages], **fields}


def answer(text: str = "", **fields: Any) -> Event:
    """A model answers."""
    return "llm.response", {"content": text, **fields}


def steps(events: Iterable[Event], seconds: float = 1.0) -> list[Step]:
    """Events as steps, so many seconds apart; an event may bring its own pause before it as a third part."""
    made, now = [], MAY
    for version, (kind, payload, *pause) in enumerate(events, start=1):
        now += timedelta(seconds=pause[0] if pause else seconds)
        made.append(step_of(Told(version, kind, payload, now)))
    return made


def hints(*events: Any, off: Collection[str] = ()) -> list[Hint]:
    """All hints of a run."""
    watching = watch(None, off)
    return [hint for step in steps(events) for hint in watching.add(step)]


def rules(*events: Any) -> list[str]:
    """The names of the rules that found something in a run."""
    return [str(hint.rule) for hint in hints(*events)]

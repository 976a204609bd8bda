"""Runs as the rules about causes read them."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from memory.flight.links import Link, Linker
from memory.flight.pieces import PiecesInMemory
from memory.flight.trace import Step, step_of

MAY = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)
KEY = b"k" * 16


@dataclass(frozen=True)
class Recorded:
    """An event as a step is read from it."""

    version: int
    event_id: str
    type: str
    payload: dict[str, Any]
    occurred_at: datetime = MAY
    causation_id: str = ""


def steps(*events: tuple[str, dict[str, Any]]) -> list[Step]:
    """Steps with the ids `e1`, `e2` …; a payload's `causation_id` is that of the event."""
    made = []
    for version, (event_type, payload) in enumerate(events, start=1):
        told = {name: value for name, value in payload.items() if name != "causation_id"}
        causation_id = payload.get("causation_id", "")
        made.append(step_of(Recorded(version, f"e{version}", event_type, told, causation_id=causation_id)))
    return made


def linked(*events: tuple[str, dict[str, Any]]) -> list[Link]:
    """All links of a run."""
    linker, seen = Linker(None, KEY), PiecesInMemory()
    return [link for step in steps(*events) for link in linker.add(step, seen)]


def told(links: list[Link], *, effect: int | None = None) -> list[tuple[int, int, str, str]]:
    """Links as `(cause, effect, kind, how)`."""
    return [
        (link.cause, link.effect, str(link.kind), str(link.how))
        for link in links
        if effect is None or link.effect == effect
    ]


def user(content: Any, **fields: Any) -> tuple[str, dict[str, Any]]:
    return "message.added", {"role": "user", "content": content, **fields}


def assistant(content: Any, **fields: Any) -> tuple[str, dict[str, Any]]:
    return "message.added", {"role": "assistant", "content": content, **fields}


def handed(content: Any, **fields: Any) -> tuple[str, dict[str, Any]]:
    return "message.added", {"role": "tool", "content": content, **fields}


def prompt(*messages: tuple[str, Any], **fields: Any) -> tuple[str, dict[str, Any]]:
    return "llm.call", {"messages": [{"role": role, "content": content} for role, content in messages], **fields}


def response(content: Any, **fields: Any) -> tuple[str, dict[str, Any]]:
    return "llm.response", {"content": content, **fields}


def asks(call_id: str, name: str) -> list[dict[str, Any]]:
    return [{"id": call_id, "type": "function", "function": {"name": name, "arguments": "{}"}}]


def call(name: str, call_id: str = "", **fields: Any) -> tuple[str, dict[str, Any]]:
    return "tool.call", {"name": name, "tool_call_id": call_id, **fields}


def result(content: Any, name: str = "", call_id: str = "", **fields: Any) -> tuple[str, dict[str, Any]]:
    return "tool.result", {"content": content, "name": name, "tool_call_id": call_id, **fields}

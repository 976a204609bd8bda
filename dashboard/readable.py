"""An event and a state as the replay page shows them: payload fields in the shape in which they are read best. Pure."""

import json
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from django.utils.safestring import SafeString

from dashboard import formats, prose
from memory.events import facts
from memory.flight import timeline
from memory.models import Event

State = dict[str, Any]

# Shown by a block of their own, or beside the event's title.
TOLD_ELSEWHERE = {
    "session_id",
    "message_id",
    "task_id",
    "tool_call_id",
    "call_id",
    "role",
    "name",
    "model",
    "duration_ms",
}
# Counters of a state, in the order of the page: the key, its label.
COUNTERS = (
    ("events", "events"),
    ("messages", "messages"),
    ("llm_calls", "model calls"),
    ("tool_calls", "tool calls"),
    ("tasks_completed", "tasks done"),
    ("errors", "errors"),
    ("input_tokens", "tokens in"),
    ("output_tokens", "tokens out"),
)
# Characters of one text in a page. Longer ones are cut; the whole payload has an address of its own.
LONGEST = 20_000
MOST_PAIRS = 200
CODE_FIELDS = {"content", "output", "prompt"}
# What is said to people, or by a model.
PROSE = ("message", "llm.response")


@dataclass(frozen=True, slots=True)
class Block:
    """A part of an event: a `text`, with `html` where it is markdown; a `tree` of JSON; an `error`; `pairs` of key and
    text; or the `calls` that a message asks for."""

    label: str
    shape: str
    text: str = ""
    is_code: bool = False
    pairs: list[tuple[str, str]] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)
    html: SafeString | None = None
    tree: prose.Node | None = None


def event_context(event: Event, cause: Event | None) -> dict[str, Any]:
    """What `runs/step.html` shows of an event; `cause` is the event that caused it, if it is recorded."""
    payload = event.payload
    return {
        "version": event.version,
        "type": event.type,
        "family": facts.FAMILY_NAMES[facts.family(event.type)],
        "kind": timeline.kind(event.type),
        "name": timeline.name(event.type, payload),
        "role": facts.string(payload, "role"),
        "is_error": event.is_error,
        "erased_at": event.erased_at,
        "id": event.event_id,
        "hash": bytes(event.hash).hex(),
        "occurred_at": event.occurred_at,
        "recorded_at": event.recorded_at,
        "correlation_id": event.correlation_id,
        "causation": _cause(event, cause),
        "duration": formats.milliseconds(facts.milliseconds(payload)),
        "blocks": blocks(event.type, payload),
        "raw": cut(raw(event)),
    }


def blocks(event_type: str, payload: facts.Payload) -> list[Block]:
    """The payload's parts in reading order: what went wrong, what was said or done, and whatever else there is."""
    rest = dict(payload)
    made: list[Block] = []
    if rest.pop("error", None):
        made.append(Block("error", "error", cut(facts.error_text(payload))))
    for name in ("content", "input", "output", "prompt"):
        text = facts.text_of(rest.pop(name, None))
        if text:
            made.append(_said(event_type, name, text))
    if "content" in payload and not facts.text_of(payload["content"]) and event_type.startswith("tool"):
        made.append(Block("content", "text", timeline.EMPTY))
    calls = rest.pop("tool_calls", None)
    if isinstance(calls, list) and calls:
        made.append(Block("asks for", "calls", calls=[_call(call) for call in calls[:MOST_PAIRS]]))
    for name in ("arguments", "usage"):
        value = rest.pop(name, None)
        if value is not None:
            made.append(Block(name, "pairs", pairs=_pairs(value)))
    other = {
        name: value for name, value in rest.items() if name not in TOLD_ELSEWHERE and value not in (None, "", {}, [])
    }
    if other:
        made.append(Block("more" if made else "", "pairs", pairs=_pairs(other)))
    return made


def _said(event_type: str, name: str, text: str) -> Block:
    """A text in the form in which it is read best. What machines wrote is code, unless it is prose for people."""
    label = "" if name == "content" else name
    if (bytes_told := prose.told(text)) is not None:
        return Block(label, "text", bytes_told, is_code=True)
    if (tree := prose.tree(text)) is not None:
        return Block(label, "tree", tree=tree)
    is_code = (name in CODE_FIELDS and not event_type.startswith(PROSE)) or text.startswith(("{", "["))
    shown = cut(text)
    return Block(label, "text", shown, is_code, html=None if is_code else prose.markdown(shown))


def cut(text: str) -> str:
    """The text, or its beginning and a word on how much is missing."""
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]}\n… {len(text) - LONGEST:,} more characters: open the whole payload"


def raw(event: Event) -> str:
    """Payload and, where there is some, metadata as indented JSON."""
    whole = {"payload": event.payload, "metadata": event.metadata} if event.metadata else event.payload
    return json.dumps(whole, indent=2, ensure_ascii=False)


def state_context(state: State) -> dict[str, Any]:
    """What `runs/step.html` shows of a state."""
    counters = state["counters"]
    messages = [
        {**message, "tool_call_names": [call["name"] for call in message["tool_calls"]]}
        for message in state["messages"]
    ]
    return {
        "counters": [
            {"label": label, "value": counters[key], "is_trouble": key == "errors"} for key, label in COUNTERS
        ],
        "messages": messages,
        "earlier_messages": counters["messages"] - len(messages),
        "open_tasks": state["open_tasks"],
        "pending_tool_calls": state["pending_tool_calls"],
        "tool_results": [
            {**result, "is_error": bool(result["error"]), "content": result["error"] or result["content"]}
            for result in state["tool_results"]
        ],
    }


def _cause(event: Event, cause: Event | None) -> dict[str, Any] | None:
    if not event.causation_id:
        return None
    if cause is None or cause.stream_id != event.stream_id:
        return {"id": event.causation_id}
    return {"id": cause.event_id, "version": cause.version, "kind": timeline.kind(cause.type)}


def _call(call: Any) -> dict[str, Any]:
    """A call in the chat style as name, id and argument pairs."""
    call = call if isinstance(call, dict) else {}
    function = call.get("function") if isinstance(call.get("function"), dict) else call
    arguments = function.get("arguments")
    if isinstance(arguments, str):
        arguments = _parsed(arguments)
    return {"name": facts.string(function, "name"), "id": facts.string(call, "id"), "pairs": _pairs(arguments)}


def _parsed(arguments: str) -> Any:
    """The arguments that a model wrote: as JSON where it is an object that can be shown, else the text as it is."""
    try:
        value = json.loads(arguments)
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):  # a broken escape is a ValueError too
        return arguments
    return value if isinstance(value, dict) else arguments


def _pairs(value: Any) -> list[tuple[str, str]]:
    if isinstance(value, dict):
        return [(name[:LONGEST], _text(inner)) for name, inner in islice(value.items(), MOST_PAIRS)]
    return [("", _text(value))] if value not in (None, "") else []


def _text(value: Any) -> str:
    if isinstance(value, str):
        return prose.told(value) or cut(value)
    return cut(json.dumps(value, indent=2 if isinstance(value, dict | list) else None, ensure_ascii=False))

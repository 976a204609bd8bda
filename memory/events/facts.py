"""What one event says at a glance: its family, whether it is an error, its tokens, its texts. Pure.

Payloads come from clients and may hold anything: whatever is not of the expected type counts as absent.
"""

import json
from collections.abc import Mapping
from typing import Any

from memory.events import usage
from memory.vocabulary import EventType

Payload = Mapping[str, Any]

# One letter a family, as the flight strip draws it. What has no letter of its own is `x`.
FAMILIES = {
    "session": "s",
    "message": "m",
    "task": "t",
    "llm": "l",
    "tool": "o",
    "memory": "y",
    "context": "y",
    "agent": "a",
    "step": "p",
}
OTHER_FAMILY = "x"
FAMILY_NAMES = {letter: name for name, letter in FAMILIES.items() if name != "context"} | {OTHER_FAMILY: "other"}
FAILURES = frozenset({EventType.TASK_FAILED, EventType.STEP_FAILED, EventType.AGENT_CRASHED})
# What these report is the sum of what their parts reported, and is not added to it.
CONTAINERS = frozenset({"session", "task", "step", "agent"})
# A year.
MOST_MILLISECONDS = 366 * 86_400_000


def family(event_type: str) -> str:
    """The letter of an event type's family."""
    return FAMILIES.get(event_type.partition(".")[0], OTHER_FAMILY)


def is_error(event_type: str, payload: Payload) -> bool:
    """Whether the event reports that something went wrong."""
    return event_type in FAILURES or bool(payload.get("error"))


def error_text(payload: Payload) -> str:
    """The error as one text: `message`, or `type: message`; empty where there is none."""
    error = payload.get("error")
    if not error:
        return ""
    if isinstance(error, dict):
        parts = (error.get("type"), error.get("message"))
        return ": ".join(part for part in parts if isinstance(part, str) and part) or text_of(error)
    return text_of(error)


def tokens(event_type: str, payload: Payload) -> tuple[int, int]:
    """Input and output tokens that a provider reported for one model answer; (0, 0) where there are none, and for what
    only sums up the answers within it."""
    told = reported(event_type, payload)
    return told.input, told.output


def reported(event_type: str, payload: Payload) -> usage.Usage:
    """What a provider reported for one model answer; zeros for what only sums up the answers within it."""
    is_container = event_type.partition(".")[0] in CONTAINERS
    return usage.Usage() if is_container else usage.read(payload.get("usage"))


def milliseconds(payload: Payload) -> float | None:
    """How long it took, in milliseconds; None where the event tells nothing that could be true."""
    value = payload.get("duration_ms")
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MOST_MILLISECONDS:
        return value
    return None


def text_of(content: Any) -> str:
    """The text of a content: a string, the text parts of a list of parts, or anything else as JSON, its keys in the
    order in which they are recorded, whatever the client's was; empty for None."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part.get("text") if isinstance(part, dict) else part for part in content]
        texts = [part for part in parts if isinstance(part, str)]
        if texts:
            return "\n".join(texts)
    return json.dumps(content, ensure_ascii=False, sort_keys=True)


def string(payload: Payload, name: str) -> str:
    """A field that is a string; the empty string for anything else."""
    value = payload.get(name)
    return value if isinstance(value, str) else ""

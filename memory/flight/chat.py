"""The conversation of a run in the chat style, as the next prompt would hold it. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memory.events import facts
from memory.vocabulary import EventType, MessageRole

Message = dict[str, Any]

# What a message of the chat formats consists of; other fields are aresweb's own.
FIELDS = ("role", "content", "name", "tool_calls", "tool_call_id")
# The events that bring a conversation forward.
TELLING = (EventType.MESSAGE_ADDED, EventType.LLM_RESPONSE, EventType.TOOL_RESULT)


def message(payload: facts.Payload) -> Message:
    """A payload's fields that the chat formats have."""
    return {name: payload[name] for name in FIELDS if payload.get(name) is not None}


def continued(said: Sequence[Message], events: Iterable[tuple[str, facts.Payload]]) -> list[Message]:
    """The conversation after these events, `(type, payload)` in order.

    A model's answer and a tool's result count from the moment that they are there, and once: the `message.added` by
    which a run enters them into its conversation takes their place.
    """
    made = [*said]
    early: list[int] = []  # where the answers and results stand that have not been entered yet
    for event_type, payload in events:
        told = _told(event_type, payload)
        if told is None:
            continue
        if event_type != EventType.MESSAGE_ADDED:
            early.append(len(made))
            made.append(told)
            continue
        place = next((place for place in early if _is_same(made[place], told)), None)
        if place is None:
            made.append(told)
        else:
            early.remove(place)
            made[place] = told
    return made


def _told(event_type: str, payload: facts.Payload) -> Message | None:
    match event_type:
        case EventType.MESSAGE_ADDED:
            return message(payload)
        case EventType.LLM_RESPONSE if not payload.get("error"):
            return {"role": MessageRole.ASSISTANT.value, **_only(payload, ("content", "tool_calls"))}
        case EventType.TOOL_RESULT:
            content = facts.error_text(payload) or payload.get("content") or ""
            told = {"role": MessageRole.TOOL.value, "content": content}
            return {**told, **_only(payload, ("tool_call_id", "name"))}
    return None


def _only(payload: Mapping[str, Any], fields: Iterable[str]) -> Message:
    return {name: payload[name] for name in fields if payload.get(name) is not None}


def _is_same(early: Message, entered: Message) -> bool:
    """Whether a message is the answer or the result that was there before it."""
    if early["role"] != entered.get("role"):
        return False
    if early["role"] == MessageRole.TOOL:
        return early.get("tool_call_id") == entered.get("tool_call_id")
    same_text = facts.text_of(early.get("content")).strip() == facts.text_of(entered.get("content")).strip()
    return same_text and early.get("tool_calls") == entered.get("tool_calls")

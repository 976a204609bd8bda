"""One event as the rules of this folder read it: who did what, with which texts, asked by whom. Pure.

Payloads come from clients and may hold anything: whatever is not of the expected type counts as absent.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from memory.events import facts
from memory.vocabulary import EventType, MessageRole

# What a step did with a tool or a model is told by one of these; the first that the payload holds is its text.
_TEXT_FIELDS = ("content", "output", "result", "input", "prompt", "text", "query")


class Recorded(Protocol):
    """What is read of an event."""

    @property
    def version(self) -> int: ...
    @property
    def event_id(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def payload(self) -> facts.Payload: ...
    @property
    def occurred_at(self) -> datetime: ...
    @property
    def causation_id(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Asked:
    """A tool call that a model's answer asks for. `arguments` as recorded: an object, or a text that may be JSON."""

    call_id: str
    name: str
    arguments: Any


@dataclass(frozen=True, slots=True)
class Given:
    """A message of a prompt, as a model was given it, with the calls that it asks for."""

    role: str
    text: str
    call_id: str
    asked: tuple[Asked, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One event of a run.

    `speaker` is who acted: the `name` of a message, else the `agent_id`, else the role; empty where nothing tells.
    `tool` and `call_id` belong to tool calls, their results, and messages that hold a result. `text` is what the step
    said or brought; `asked` the calls that an answer asks for; `given` the messages of a prompt. `tokens` are those
    that a provider reported for it (input, output), `milliseconds` what it took, None where it does not tell.
    """

    version: int
    event_id: str
    type: str
    occurred_at: datetime
    causation_id: str
    payload: facts.Payload
    speaker: str
    role: str
    text: str
    tool: str
    call_id: str
    asked: tuple[Asked, ...]
    given: tuple[Given, ...]
    is_error: bool
    error: str
    tokens: tuple[int, int]
    milliseconds: float | None

    @property
    def is_prompt(self) -> bool:
        """Whether it puts texts in front of a model."""
        return self.type == EventType.LLM_CALL

    @property
    def is_result(self) -> bool:
        """Whether it brings what a tool answered: a `tool.result`, or the message that hands one on."""
        return self.type == EventType.TOOL_RESULT or (
            self.type == EventType.MESSAGE_ADDED and self.role == MessageRole.TOOL
        )

    @property
    def is_answer(self) -> bool:
        """Whether a model or an agent said it."""
        return self.type == EventType.LLM_RESPONSE or (
            self.type == EventType.MESSAGE_ADDED
            and self.role not in (MessageRole.USER, MessageRole.SYSTEM, MessageRole.TOOL)
        )


def step_of(event: Recorded) -> Step:
    """The event, read."""
    payload = event.payload
    role = facts.string(payload, "role")
    is_tool = event.type.startswith("tool.") or role == MessageRole.TOOL
    return Step(
        version=event.version,
        event_id=event.event_id,
        type=event.type,
        occurred_at=event.occurred_at,
        causation_id=event.causation_id,
        payload=payload,
        speaker=("" if is_tool else facts.string(payload, "name")) or facts.string(payload, "agent_id") or role,
        role=role,
        text=_text(payload),
        tool=facts.string(payload, "name") if is_tool else "",
        call_id=facts.string(payload, "tool_call_id") if is_tool else "",
        asked=tuple(_asked(payload.get("tool_calls"))),
        given=tuple(_given(payload.get("messages"))),
        is_error=facts.is_error(event.type, payload),
        error=facts.error_text(payload),
        tokens=facts.tokens(event.type, payload),
        milliseconds=facts.milliseconds(payload),
    )


def _text(payload: facts.Payload) -> str:
    return next((text for field in _TEXT_FIELDS if (text := facts.text_of(payload.get(field))).strip()), "")


def _asked(calls: Any) -> Iterator[Asked]:
    for call in calls if isinstance(calls, list) else ():
        if isinstance(call, Mapping):
            function = call.get("function")
            told = function if isinstance(function, Mapping) else call
            yield Asked(facts.string(call, "id"), facts.string(told, "name"), told.get("arguments"))


def _given(messages: Any) -> Iterator[Given]:
    for message in messages if isinstance(messages, list) else ():
        if isinstance(message, Mapping):
            text = facts.text_of(message.get("content"))
            asked = tuple(_asked(message.get("tool_calls")))
            yield Given(facts.string(message, "role"), text, facts.string(message, "tool_call_id"), asked)

"""From a stream's events to what the refinery reads. Needs a tenant's scope; what is pure is below `of_events`."""

from collections.abc import Iterable
from typing import Any

from memory.distillation.data import ToolCall, Turn
from memory.events import facts, history
from memory.models import Stream
from memory.vocabulary import EventType, MessageRole

READ = (
    EventType.MESSAGE_ADDED,
    EventType.TOOL_CALL,
    EventType.TOOL_RESULT,
    EventType.TASK_CREATED,
    EventType.TASK_COMPLETED,
    EventType.TASK_FAILED,
)

# So many events are read of one stream: more than any conversation holds that a person could follow.
MOST_EVENTS = 50_000


def of_stream(stream: Stream, first: int = 1, last: int | None = None) -> list[Turn]:
    """The turns in a stream's events from version `first` to `last`; erased events hold none."""
    events = history.of_types(stream, READ, MOST_EVENTS, after=first - 1, up_to=last)
    return of_events(event for event in events if not event.is_erased)


def of_events(events: Iterable[Any]) -> list[Turn]:
    """The turns that these events, in order, tell. Pure.

    Messages come first: a call or result that was recorded beside the message that holds it is not told twice. Where
    nobody said anything, the inputs and outputs of tasks are the conversation.
    """
    said, tools, tasks = [], [], []
    for event in events:
        if event.type == EventType.MESSAGE_ADDED:
            said.append(event)
        elif event.type in (EventType.TOOL_CALL, EventType.TOOL_RESULT):
            tools.append(event)
        else:
            tasks.append(event)
    failed = {
        call_id
        for event in tools
        if event.type == EventType.TOOL_RESULT and facts.is_error(event.type, event.payload)
        if (call_id := facts.string(event.payload, "tool_call_id"))
    }
    turns = [_message(event, failed) for event in said]
    called = {call.id for turn in turns for call in turn.tool_calls if call.id}
    answered = {turn.tool_call_id for turn in turns if turn.role == MessageRole.TOOL}
    for event in tools:
        call_id = facts.string(event.payload, "tool_call_id")
        if event.type == EventType.TOOL_CALL and call_id not in called:
            turns.append(_call(event, call_id))
        elif event.type == EventType.TOOL_RESULT and (call_id not in answered or not call_id):
            turns.append(_result(event, call_id))
    if not turns:
        turns = [_task(event) for event in tasks]
    return sorted((turn for turn in turns if turn.text or turn.tool_calls), key=lambda turn: turn.version)


def _message(event: Any, failed: set[str]) -> Turn:
    payload = event.payload
    call_id = facts.string(payload, "tool_call_id")
    return Turn(
        id=facts.string(payload, "message_id") or event.event_id,
        version=event.version,
        role=facts.string(payload, "role"),
        text=facts.text_of(payload.get("content")),
        occurred_at=event.occurred_at,
        name=facts.string(payload, "name"),
        tool_calls=tuple(_calls(payload.get("tool_calls"))),
        tool_call_id=call_id,
        is_error=call_id in failed or facts.is_error(event.type, payload),
    )


def _calls(value: Any) -> list[ToolCall]:
    calls = [call for call in value if isinstance(call, dict)] if isinstance(value, list) else []
    functions = [call["function"] if isinstance(call.get("function"), dict) else call for call in calls]
    return [
        ToolCall(facts.string(call, "id"), facts.string(function, "name"), facts.text_of(function.get("arguments")))
        for call, function in zip(calls, functions, strict=True)
    ]


def _call(event: Any, call_id: str) -> Turn:
    payload = event.payload
    call = ToolCall(call_id, facts.string(payload, "name"), facts.text_of(payload.get("arguments")))
    return Turn(event.event_id, event.version, MessageRole.ASSISTANT, "", event.occurred_at, tool_calls=(call,))


def _result(event: Any, call_id: str) -> Turn:
    payload = event.payload
    return Turn(
        id=event.event_id,
        version=event.version,
        role=MessageRole.TOOL,
        text=facts.text_of(payload.get("content")) or facts.error_text(payload),
        occurred_at=event.occurred_at,
        name=facts.string(payload, "name"),
        tool_call_id=call_id,
        is_error=facts.is_error(event.type, payload),
    )


def _task(event: Any) -> Turn:
    opened = event.type == EventType.TASK_CREATED
    return Turn(
        id=event.event_id,
        version=event.version,
        role=MessageRole.USER if opened else MessageRole.ASSISTANT,
        text=facts.text_of(event.payload.get("input" if opened else "output")),
        occurred_at=event.occurred_at,
        is_error=event.type == EventType.TASK_FAILED,
    )

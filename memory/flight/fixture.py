"""A run as a fixture for a test: the state and conversation at a step, and the tool results recorded after it.

A test starts an agent from the conversation and, instead of calling tools, hands it what they really answered, in
order. Needs a tenant's scope.
"""

from dataclasses import dataclass
from typing import Any

from memory.events import facts
from memory.events.reducer import State
from memory.events.state import state_at
from memory.models import Event, Stream
from memory.vocabulary import EventType

# Of the conversation up to the step, the newest; of the results behind it, the first.
MOST_MESSAGES = 1000
MOST_RESULTS = 1000
# What a message of the chat formats consists of; others are aresweb's own.
CHAT_FIELDS = ("role", "content", "name", "tool_calls", "tool_call_id")


@dataclass(frozen=True, slots=True)
class Fixture:
    """What a test needs. `is_whole` says that nothing was cut: no earlier message, no later result."""

    version: int
    hash: bytes
    state: State
    messages: list[dict[str, Any]]
    remaining: list[dict[str, Any]]
    is_whole: bool


def fixture(stream: Stream, version: int) -> Fixture:
    """The fixture of a run at a version.

    Raises:
        NotFound: the stream has not come to this version.
    """
    state = state_at(stream, version)
    said = _events(stream, EventType.MESSAGE_ADDED, 0, version).reverse()[: MOST_MESSAGES + 1]
    newest = list(said)[:MOST_MESSAGES][::-1]
    results = list(_events(stream, EventType.TOOL_RESULT, version, stream.version)[: MOST_RESULTS + 1])
    return Fixture(
        version=version,
        hash=_hash_at(stream, version),
        state=state,
        messages=[_message(event.payload) for event in newest],
        remaining=_with_calls(stream, state, version, results[:MOST_RESULTS]),
        is_whole=len(said) <= MOST_MESSAGES and len(results) <= MOST_RESULTS,
    )


def _events(stream: Stream, event_type: str, after: int, up_to: int) -> Any:
    return Event.objects.in_stream(stream).after(after).up_to(up_to).filter(type=event_type)


def _hash_at(stream: Stream, version: int) -> bytes:
    event = Event.objects.in_stream(stream).filter(version=version).first()
    return bytes(event.hash) if event else b""


def _message(payload: facts.Payload) -> dict[str, Any]:
    return {name: payload[name] for name in CHAT_FIELDS if payload.get(name) is not None}


def _with_calls(stream: Stream, state: State, version: int, results: list[Event]) -> list[dict[str, Any]]:
    """The results, each with the name and arguments of its call, which may have been made before the step."""
    if not results:
        return []
    pending = Event.objects.in_stream(stream).filter(
        version__in=[call["version"] for call in state["pending_tool_calls"]]
    )
    later = _events(stream, EventType.TOOL_CALL, version, results[-1].version)[: 2 * MOST_RESULTS]
    calls = {facts.string(call.payload, "tool_call_id"): call.payload for call in [*pending, *later]}
    return [_result(event, calls.get(facts.string(event.payload, "tool_call_id"), {})) for event in results]


def _result(event: Event, call: facts.Payload) -> dict[str, Any]:
    payload = event.payload
    return {
        "version": event.version,
        "tool_call_id": facts.string(payload, "tool_call_id"),
        "name": facts.string(payload, "name") or facts.string(call, "name"),
        "arguments": call.get("arguments"),
        "content": payload.get("content"),
        "error": payload.get("error"),
        "duration_ms": payload.get("duration_ms"),
    }

"""A run as a fixture for a test: the state and conversation at a step, and the tool results recorded after it.

A test starts an agent from the conversation and, instead of calling tools, hands it what they really answered, in
order. Needs a tenant's scope.
"""

from dataclasses import dataclass
from typing import Any

from memory.events import facts, history
from memory.events.reducer import State
from memory.events.state import state_at
from memory.flight import chat
from memory.models import Event, Stream
from memory.vocabulary import EventType

# Of the conversation up to the step, the newest; of the results behind it, the first.
MOST_MESSAGES = 1000
MOST_RESULTS = 1000


@dataclass(frozen=True, slots=True)
class Fixture:
    """What a test needs. `is_whole` says that nothing was cut: no earlier message, no later result."""

    stream: str
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
        Gone: retention has dropped it.
    """
    state = state_at(stream, version)
    said = history.of_types(stream, [EventType.MESSAGE_ADDED], MOST_MESSAGES + 1, up_to=version, newest_first=True)
    newest = said[:MOST_MESSAGES][::-1]
    results = history.of_types(stream, [EventType.TOOL_RESULT], MOST_RESULTS + 1, after=version)
    is_cut = len(said) > MOST_MESSAGES or len(results) > MOST_RESULTS
    return Fixture(
        stream=stream.name,
        version=version,
        hash=history.hash_at(stream, version),
        state=state,
        messages=[chat.message(event.payload) for event in newest],
        remaining=_with_calls(stream, state, version, results[:MOST_RESULTS]),
        is_whole=not is_cut and history.dropped(stream) is None,
    )


def as_json(made: Fixture) -> dict[str, Any]:
    """A fixture as it is answered and kept in files."""
    return {
        "stream": made.stream,
        "version": made.version,
        "hash": made.hash.hex(),
        "state": made.state,
        "messages": made.messages,
        "remaining": made.remaining,
        "is_whole": made.is_whole,
    }


def _with_calls(stream: Stream, state: State, version: int, results: list[Event]) -> list[dict[str, Any]]:
    """The results, each with the name and arguments of its call, which may have been made before the step."""
    if not results:
        return []
    pending = history.at(stream, [call["version"] for call in state["pending_tool_calls"]])
    last = results[-1].version
    later = history.of_types(stream, [EventType.TOOL_CALL], 2 * MOST_RESULTS, after=version, up_to=last)
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

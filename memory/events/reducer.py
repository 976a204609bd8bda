"""The reducer: folds a stream's events into the state of its run. Pure, and total: no payload makes it fail.

The state is JSON and stays small however long the run: the newest messages and results, what is open, and counters.
Names and ids in it are cut at `NAME_LENGTH` characters, texts at `TEXT_LENGTH`: `omitted` says how many are missing
there, and `version` in which event they are.
"""

import json
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from memory.events import facts
from memory.events.chain import timestamp
from memory.events.facts import Payload
from memory.vocabulary import EventType

# Raise it whenever the same events give another state: snapshots of other versions are then ignored.
REDUCER_VERSION = 3

TEXT_LENGTH = 4000
NAME_LENGTH = 200
MOST_MESSAGES = 20
MOST_RESULTS = 10
MOST_OPEN = 50
MOST_RECALLED = 5

State = dict[str, Any]


class Replayed(Protocol):
    """What the reducer reads of an event."""

    @property
    def version(self) -> int: ...
    @property
    def type(self) -> str: ...
    @property
    def payload(self) -> Payload: ...
    @property
    def occurred_at(self) -> Any: ...


def initial_state() -> State:
    """The state before the first event."""
    return {
        "version": 0,
        "session": None,
        "agent": None,
        "messages": [],
        "open_tasks": [],
        "open_steps": [],
        "pending_tool_calls": [],
        "tool_results": [],
        "recalled": [],
        "last_error": None,
        "last_event": None,
        "counters": {
            "events": 0,
            "messages": 0,
            "llm_calls": 0,
            "tool_calls": 0,
            "tool_results": 0,
            "tasks": 0,
            "tasks_completed": 0,
            "tasks_failed": 0,
            "errors": 0,
            "input_tokens": 0,
            "output_tokens": 0,
        },
    }


def replay(state: State, events: Iterable[Replayed]) -> State:
    """The state after these events; `state` itself is left as it was."""
    state = json.loads(json.dumps(state))
    event = None
    for event in events:
        _apply(state, event)
    if event is not None:
        state["version"] = event.version
        state["last_event"] = {
            "version": event.version,
            "type": event.type,
            "occurred_at": timestamp(event.occurred_at),
        }
    return state


def _apply(state: State, event: Replayed) -> None:
    counters = state["counters"]
    counters["events"] += 1
    given, answered = facts.tokens(event.type, event.payload)
    counters["input_tokens"] += given
    counters["output_tokens"] += answered
    if facts.is_error(event.type, event.payload):
        counters["errors"] += 1
        message, omitted = _cut(facts.error_text(event.payload))
        state["last_error"] = {"version": event.version, "type": event.type, "message": message, "omitted": omitted}
    handler = _HANDLERS.get(event.type)
    if handler:
        handler(state, event.version, event.payload)


def _session_created(state: State, version: int, payload: Payload) -> None:
    state["session"] = _session(version, payload)


def _session_closed(how: str) -> "Handler":
    def handler(state: State, version: int, payload: Payload) -> None:
        session = state["session"] or _session(version, payload)
        state["session"] = {**session, "closed": how}

    return handler


def _message_added(state: State, version: int, payload: Payload) -> None:
    content, omitted = _cut(facts.text_of(payload.get("content")))
    message = {
        "version": version,
        "id": _short(payload, "message_id"),
        "role": _short(payload, "role"),
        "name": _short(payload, "name"),
        "content": content,
        "omitted": omitted,
        "tool_calls": _requested_calls(payload.get("tool_calls")),
        "tool_call_id": _short(payload, "tool_call_id"),
    }
    _push(state["messages"], message, MOST_MESSAGES)
    state["counters"]["messages"] += 1


def _task_created(state: State, version: int, payload: Payload) -> None:
    text, omitted = _cut(facts.text_of(payload.get("input")))
    task = {"version": version, "id": _short(payload, "task_id"), "input": text, "omitted": omitted}
    _push(state["open_tasks"], task, MOST_OPEN)
    state["counters"]["tasks"] += 1


def _task_ended(counter: str) -> "Handler":
    def handler(state: State, version: int, payload: Payload) -> None:
        _take(state["open_tasks"], "id", _short(payload, "task_id"))
        state["counters"][counter] += 1

    return handler


def _llm_call(state: State, version: int, payload: Payload) -> None:
    state["counters"]["llm_calls"] += 1


def _tool_call(state: State, version: int, payload: Payload) -> None:
    arguments, omitted = _cut(facts.text_of(payload.get("arguments")))
    call = {
        "version": version,
        "tool_call_id": _short(payload, "tool_call_id"),
        "name": _short(payload, "name"),
        "arguments": arguments,
        "omitted": omitted,
    }
    _push(state["pending_tool_calls"], call, MOST_OPEN)
    state["counters"]["tool_calls"] += 1


def _tool_result(state: State, version: int, payload: Payload) -> None:
    call = _take(state["pending_tool_calls"], "tool_call_id", _short(payload, "tool_call_id")) or {}
    content, omitted = _cut(facts.text_of(payload.get("content")))
    result = {
        "version": version,
        "tool_call_id": _short(payload, "tool_call_id"),
        "name": _short(payload, "name") or call.get("name", ""),
        "call_version": call.get("version"),
        "content": content,
        "omitted": omitted,
        "error": _cut(facts.error_text(payload))[0],
    }
    _push(state["tool_results"], result, MOST_RESULTS)
    state["counters"]["tool_results"] += 1


def _step_started(state: State, version: int, payload: Payload) -> None:
    _push(state["open_steps"], {"version": version, "step": _step(payload)}, MOST_OPEN)


def _step_ended(state: State, version: int, payload: Payload) -> None:
    _take(state["open_steps"], "step", _step(payload))


def _agent(status: str) -> "Handler":
    def handler(state: State, version: int, payload: Payload) -> None:
        known = state["agent"] or {}
        state["agent"] = {
            "version": version,
            "id": _short(payload, "agent_id") or known.get("id", ""),
            "status": status or known.get("status", "started"),
        }

    return handler


def _recalled(state: State, version: int, payload: Payload) -> None:
    text, omitted = _cut(facts.text_of(dict(payload)))
    _push(state["recalled"], {"version": version, "text": text, "omitted": omitted}, MOST_RECALLED)


def _session(version: int, payload: Payload) -> dict[str, Any]:
    return {
        "version": version,
        "id": _short(payload, "session_id"),
        "user_id": _short(payload, "user_id"),
        "agent_id": _short(payload, "agent_id"),
        "closed": None,
    }


def _requested_calls(value: Any) -> list[dict[str, str]]:
    """The calls a message asks for, each as `{tool_call_id, name}`."""
    calls = [call for call in value if isinstance(call, dict)] if isinstance(value, list) else []
    functions = [call["function"] if isinstance(call.get("function"), dict) else call for call in calls]
    return [
        {"tool_call_id": _short(call, "id"), "name": _short(function, "name")}
        for call, function in zip(calls[:MOST_OPEN], functions, strict=False)
    ]


def _short(payload: Payload, field: str) -> str:
    """A field that is a name or an id, as far as it is shown; empty where it is none."""
    return facts.string(payload, field)[:NAME_LENGTH]


def _step(payload: Payload) -> str:
    return facts.text_of(payload.get("step"))[:NAME_LENGTH]


def _cut(text: str) -> tuple[str, int]:
    """The text's beginning, and how many characters are missing."""
    return text[:TEXT_LENGTH], max(0, len(text) - TEXT_LENGTH)


def _push(items: list[dict[str, Any]], item: dict[str, Any], most: int) -> None:
    items.append(item)
    del items[:-most]


def _take(items: list[dict[str, Any]], key: str, value: str) -> dict[str, Any] | None:
    """Remove and return the oldest item with this value."""
    for index, item in enumerate(items):
        if item[key] == value:
            return items.pop(index)
    return None


Handler = Callable[[State, int, Payload], None]

_HANDLERS: dict[str, Handler] = {
    EventType.SESSION_CREATED: _session_created,
    EventType.SESSION_EXPIRED: _session_closed("expired"),
    EventType.SESSION_DELETED: _session_closed("deleted"),
    EventType.MESSAGE_ADDED: _message_added,
    EventType.TASK_CREATED: _task_created,
    EventType.TASK_COMPLETED: _task_ended("tasks_completed"),
    EventType.TASK_FAILED: _task_ended("tasks_failed"),
    EventType.LLM_CALL: _llm_call,
    EventType.TOOL_CALL: _tool_call,
    EventType.TOOL_RESULT: _tool_result,
    EventType.STEP_STARTED: _step_started,
    EventType.STEP_COMPLETED: _step_ended,
    EventType.STEP_FAILED: _step_ended,
    EventType.AGENT_STARTED: _agent("started"),
    EventType.AGENT_STOPPED: _agent("stopped"),
    EventType.AGENT_CRASHED: _agent("crashed"),
    EventType.AGENT_RESTORED: _agent("restored"),
    EventType.AGENT_HEARTBEAT: _agent(""),
    EventType.MEMORY_RECALLED: _recalled,
}

"""A step of a run to run on from: the next request to a model, what tools answered after it, and the lineage.

Needs a tenant's scope.
"""

import secrets
from dataclasses import dataclass
from typing import Any

from memory.events import history
from memory.flight import chat
from memory.flight import fixture as fixtures
from memory.flight.fixture import MOST_MESSAGES, Fixture
from memory.models import Event, Stream
from memory.vocabulary import STREAM_NAME_MAX_LENGTH, EventType

# What an `llm.call` says that is no part of the request it stands for.
_NOT_ASKED = frozenset({"call_id", "usage", "duration_ms", "error", "messages", "prompt", "session_id", "agent_id"})


@dataclass(frozen=True, slots=True)
class Fork:
    """A package to run on from. `request` is a body for a chat completion; `name` a stream for what comes of it, and
    `lineage` the event to begin that stream with; `fixture` has the state and the recorded results that follow."""

    request: dict[str, Any]
    name: str
    lineage: dict[str, Any]
    fixture: Fixture


def fork(stream: Stream, version: int) -> Fork:
    """The package for a run's step.

    The request goes on from the newest prompt up to the step, with what was answered since. Of a run that records no
    prompts it holds the newest MOST_MESSAGES messages, and the tools that its session was opened with.

    Raises:
        NotFound: the stream has not come to this version.
        Gone: retention has dropped it.
    """
    made = fixtures.fixture(stream, version)
    prompts = history.of_types(stream, [EventType.LLM_CALL], 1, up_to=version, newest_first=True)
    asked = prompts[0] if prompts and isinstance(prompts[0].payload.get("messages"), list) else None
    since = asked.version if asked else 0
    events = history.of_types(stream, chat.TELLING, MOST_MESSAGES, after=since, up_to=version, newest_first=True)
    told = [(event.type, event.payload) for event in reversed(events)]
    said = [line for line in asked.payload["messages"] if isinstance(line, dict)] if asked else []
    return Fork(
        request={**_asked(stream, asked), "messages": chat.continued(said, told)},
        name=_name(stream, version),
        lineage={
            "type": EventType.RUN_FORKED.value,
            "payload": {"stream": stream.name, "version": version, "hash": made.hash.hex()},
        },
        fixture=made,
    )


def as_json(made: Fork) -> dict[str, Any]:
    """A package as it is answered and kept in files."""
    return {
        "request": made.request,
        "stream": made.name,
        "events": [made.lineage],
        "fixture": fixtures.as_json(made.fixture),
    }


def _asked(stream: Stream, prompt: Event | None) -> dict[str, Any]:
    """The request but for its messages: which model, which tools, and how."""
    if prompt is not None:
        return {name: value for name, value in prompt.payload.items() if name not in _NOT_ASKED and value is not None}
    opened = history.of_types(stream, [EventType.SESSION_CREATED], 1)
    metadata = opened[0].payload.get("metadata") if opened else None
    tools = metadata.get("tools") if isinstance(metadata, dict) else None
    return {"tools": tools} if isinstance(tools, list) and tools else {}


def _name(stream: Stream, version: int) -> str:
    """A stream's name that nobody has taken, and that tells where it comes from."""
    end = f".fork-{version}-{secrets.token_hex(3)}"
    return stream.name[: STREAM_NAME_MAX_LENGTH - len(end)] + end

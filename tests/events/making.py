"""Events and JSON values for tests: some made by hand, some by hypothesis."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from memory.events.draft import Draft, Limits, draft
from memory.vocabulary import EventType

LIMITS = Limits(payload_bytes=2**20, depth=100)
MAY = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)


@dataclass(frozen=True)
class Recorded:
    """An event as the pure rules see it."""

    version: int
    type: str
    payload: dict[str, Any] = field(default_factory=dict)
    occurred_at: datetime = MAY
    recorded_at: datetime = MAY
    causation_id: str = ""

    @property
    def event_id(self) -> str:
        return f"event-{self.version}"


def recorded(*events: tuple[str, dict[str, Any]], first: int = 1) -> list[Recorded]:
    """Events with these types and payloads, a second apart."""
    return [
        Recorded(version, event_type, payload, MAY + timedelta(seconds=version))
        for version, (event_type, payload) in enumerate(events, start=first)
    ]


def drafted(event_type: str = "tool.call", event_id: str | None = None, **payload: Any) -> Draft:
    """A draft of this type with this payload."""
    return draft({"id": event_id, "type": event_type, "payload": payload}, LIMITS)


# Every field that some known type is read for.
FIELDS = (
    "session_id", "user_id", "agent_id", "metadata", "messages", "message_id", "role", "content", "name", "tool_calls",
    "tool_call_id", "model", "usage", "task_id", "input", "output", "call_id", "prompt", "finish_reason", "duration_ms",
    "error", "arguments", "step",
)  # fmt: skip

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts
keys = st.sampled_from(["id", "text", "type", "function", "name", "title", "message", "input_tokens", "output_tokens"])
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys | texts, inner, max_size=3),
    max_leaves=8,
)
payloads = st.dictionaries(st.sampled_from(FIELDS) | texts, values, max_size=6)
types = st.sampled_from([*map(str, EventType), "acme.order.placed", "message.seen"])
times = st.datetimes(timezones=st.just(UTC))


@st.composite
def streams(draw: st.DrawFn, most: int = 40) -> list[Recorded]:
    """A whole stream from version 1 on."""
    drawn = draw(st.lists(st.tuples(types, payloads, times), max_size=most))
    return [Recorded(version, *event) for version, event in enumerate(drawn, start=1)]


@st.composite
def batches(draw: st.DrawFn, most: int = 40) -> tuple[list[Recorded], list[list[Recorded]]]:
    """A stream, and the same one cut into batches."""
    events = draw(streams(most))
    cuts = sorted(draw(st.lists(st.integers(0, len(events)), max_size=5)))
    return events, [events[start:end] for start, end in zip([0, *cuts], [*cuts, len(events)], strict=True)]

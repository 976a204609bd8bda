"""What one event says of tokens. Pure: prices, and what stands in other events, are for the ledger to add."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from memory.events import facts, usage
from memory.tokens import counting
from memory.vocabulary import ContextMethod, EventType, LedgerKind

MODEL_LENGTH = KEY_LENGTH = 200


class Told(Protocol):
    """What is read of an event."""

    @property
    def version(self) -> int: ...
    @property
    def event_id(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def payload(self) -> Mapping[str, Any]: ...
    @property
    def occurred_at(self) -> datetime: ...
    @property
    def causation_id(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Entry:
    """The tokens of one event, as `LedgerEntry` has them, and `written_tokens`, which matter for the price alone.

    `request_key` is what a request is named by; `request_keys` are what an answer may name its request by.
    """

    version: int
    kind: LedgerKind
    occurred_at: datetime
    model: str = ""
    method: str = ""
    raw_tokens: int = 0
    sent_tokens: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    written_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    is_reported: bool = False
    counted_tokens: int | None = None
    request_key: str = ""
    request_keys: tuple[str, ...] = ()


def entry(event: Told) -> Entry | None:
    """The entry of an event; None for one that says nothing of tokens."""
    told = facts.reported(event.type, event.payload)
    if told != usage.Usage():
        return _call(
            event,
            input_tokens=told.input,
            cached_tokens=told.cached,
            written_tokens=told.written,
            output_tokens=told.output,
            reasoning_tokens=told.reasoning,
            is_reported=True,
            counted_tokens=_counted(event.payload).input or None,
        )
    match event.type:
        case EventType.LLM_CALL:
            return _request(event)
        case EventType.LLM_RESPONSE:
            return _counted_answer(event)
        case EventType.CONTEXT_BUILT:
            return _context(event)
        case EventType.MEMORY_RECALLED:
            return _recall(event)
    return None


def _call(event: Told, **tokens: Any) -> Entry:
    keys = (facts.string(event.payload, "call_id")[:KEY_LENGTH], event.causation_id)
    return Entry(
        event.version,
        LedgerKind.CALL,
        event.occurred_at,
        model=_model(event),
        request_keys=tuple(filter(None, keys)),
        **tokens,
    )


def _request(event: Told) -> Entry | None:
    """What was sent to a model, counted. It is added up with its answer alone, which may bring the provider's number:
    of a request that was never answered nobody knows whether it was charged."""
    payload, vocabulary = event.payload, counting.vocabulary_of(_model(event)).name
    counted: int | None = None
    if isinstance(payload.get("messages"), list):
        counted = counting.count_messages(payload["messages"], vocabulary)
        counted += counting.count_tools(payload.get("tools"), vocabulary)
    elif payload.get("prompt"):
        counted = counting.count(facts.text_of(payload["prompt"]), vocabulary)
    key = facts.string(payload, "call_id")[:KEY_LENGTH] or event.event_id
    return Entry(
        event.version,
        LedgerKind.REQUEST,
        event.occurred_at,
        model=_model(event),
        counted_tokens=counted,
        request_key=key,
    )


def _counted_answer(event: Told) -> Entry | None:
    """An answer whose provider reported nothing: what can be counted is. A call that failed has no answer to count."""
    counted = _counted(event.payload)
    if counted != usage.Usage():
        return _call(event, output_tokens=counted.output, counted_tokens=counted.input)
    said = {name: event.payload.get(name) for name in ("content", "tool_calls")}
    if not any(said.values()):
        return None
    vocabulary = counting.vocabulary_of(_model(event)).name
    return _call(event, output_tokens=counting.count_message(said, vocabulary) - counting.PER_MESSAGE)


def _counted(payload: Mapping[str, Any]) -> usage.Usage:
    """What whoever recorded a call has counted itself, where its words are not to be recorded."""
    return usage.read(payload.get("counted"))


def _context(event: Told) -> Entry | None:
    tokens = event.payload.get("tokens")
    told: Mapping[str, Any] = tokens if isinstance(tokens, Mapping) else {}
    if "raw" not in told or "sent" not in told:
        return None
    method = facts.string(event.payload, "method")
    return Entry(
        event.version,
        LedgerKind.CONTEXT,
        event.occurred_at,
        model=_model(event),
        method=method if method in set(ContextMethod) else "",
        raw_tokens=usage.number(told["raw"]),
        sent_tokens=usage.number(told["sent"]),
    )


def _recall(event: Told) -> Entry:
    """What was recalled, as long as what it says of itself, else counted by the texts that the event repeats."""
    tokens = event.payload.get("tokens")
    found = event.payload.get("results")
    texts = [facts.string(each, "text") for each in found if isinstance(each, dict)] if isinstance(found, list) else []
    size = usage.number(tokens) if tokens is not None else sum(map(counting.count, texts))
    return Entry(event.version, LedgerKind.RECALL, event.occurred_at, raw_tokens=size, sent_tokens=size)


def _model(event: Told) -> str:
    return facts.string(event.payload, "model")[:MODEL_LENGTH]

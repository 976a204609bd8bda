"""Events that say something of tokens."""

from typing import Any

from memory.events import store
from memory.events.draft import draft
from memory.models import LedgerEntry, Stream

USAGE = {"input_tokens": 1000, "cached_input_tokens": 400, "output_tokens": 50, "reasoning_tokens": 20}


def record(
    *events: tuple[str, dict[str, Any]], stream: str = "run", at: str = "2026-05-01T09:30:00Z"
) -> list[LedgerEntry]:
    """Append these events, each for itself; the entries of the stream in order."""
    for event_type, payload in events:
        raw = {"type": event_type, "payload": payload, "occurred_at": at}
        store.append(stream, [draft(raw, store.limits())])
    return entries(stream)


def entries(stream: str = "run") -> list[LedgerEntry]:
    """The entries of a stream, in order."""
    return list(LedgerEntry.objects.filter(stream=Stream.objects.named(stream)).order_by("version"))


def context(raw: int, sent: int, **more: Any) -> tuple[str, dict[str, Any]]:
    """A context that was built."""
    return "context.built", {"tokens": {"raw": raw, "sent": sent, "saved": raw - sent}, "method": "memory", **more}


def call(**more: Any) -> tuple[str, dict[str, Any]]:
    """A model's answer with what its provider reported."""
    return "llm.response", {"model": "gpt-4o", "usage": USAGE, **more}

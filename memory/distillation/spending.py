"""What the refinery's own language model took, for the token ledger, like every call of a model. Needs a tenant's
scope."""

from collections.abc import Sequence
from typing import Any

from memory.events import store, usage
from memory.events.draft import draft
from memory.llm.client import Use
from memory.tokens import counting
from memory.vocabulary import IDENTIFIER_MAX_LENGTH, MEMORY_STREAM, EventType, is_identifier

MILLISECONDS = 1000


def record(distillation_id: str, uses: Sequence[Use]) -> None:
    """Record each answer in the tenant's memory stream: figures alone, since nothing of this stream is ever erased. It
    counts whether or not anything comes of the distillation."""
    for use in uses:
        event = {"type": EventType.LLM_RESPONSE, "payload": told(distillation_id, use)}
        store.append(MEMORY_STREAM, [draft(event, store.limits())])


def told(distillation_id: str, use: Use) -> dict[str, Any]:
    """What an event says of an answer: what the service reports, if it does, beside our own count. Pure."""
    vocabulary = counting.vocabulary_of(use.model).name
    reported = usage.read(use.usage)
    figures = {
        "input_tokens": reported.input,
        "cached_input_tokens": reported.cached,
        "output_tokens": reported.output,
        "reasoning_tokens": reported.reasoning,
    }
    return {
        "distillation_id": distillation_id,
        "model": use.model if is_identifier(use.model) else ascii(use.model)[:IDENTIFIER_MAX_LENGTH],
        "duration_ms": round(use.seconds * MILLISECONDS),
        "counted": {
            "input_tokens": counting.count_messages(use.sent, vocabulary),
            "output_tokens": counting.count(use.answer, vocabulary),
        },
        **({"usage": figures} if reported != usage.Usage() else {}),
    }

"""Tokens of one model answer as its provider reported them, whichever provider's form they are in. Pure.

Input always includes cached tokens, and output includes reasoning: neither is counted twice.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

# More tokens than any model has read in one call; a larger number is a mistake and must not spoil the totals.
MOST_TOKENS = 10**9
# What the providers call the part of the input that was written to a cache, which some charge more for.
WRITTEN = ("cache_creation_input_tokens", "input_tokens_cache_write", "cache_write_tokens")


class Usage(NamedTuple):
    """Tokens: `cached` of the input were read from a cache and `written` of it to one, `reasoning` of the output were
    not shown."""

    input: int = 0
    cached: int = 0
    output: int = 0
    reasoning: int = 0
    written: int = 0


def read(value: Any) -> Usage:
    """What a `usage` says; zeros for what it does not say. The form is told by the names of the fields:

    our own (docs/events.md), OpenAI's chat (`prompt_tokens`) and responses (`input_tokens_details`), Anthropic's, whose
    `input_tokens` count only what was neither read from a cache nor written to one (`cache_read_input_tokens`), and
    Inspect's, where the total tells which of the two holds (`input_tokens_cache_read`).
    """
    told: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
    written = max(number(told.get(name)) for name in WRITTEN)
    if "prompt_tokens" in told or "completion_tokens" in told:
        given, answered = number(told.get("prompt_tokens")), number(told.get("completion_tokens"))
        cached, reasoning = _details(told, "prompt_tokens_details", "completion_tokens_details")
    else:
        given, answered = number(told.get("input_tokens")), number(told.get("output_tokens"))
        cached, reasoning = _details(told, "input_tokens_details", "output_tokens_details")
        cached = cached or number(told.get("cached_input_tokens"))
        reasoning = reasoning or number(told.get("reasoning_tokens"))
        if "cache_read_input_tokens" in told or ("cache_creation_input_tokens" in told and not _is_ours(told)):
            cached = number(told.get("cache_read_input_tokens"))
            given += cached + written
        elif "input_tokens_cache_read" in told:
            cached = number(told["input_tokens_cache_read"])
            apart = cached + written
            given += apart if told.get("total_tokens") == given + apart + answered else 0
    given = min(given, MOST_TOKENS)
    cached = min(cached, given)
    return Usage(given, cached, answered, min(reasoning, answered), min(written, given - cached))


def number(value: Any) -> int:
    """A count of tokens; 0 for what cannot be one."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS:
        return value
    return 0


def _is_ours(told: Mapping[str, Any]) -> bool:
    """Whether the input includes already what was written to a cache: our own form always says what was read from
    one."""
    return "cached_input_tokens" in told


def _details(told: Mapping[str, Any], given: str, answered: str) -> tuple[int, int]:
    details = [told.get(name) for name in (given, answered)]
    cached, reasoning = (part if isinstance(part, Mapping) else {} for part in details)
    return number(cached.get("cached_tokens")), number(reasoning.get("reasoning_tokens"))

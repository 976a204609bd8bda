"""Tokens as each provider reports them, in the one form that docs/events.md gives: input includes cached tokens."""

from typing import Any

from memory.imports.fields import Fields, mapping


def from_chat(value: Any) -> Fields:
    """Usage beside a chat message, whichever provider's: told apart by the names of its fields. {} if there is none."""
    usage = mapping(value)
    if "cache_read_input_tokens" in usage or "cache_creation_input_tokens" in usage:
        return from_anthropic(usage) if "input_tokens" in usage else from_openai(usage)
    return from_openai(usage) if "prompt_tokens" in usage else usage


def from_openai(usage: Fields) -> Fields:
    """`prompt_tokens` and `completion_tokens` with their details."""
    cached = _count(mapping(usage.get("prompt_tokens_details")).get("cached_tokens"))
    reasoning = _count(mapping(usage.get("completion_tokens_details")).get("reasoning_tokens"))
    return _renamed(usage, {"prompt_tokens": "input_tokens", "completion_tokens": "output_tokens"}) | _known(
        {"cached_input_tokens": cached, "reasoning_tokens": reasoning}
    )


def from_anthropic(usage: Fields) -> Fields:
    """`input_tokens` here counts only what was neither read from a cache nor written to one, so those are added."""
    read, written = _count(usage.get("cache_read_input_tokens")), _count(usage.get("cache_creation_input_tokens"))
    fresh = _count(usage.get("input_tokens"))
    total = None if fresh is None else fresh + (read or 0) + (written or 0)
    ours = {"cached_input_tokens": read or 0} if written is not None else {}  # says that the input includes them
    return _renamed(usage, {"cache_read_input_tokens": "cached_input_tokens"}) | _known({"input_tokens": total}) | ours


def from_inspect(usage: Fields) -> Fields:
    """Inspect's names. Whether `input_tokens` includes cached ones differs by provider and version; the total tells."""
    names = ("input_tokens", "output_tokens", "total_tokens", "input_tokens_cache_read", "input_tokens_cache_write")
    fresh, output, total, read, written = (_count(usage.get(name)) for name in names)
    renamed = _renamed(usage, {"input_tokens_cache_read": "cached_input_tokens"})
    cached = (read or 0) + (written or 0)
    if fresh is not None and output is not None and cached and total == fresh + cached + output:
        renamed["input_tokens"] = fresh + cached
    return renamed


def from_openhands(usage: Fields) -> Fields:
    """An entry of `metrics.token_usages`; its `prompt_tokens` include cached ones. Its model and id stand elsewhere."""
    names = {
        "prompt_tokens": "input_tokens",
        "completion_tokens": "output_tokens",
        "cache_read_tokens": "cached_input_tokens",
    }
    renamed = _renamed(usage, names)
    return {name: value for name, value in renamed.items() if name not in ("model", "response_id")}


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _renamed(usage: Fields, names: dict[str, str]) -> Fields:
    return {names.get(name, name): value for name, value in usage.items()}


def _known(counts: Fields) -> Fields:
    return {name: count for name, count in counts.items() if count is not None}

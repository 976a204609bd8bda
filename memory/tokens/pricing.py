"""What model calls cost, in US dollars, by the prices of the package genai-prices that held at the time. Pure.

A model without a known price costs None, never nothing.
"""

from datetime import datetime
from decimal import Decimal

from genai_prices import Usage, calc_price


def cost(
    model: str,
    at: datetime,
    *,
    input_tokens: int,
    cached_input_tokens: int = 0,
    written_input_tokens: int = 0,
    output_tokens: int = 0,
) -> Decimal | None:
    """The price of one call; None where the model's is not known.

    Args:
        model: as the provider names it, also with the provider before it: `openai/gpt-4o`.
        input_tokens: with those read from a cache and those written to one, which are at most as many together.
    """
    cached = min(cached_input_tokens, input_tokens)
    usage = Usage(
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        cache_read_tokens=cached or None,
        cache_write_tokens=min(written_input_tokens, input_tokens - cached) or None,
    )
    provider, _, bare = model.strip().rpartition("/")
    for name, provider_id in ((bare, provider.rpartition("/")[2] or None), (bare, None)):
        try:
            return calc_price(usage, name, provider_id=provider_id, genai_request_timestamp=at).total_price
        except LookupError:
            continue
    return None


def worth(model: str, at: datetime, *, raw_tokens: int, sent_tokens: int) -> Decimal | None:
    """What it saves to send so many tokens instead of so many: less than nothing where more are sent; None where the
    model's price is not known. Input alone is counted: what the model answers is not known when it is asked."""
    raw = cost(model, at, input_tokens=raw_tokens)
    sent = cost(model, at, input_tokens=sent_tokens)
    return None if raw is None or sent is None else raw - sent

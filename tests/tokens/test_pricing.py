"""Prices of model calls."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from memory.tokens import pricing

BEFORE, SINCE = datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 4, 1, tzinfo=UTC)


def test_cached_tokens_are_part_of_the_input_and_cheaper() -> None:
    whole = pricing.cost("gpt-4o", SINCE, input_tokens=1000)
    cached = pricing.cost("gpt-4o", SINCE, input_tokens=1000, cached_input_tokens=1000)
    assert (whole, cached) == (Decimal("0.0025"), Decimal("0.00125"))
    assert pricing.cost("gpt-4o", SINCE, input_tokens=1000, cached_input_tokens=5000) == cached


def test_the_price_is_the_one_of_the_time() -> None:
    """Anthropic's prices of long inputs ended on 13 March 2026."""
    then, now = (pricing.cost("claude-sonnet-4-6", at, input_tokens=300_000) for at in (BEFORE, SINCE))
    assert then is not None
    assert now is not None
    assert then > now


@pytest.mark.parametrize("model", ["", "m", "recorded-model", "nobody/nothing", "gpt-", "x" * 300, "a/b/c", "\n"])
def test_an_unknown_model_has_no_price_rather_than_none_to_pay(model: str) -> None:
    assert pricing.cost(model, SINCE, input_tokens=1000) is None
    assert pricing.worth(model, SINCE, raw_tokens=1000, sent_tokens=10) is None


def test_a_provider_may_stand_before_the_model() -> None:
    assert pricing.cost("openai/gpt-4o", SINCE, input_tokens=10) == pricing.cost("gpt-4o", SINCE, input_tokens=10)


def test_nothing_costs_nothing_and_sending_more_saves_less_than_nothing() -> None:
    assert pricing.cost("gpt-4o", SINCE, input_tokens=0) == 0
    assert pricing.worth("gpt-4o", SINCE, raw_tokens=100, sent_tokens=300) == Decimal("-0.0005")


def test_what_is_written_to_a_cache_costs_what_its_provider_takes_for_it() -> None:
    plain = pricing.cost("claude-sonnet-4-5", SINCE, input_tokens=1000)
    written = pricing.cost("claude-sonnet-4-5", SINCE, input_tokens=1000, written_input_tokens=400)
    assert (plain, written) == (Decimal("0.003"), Decimal("0.0033"))

"""Usage in whatever form: read without a mistake, whatever stands there."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.events.usage import MOST_TOKENS, Usage, read
from memory.imports import usage as imported
from tests.events.making import scalars

NAMES = ("input_tokens", "output_tokens", "cached_input_tokens", "reasoning_tokens", "prompt_tokens", "completion_tokens",
         "cache_read_input_tokens", "cache_creation_input_tokens", "input_tokens_cache_read", "input_tokens_cache_write",
         "total_tokens", "prompt_tokens_details", "completion_tokens_details", "input_tokens_details", "output_tokens_details")  # fmt: skip
numbers = st.integers(0, 5000)


@pytest.mark.parametrize(
    "value", [None, 7, "many", [], {}, {"input_tokens": True}, {"input_tokens": -1}, {"input_tokens": 10**10}]
)
def test_what_says_nothing_is_nothing(value: Any) -> None:
    assert read(value) == Usage()


@given(
    st.dictionaries(
        st.sampled_from(NAMES), scalars | numbers | st.dictionaries(st.just("cached_tokens"), scalars | numbers)
    )
)
def test_parts_are_never_more_than_the_whole(value: dict[str, Any]) -> None:
    told = read(value)
    assert 0 <= told.cached <= told.cached + told.written <= told.input <= MOST_TOKENS
    assert 0 <= told.reasoning <= told.output <= MOST_TOKENS


@given(fresh=numbers, cached=numbers, written=numbers, output=numbers)
def test_imported_usage_is_read_as_the_original_is(fresh: int, cached: int, written: int, output: int) -> None:
    anthropic = {
        "input_tokens": fresh,
        "cache_read_input_tokens": cached,
        "cache_creation_input_tokens": written,
        "output_tokens": output,
    }
    openai = {
        "prompt_tokens": fresh + cached,
        "completion_tokens": output,
        "prompt_tokens_details": {"cached_tokens": cached},
    }
    assert (
        read(imported.from_anthropic(anthropic))
        == read(anthropic)
        == Usage(fresh + cached + written, cached, output, written=written)
    )
    del anthropic["cache_read_input_tokens"]
    assert read(imported.from_anthropic(anthropic)) == read(anthropic) == Usage(fresh + written, 0, output, 0, written)
    assert read(imported.from_openai(openai)) == read(openai) == Usage(fresh + cached, cached, output)

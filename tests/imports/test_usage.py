"""Tokens in the words of each provider, and in ours."""

from memory.imports import usage


def test_openai_usage_already_includes_cached_and_reasoning_tokens() -> None:
    reported = {
        "prompt_tokens": 100,
        "completion_tokens": 20,
        "total_tokens": 120,
        "prompt_tokens_details": {"cached_tokens": 60},
        "completion_tokens_details": {"reasoning_tokens": 8},
    }
    ours = usage.from_chat(reported)
    assert ours["input_tokens"] == 100
    assert ours["output_tokens"] == 20
    assert ours["cached_input_tokens"] == 60
    assert ours["reasoning_tokens"] == 8
    assert ours["total_tokens"] == 120


def test_anthropic_usage_gets_its_cached_tokens_added() -> None:
    reported = {
        "input_tokens": 3,
        "cache_creation_input_tokens": 20,
        "cache_read_input_tokens": 100,
        "output_tokens": 9,
    }
    assert usage.from_chat(reported) == {
        "input_tokens": 123,
        "cache_creation_input_tokens": 20,
        "cached_input_tokens": 100,
        "output_tokens": 9,
    }


def test_inspect_usage_gets_its_cached_tokens_added_only_where_the_total_shows_that_they_are_apart() -> None:
    included = {"input_tokens": 100, "output_tokens": 5, "total_tokens": 105, "input_tokens_cache_read": 60}
    apart = {"input_tokens": 40, "output_tokens": 5, "total_tokens": 105, "input_tokens_cache_read": 60}
    assert usage.from_inspect(included)["input_tokens"] == 100
    assert usage.from_inspect(apart)["input_tokens"] == 100
    assert usage.from_inspect(apart)["cached_input_tokens"] == 60


def test_openhands_usage_leaves_out_what_stands_elsewhere() -> None:
    reported = {"model": "m", "prompt_tokens": 5, "completion_tokens": 1, "cache_read_tokens": 2, "response_id": "r"}
    assert usage.from_openhands(reported) == {"input_tokens": 5, "output_tokens": 1, "cached_input_tokens": 2}


def test_usage_of_wrong_types_is_passed_through_without_sums() -> None:
    assert usage.from_chat(None) == usage.from_chat("many") == {}
    strange = {"input_tokens": "3", "cache_read_input_tokens": True, "output_tokens": None}
    assert usage.from_anthropic(strange)["input_tokens"] == "3"
    assert usage.from_inspect({"input_tokens": 10**400, "output_tokens": 1.5, "total_tokens": []})["input_tokens"] > 1

"""One text for one value, and no value that cannot be kept."""

import json
from typing import Any

import pytest
from hypothesis import given

from memory.errors import Invalid
from memory.events.canonical import canonical_json, check_text
from tests.events import making


def canonical(value: Any, max_depth: int = 100) -> str:
    return canonical_json(value, max_depth=max_depth, where="value")


@given(making.values)
def test_canonical_json_reads_back_as_the_same_value(value: Any) -> None:
    assert json.loads(canonical(value)) == value


@given(making.payloads)
def test_the_order_of_keys_does_not_matter(payload: dict[str, Any]) -> None:
    assert canonical(dict(reversed(payload.items()))) == canonical(payload)


def test_canonical_json_has_sorted_keys_no_white_space_and_no_needless_escapes() -> None:
    assert canonical({"b": [1, "é\u2028"], "a": {"ß": None}}) == '{"a":{"ß":null},"b":[1,"é\u2028"]}'


@pytest.mark.parametrize("number", [2**53 + 1, -(2**64) - 1, 10**4000 + 7])
def test_integers_of_any_size_are_exact(number: int) -> None:
    assert canonical({"n": number}) == f'{{"n":{number}}}'


@pytest.mark.parametrize("value", [1, 1.0, True])
def test_numbers_and_truths_that_python_finds_equal_stay_apart(value: Any) -> None:
    assert {canonical([other]) == canonical([value]) for other in (1, 1.0, True) if other is not value} == {False}


@pytest.mark.parametrize("value", [float("nan"), float("inf"), [-float("inf")], {"a": float("nan")}])
def test_canonical_json_refuses_what_json_has_no_number_for(value: Any) -> None:
    with pytest.raises(Invalid, match="NaN"):
        canonical(value)


@pytest.mark.parametrize("value", ["\0", "\\\0", "a\0b", {"\0": 1}, {"a": ["b\\\\\0"]}])
def test_canonical_json_refuses_nul_characters_in_texts_and_keys(value: Any) -> None:
    with pytest.raises(Invalid, match="NUL"):
        canonical(value)


@pytest.mark.parametrize("value", ["\\u0000", "\\\\u0000", {"\\u0000": "a\\u0000"}])
def test_a_backslash_before_u0000_is_no_nul_character(value: Any) -> None:
    assert json.loads(canonical(value)) == value


@pytest.mark.parametrize("value", ["\ud800", "\udc00\ud800", {"\udfff": 1}, ["a", {"b": "x\ud83d"}]])
def test_canonical_json_refuses_lone_surrogates_in_texts_and_keys(value: Any) -> None:
    with pytest.raises(Invalid, match="lone surrogate"):
        canonical(value)


def test_a_whole_surrogate_pair_is_one_character() -> None:
    assert canonical(json.loads('"\\ud83d\\ude00"')) == '"😀"'


def nested(depth: int) -> Any:
    value: Any = {} if depth % 2 else []
    for level in range(depth - 1):
        value = [value] if level % 2 else {"a": value}
    return value


@pytest.mark.parametrize("limit", [1, 4, 100])
def test_nesting_is_allowed_up_to_the_limit_and_refused_beyond_it(limit: int) -> None:
    canonical(nested(limit), limit)
    with pytest.raises(Invalid, match=f"deeper than {limit} levels"):
        canonical(nested(limit + 1), limit)


def test_nesting_that_would_exhaust_the_stack_is_refused() -> None:
    with pytest.raises(Invalid, match="deeper"):
        canonical(nested(100_000))


def test_a_scalar_does_not_nest() -> None:
    assert canonical("text", 0) == '"text"'


def test_errors_name_the_place() -> None:
    with pytest.raises(Invalid, match=r"^events\[3\]\.payload holds"):
        canonical_json("\0", max_depth=9, where="events[3].payload")
    with pytest.raises(Invalid, match=r"^name holds a lone surrogate \(\\ud800\)"):
        check_text("\ud800", "name")

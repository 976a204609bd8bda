"""Which path a task takes."""

from typing import Any

import pytest

from memory.distillation.policy import Policy, choose, value_of
from memory.errors import Invalid


def chosen(
    wish: Any = None, status: str = "completed", characters: int = 20, value: float = 0.1, messages: int = 0
) -> str:
    mode, reason = choose(wish, status, characters, value, messages, Policy())
    assert reason.endswith(".")
    return mode


def test_a_wish_decides() -> None:
    assert (chosen("light", characters=5000, value=1), chosen("full")) == ("light", "full")


@pytest.mark.parametrize("wish", ["", "deep", 1, True, [], {}])
def test_a_wish_for_neither_path_is_refused(wish: Any) -> None:
    with pytest.raises(Invalid):
        chosen(wish)


def test_length_value_and_talk_are_worth_the_refinery_and_little_else_is() -> None:
    assert chosen() == "light"
    assert (chosen(characters=200), chosen(value=0.6), chosen(messages=2)) == ("full", "full", "full")


def test_a_task_that_is_open_or_failed_in_silence_is_packed() -> None:
    assert chosen(status="open", characters=5000) == "light"
    assert chosen(status="failed", characters=5000) == "light"
    assert chosen(status="failed", characters=5000, messages=3) == "full"


def test_an_error_and_what_helped_are_worth_more_than_longer_small_talk() -> None:
    technical = value_of("pip fails: error: No module named 'setuptools'", "Run `pip install setuptools==68`", 0)
    talk = value_of("please tell me something nice about the weather today", "it is warm and the sun shines", 0)
    assert technical >= Policy().full_from_value > talk


def test_a_huge_task_is_looked_at_in_part() -> None:
    assert 0 < value_of("x" * 4_000_000, "", 0) < 1

"""The newest messages, cut only where a conversation can be cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.layers.window import units, window
from tests.layers.test_groups import lines


@pytest.mark.parametrize(
    ("conversation", "most", "kept"),
    [
        ("", 10, 0),
        ("u a u a", 10, 4),
        ("u a u a", 3, 3),
        ("u a u a", 0, 0),
        ("u a:1 t1 a", 3, 3),
        ("u a:1 t1 a", 2, 1),  # the result would stand without its call
        ("u a:12 t1 t2", 2, 3),  # what the agent is at stays whole
        ("u a:12 t1 t2", 1, 3),
        ("u a:12 t1 u t2 a", 5, 5),  # with what was said between
        ("u a:12 t1 u t2 a", 3, 1),
        ("t1 u a", 3, 2),  # its call lies before
        ("t1 t2", 5, 0),
        ("u t9 a", 2, 1),  # names no known call: belongs to what stands before it
        ("u t9 a", 3, 3),
        ("u a:1", 1, 1),
    ],
)
def test_the_newest_units_that_fit_are_kept(conversation: str, most: int, kept: int) -> None:
    messages = lines(conversation)
    flat = [message for unit in window(messages, most) for message in unit]
    assert flat == messages[len(messages) - kept :]


words = st.lists(st.sampled_from(["u", "a", "a:1", "a:2", "a:12", "t1", "t2", "t9"]), max_size=15)


@given(words)
def test_units_are_the_conversation_and_no_call_is_parted_from_its_results(chosen: list[str]) -> None:
    messages = lines(" ".join(chosen))
    made = units(messages)
    assert [message for unit in made for message in unit] == messages
    asked: dict[str, int] = {}
    for place, unit in enumerate(made):
        for message in unit:
            for call in message.tool_calls or ():
                asked[call["id"]] = place
            if message.role == "tool" and message.tool_call_id in asked:
                assert asked[message.tool_call_id] == place


@given(words, st.integers(0, 12))
def test_a_window_holds_no_more_than_asked_for_but_for_one_unit(chosen: list[str], most: int) -> None:
    made = window(lines(" ".join(chosen)), most)
    assert sum(map(len, made)) <= most or (len(made) == 1 and most > 0)
    assert not made or made[0][0].role != "tool"

"""Where a conversation may be cut."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from memory.layers.groups import without_orphans


@dataclass
class Line:
    role: str
    tool_calls: Any = field(default=None)
    tool_call_id: str = ""


def lines(text: str) -> list[Line]:
    """`u` and `a` speak, `a:12` asks for calls 1 and 2, `t1` is the result of call 1."""
    made = []
    for word in text.split():
        if word[0] == "t":
            made.append(Line("tool", tool_call_id=word[1:]))
        elif ":" in word:
            made.append(Line("assistant", [{"id": call} for call in word[2:]]))
        else:
            made.append(Line("user" if word == "u" else "assistant"))
    return made


@pytest.mark.parametrize(
    ("conversation", "kept"),
    [
        ("", 0),
        ("u a u", 3),
        ("u a:1 t1 a", 4),
        ("t1 a u", 2),  # the call of 1 lies before
        ("t1 t2 u a", 2),
        ("t2 a:3 t3 a", 3),
        ("u a:12 t1 t2", 4),
        ("u a:12 t1", 3),  # waits for the result of 2: it is what the agent was about to do
        ("u t9 a", 3),  # names no known call: belongs to what stands before it
        ("u t a", 3),
        ("t u a", 2),
        ("t1 t2", 0),
        ("a:1 u t1 a", 4),
    ],
)
def test_no_result_stands_without_its_call(conversation: str, kept: int) -> None:
    messages = lines(conversation)
    assert without_orphans(messages) == messages[len(messages) - kept :]


@pytest.mark.parametrize("calls", [None, 7, "text", [None, 3], [{}], [{"id": 5}], {"id": "1"}])
def test_calls_of_any_shape_are_passed_over(calls: Any) -> None:
    messages = [Line("assistant", calls), Line("tool", tool_call_id="1")]
    assert without_orphans(messages) == messages

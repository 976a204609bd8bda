"""The sliding window: the newest messages of a conversation, cut only where it can be cut. Pure."""

from collections.abc import Sequence
from typing import TypeVar

from memory.layers.groups import Said, call_ids
from memory.vocabulary import MessageRole

M = TypeVar("M", bound=Said)


def units(messages: Sequence[M]) -> list[list[M]]:
    """The conversation in the pieces that it can be cut into: a message that asks for calls stays with their results,
    and with whatever was said between them. A result that names no known call belongs to the message before it."""
    made: list[list[M]] = []
    asked: dict[str, int] = {}
    for message in messages:
        if message.role == MessageRole.TOOL and made:
            first = asked.get(message.tool_call_id, len(made) - 1)
            made[first:] = [[each for unit in made[first:] for each in unit]]
            asked = {call: min(place, first) for call, place in asked.items()}
            made[-1].append(message)
        else:
            asked |= dict.fromkeys(call_ids(message.tool_calls), len(made))
            made.append([message])
    return made


def window(messages: Sequence[M], most: int) -> list[list[M]]:
    """The newest messages, at most so many, as the units that they come in.

    A unit that does not fit as a whole is left out with all before it, but for the newest one: a call with more results
    than `most` is what the agent is at, and stays whole. Results at the beginning whose call lies before are left out.
    """
    if most <= 0:
        return []
    made = units(messages)
    if made and made[0][0].role == MessageRole.TOOL:
        made = made[1:]
    kept: list[list[M]] = []
    room = most
    for unit in reversed(made):
        if len(unit) > room and kept:
            break
        kept.append(unit)
        room -= len(unit)
    return kept[::-1]

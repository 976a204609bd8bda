"""What of a conversation and of memory goes into a context, within a budget of tokens. Pure.

The newest part of the conversation may take a third of the budget before memory has had its turn; what memory leaves,
the conversation may take too. So neither a long tool result nor many experiences push the other out.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

# The part of the room, one in so many, that is the conversation's before memory has had its turn. Of 300 tokens, a half
# would leave memory one solution, and a third leaves it two.
CONVERSATION_FIRST = 3


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of a conversation that is not cut: what it takes, the versions of its messages, and its words."""

    tokens: int
    versions: frozenset[int]
    words: str


@dataclass(frozen=True, slots=True)
class Memory:
    """An experience: what it takes, and the words of each of its lines. `origins` are the versions in this
    conversation that it came from; None where it rests on something else as well."""

    tokens: int
    lines: tuple[str, ...]
    origins: frozenset[int] | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """How many of the newest units are in, which memories are, best first, and why the others are not, by their
    place."""

    units: int
    memories: tuple[int, ...]
    refused: dict[int, str] = field(default_factory=dict)


def choose(room: int, units: Sequence[Unit], memories: Sequence[Memory], memory_overhead: int = 0) -> Choice:
    """What fits into `room` tokens.

    Args:
        units: the window, the oldest first.
        memories: the best first.
        memory_overhead: what the first memory takes beyond its own tokens.
    """
    first = _newest(units, room // CONVERSATION_FIRST)
    chosen = _best(room - _size(units, first), units[len(units) - first :], memories, memory_overhead)
    more = max(first, _newest(units, room - _taken(memories, chosen.memories, memory_overhead)))
    if more > first:  # what has come in may say what a memory says
        chosen = _best(room - _size(units, more), units[len(units) - more :], memories, memory_overhead)
    return Choice(more, chosen.memories, chosen.refused)


def words(text: str) -> str:
    """A text as it is compared: its words, whatever stands between them."""
    return " ".join(text.lower().split())


def _newest(units: Sequence[Unit], room: int) -> int:
    """How many of the newest units fit, without a gap."""
    taken = 0
    for number, unit in enumerate(reversed(units)):
        taken += unit.tokens
        if taken > room:
            return number
    return len(units)


def _best(room: int, units: Sequence[Unit], memories: Sequence[Memory], overhead: int) -> Choice:
    there = frozenset[int]().union(*(unit.versions for unit in units))
    said = " ".join(unit.words for unit in units)
    chosen: list[int] = []
    refused: dict[int, str] = {}
    left = room
    for place, memory in enumerate(memories):
        needed = memory.tokens + (0 if chosen else overhead)
        if memory.origins and memory.origins <= there:
            refused[place] = "The messages that it came from are in the context."
        elif _is_in(memory, said) or any(_is_in(memory, " ".join(memories[other].lines)) for other in chosen):
            refused[place] = "The context says the same."
        elif needed > left:
            refused[place] = f"It takes {needed} tokens, and {max(left, 0)} were left."
        else:
            chosen.append(place)
            left -= needed
    return Choice(len(units), tuple(chosen), refused)


def _is_in(memory: Memory, said: str) -> bool:
    return all(line in said for line in memory.lines)


def _size(units: Sequence[Unit], newest: int) -> int:
    return sum(unit.tokens for unit in units[len(units) - newest :])


def _taken(memories: Sequence[Memory], chosen: Sequence[int], overhead: int) -> int:
    return sum(memories[place].tokens for place in chosen) + (overhead if chosen else 0)

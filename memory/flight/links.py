"""Causal links of a run, found as its events arrive. Pure.

How they are found, and what each way is worth, is told in docs/flight.md.
"""

from dataclasses import dataclass
from typing import Any

from memory.flight.pieces import Pieces
from memory.flight.trace import Step
from memory.vocabulary import LinkKind, LinkReason

# How likely a link is true that was found in such a way.
CERTAINTY = {
    LinkReason.CAUSATION_ID: 1.0,
    LinkReason.SAME_ID: 1.0,
    LinkReason.SAME_TEXT: 0.95,
    LinkReason.SAME_PARTS: 0.8,
    LinkReason.NAME_AND_ORDER: 0.8,
    LinkReason.ORDER: 0.5,
    LinkReason.SAID_SINCE: 0.5,
}


@dataclass(frozen=True, slots=True)
class Link:
    """Two events of one stream, by their versions: `cause` is always the smaller one.

    What a prompt repeats of the prompt before it has no link of its own: ENTERED leads to the first prompt that has a
    text in it, CARRIED from the prompt that began a conversation to each one that goes on with it, and LEFT to the
    first prompt of it that lacks the text again. So a text is in a prompt if it ENTERED that prompt, or an earlier one
    of the same conversation and has not LEFT between them.
    """

    cause: int
    effect: int
    kind: LinkKind
    certainty: float
    how: LinkReason


class Linker:
    """A run as its causal links need it remembered. A step must be added once, in the order of versions.

    Args:
        state: what `state()` gave; None to begin.
        key: keeps digests from being guessed; the same one as long as `seen` is the same.
    """

    def __init__(self, state: dict[str, Any] | None, key: bytes) -> None:
        self._state = state or {}
        self._key = key

    def add(self, step: Step, seen: Pieces) -> list[Link]:
        """The links that lead to this step."""
        return []

    def state(self) -> dict[str, Any]:
        """What must be kept to go on later: JSON, bounded however long the run is."""
        return self._state

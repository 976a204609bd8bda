"""Reading a run event by event, and telling each hint as soon as it is certain."""

from collections.abc import Collection
from typing import Any

from memory.flight.hints.data import Hint
from memory.flight.trace import Step


def watch(state: dict[str, Any] | None, off: Collection[str] = ()) -> "Watch":
    """A watch that goes on from a state, or begins with None; rules named in `off` tell nothing."""
    return Watch(state or {}, off)


class Watch:
    """A run as its rules remember it. A step must be added once, in the order of versions."""

    def __init__(self, state: dict[str, Any], off: Collection[str]) -> None:
        self._state = state
        self._off = frozenset(off)

    def add(self, step: Step) -> list[Hint]:
        """The hints that this step makes certain."""
        return []

    def state(self) -> dict[str, Any]:
        """What must be kept to go on later: JSON, bounded however long the run is."""
        return self._state

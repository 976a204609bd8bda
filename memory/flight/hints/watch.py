"""Reading a run event by event, and telling each hint as soon as it is certain. Pure."""

from collections.abc import Collection
from typing import Any

from memory.flight.hints import moves
from memory.flight.hints.data import Found, Hint, Memory, Place, Scene
from memory.flight.hints.rules import FAMILIES, RULES
from memory.flight.trace import Step

# States of rules that remember something else are of no use: the run is read again from its beginning.
STATE_VERSION = 1
# A run that goes wrong again and again is told so often, by each rule.
MOST_OF_A_RULE = 50


def watch(state: dict[str, Any] | None, off: Collection[str] = ()) -> "Watch":
    """A watch that goes on from the state of an earlier one, or begins with None; rules named in `off` tell nothing.

    Raises:
        ValueError: the state is of other rules than these (`is_current`), or none at all.
    """
    if state is None:
        return Watch({"rules": STATE_VERSION, "version": 0, "tokens": 0, "told": {}, "memories": {}}, off)
    if not is_current(state):
        raise ValueError("This state is not one of these rules.")
    return Watch(state, off)


def is_current(state: dict[str, Any]) -> bool:
    """Whether a state that was kept can be gone on from."""
    return state.get("rules") == STATE_VERSION


class Watch:
    """A run as its rules remember it.

    Every event must be added, once and in the order of versions. Hints come with the event that makes them certain,
    which may be later than the step they are about: an empty result is suspicious only when an answer takes it for a
    good one, and a goal is dropped only when the run ends. An event costs the same in a run of any length.
    """

    def __init__(self, state: dict[str, Any], off: Collection[str]) -> None:
        self._state = state
        self._off = frozenset(off)

    @property
    def version(self) -> int:
        """The version of the newest step added; 0 for none."""
        return int(self._state["version"])

    def add(self, step: Step) -> list[Hint]:
        """The hints that this step makes certain, about itself or earlier ones.

        Raises:
            ValueError: it is not newer than the newest added.
        """
        if step.version <= self.version:
            raise ValueError(f"Event {step.version} was read already.")
        self._state["version"] = step.version
        self._state["tokens"] += sum(step.tokens)
        here = Place(step.version, self._state["tokens"])
        scene = Scene(step, tuple(moves.read(step, self._memory("moves"))), here)
        # Rules that are off remember all the same, so that they know the run when they are switched on.
        found = [found for name, family in FAMILIES.items() for found in family(scene, self._memory(name))]
        return [self._hint(each) for each in found if self._may_tell(each)]

    def state(self) -> dict[str, Any]:
        """What must be kept to go on later: JSON, some ten kilobytes however long the run is.

        It holds excerpts of the run, like the numbers of its newest results, and has to go when the run goes.
        """
        return self._state

    def _memory(self, name: str) -> Memory:
        memory: Memory = self._state["memories"].setdefault(name, {})
        return memory

    def _may_tell(self, found: Found) -> bool:
        told: dict[str, int] = self._state["told"]
        if found.rule in self._off or told.get(found.rule, 0) >= MOST_OF_A_RULE:
            return False
        told[found.rule] = told.get(found.rule, 0) + 1
        return True

    @staticmethod
    def _hint(found: Found) -> Hint:
        rule = RULES[found.rule]
        return Hint(rule.name, rule.severity, found.at.version, found.evidence, found.sentence, found.at.tokens)

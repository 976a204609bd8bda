"""The first bad step: which of a run's steps most likely decided that it went wrong. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass

from memory.flight.hints.data import Hint
from memory.flight.trace import Step
from memory.vocabulary import HintRule, Outcome

MOST = 3


@dataclass(frozen=True, slots=True)
class Suspect:
    """A step that may have decided a run. `score` is above 0 and compares the suspects of one run only; `reason` is a
    plain sentence, `hints` the rules that found something at this very step."""

    version: int
    speaker: str
    score: float
    reason: str
    hints: tuple[HintRule, ...]


def suspects(steps: Iterable[Step], hints: Iterable[Hint], outcome: Outcome) -> list[Suspect]:
    """At most three steps, the likeliest first; none for a run without any sign of trouble."""
    return []

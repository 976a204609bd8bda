"""Update: what becomes of a candidate beside what is known already. Pure.

Similarities are calibrated ones, so that thresholds mean the same for every model.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.distillation.data import Candidate
from memory.distillation.merge import adds, is_same_problem, merged
from memory.vocabulary import Action, Kind

# A newer statement takes the place of an older one unless it is so much less sure.
LEAST_SHARE = 0.6
# Statements are short: only what says the same in most of its words is the same one.
SAME_STATEMENT = 0.6


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An experience of the same owner that holds now, and its calibrated similarity to the candidate."""

    id: str
    kind: str
    problem: str
    solution: str
    subject: str
    value: str
    confidence: float
    valid_from: datetime
    similarity: float

    @property
    def text(self) -> str:
        """What is embedded, searched and counted."""
        return f"{self.problem}\n{self.solution}" if self.problem else self.solution


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Where the bands of similarity begin, in [0, 1]."""

    new_below: float = 0.7
    conflict_above: float = 0.85
    redundant_above: float = 0.95
    precision_over_recall: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is to be done, by which rule, and why. `supersedes`: the neighbour's place is taken by the candidate;
    `superseded`: the candidate is history already, and the neighbour what holds now."""

    action: Action
    rule: str
    reason: str
    neighbour: Neighbour | None = None
    problem: str = ""
    solution: str = ""
    supersedes: bool = False
    superseded: bool = False


def decide(candidate: Candidate, neighbours: Sequence[Neighbour], thresholds: Thresholds) -> Verdict:
    """Insert, update, merge or discard: the first rule that fits, the nearest neighbour first."""
    ranked = sorted(neighbours, key=lambda each: (-each.similarity, each.id))
    for neighbour in ranked:
        if _contradicts(candidate, neighbour, thresholds):
            return _replace(candidate, neighbour, thresholds)
    nearest = next((each for each in ranked if _is_comparable(candidate, each)), None)
    if nearest is None or nearest.similarity < thresholds.new_below:
        return Verdict(Action.INSERT, "new", "Nothing known is like it.", nearest)
    new_facts = adds(candidate.text, nearest.text)
    if nearest.similarity > thresholds.redundant_above or _says_the_same(candidate, nearest):
        if not new_facts:
            return Verdict(Action.DISCARD, "redundant", "It is known already and adds no fact.", nearest)
        if not _fits(candidate, nearest):
            return Verdict(Action.INSERT, "other", "It reads alike and is about something else.", nearest)
        return _joined(Action.UPDATE, "adds", candidate, nearest, new_facts)
    if _fits(candidate, nearest):
        if not new_facts:
            return Verdict(Action.DISCARD, "contained", "What it says is part of what is known.", nearest)
        return _joined(Action.MERGE, "refines", candidate, nearest, new_facts)
    return Verdict(Action.INSERT, "related", "It is related to what is known, and about something else.", nearest)


def _is_comparable(candidate: Candidate, neighbour: Neighbour) -> bool:
    """What solves something is compared with what solves something, and statements with statements."""
    return (candidate.kind in SOLVING) == (neighbour.kind in SOLVING)


SOLVING = frozenset({Kind.SOLUTION, Kind.PROCEDURE, Kind.ABSTRACTION})


def _fits(candidate: Candidate, neighbour: Neighbour) -> bool:
    """Whether the two are about the same thing, so that one text can hold both."""
    if candidate.kind in SOLVING:
        return is_same_problem(candidate.problem, neighbour.problem)
    return _says_the_same(candidate, neighbour)


def _says_the_same(candidate: Candidate, neighbour: Neighbour) -> bool:
    if candidate.kind in SOLVING:
        return False
    return _overlap(candidate.text, neighbour.text) >= SAME_STATEMENT and not adds(neighbour.text, candidate.text)


def _overlap(one: str, other: str) -> float:
    first, second = set(_WORDS.findall(one.lower())), set(_WORDS.findall(other.lower()))
    return len(first & second) / max(1, len(first | second))


_WORDS = re.compile(r"[a-z0-9_]+|[\u4e00-\u9fff]")


def _contradicts(candidate: Candidate, neighbour: Neighbour, thresholds: Thresholds) -> bool:
    """Whether both say something else of the same subject."""
    if not candidate.subject or candidate.subject != neighbour.subject:
        return False
    return _plain(candidate.value) != _plain(neighbour.value)


def _plain(value: str) -> str:
    return " ".join(_WORDS.findall(value.lower()))


def _replace(candidate: Candidate, neighbour: Neighbour, thresholds: Thresholds) -> Verdict:
    told = f"{candidate.subject}: {neighbour.value!r} and {candidate.value!r}"
    if candidate.occurred_at < neighbour.valid_from:
        reason = f"It contradicts what was said later ({told}): it held until then."
        return Verdict(Action.INSERT, "outdated", reason, neighbour, superseded=True)
    least = neighbour.confidence * (1 if thresholds.precision_over_recall else LEAST_SHARE)
    if candidate.confidence < least:
        reason = f"It contradicts what is known and is much less sure ({told})."
        return Verdict(Action.DISCARD, "unsure", reason, neighbour)
    reason = f"It contradicts what was said before and is newer ({told})."
    return Verdict(Action.INSERT, "supersedes", reason, neighbour, supersedes=True)


def _joined(action: Action, rule: str, candidate: Candidate, nearest: Neighbour, new_facts: Sequence[str]) -> Verdict:
    problem, solution = merged(nearest.problem, nearest.solution, candidate.problem, candidate.solution)
    if not solution:
        return Verdict(Action.INSERT, "full", "What is like it has grown too long to take more.", nearest)
    named = ", ".join(new_facts[:5])
    return Verdict(action, rule, f"It is about the same and adds: {named}.", nearest, problem, solution)

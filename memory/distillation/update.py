"""Update: what becomes of a candidate beside what is known already. Pure.

Similarities are calibrated ones, so that thresholds mean the same for every model.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.distillation.data import Candidate
from memory.distillation.merge import adds, are_of_others, is_same_problem, merged
from memory.distillation.opposition import opposes
from memory.vocabulary import SOLVING, Action

# A newer statement takes the place of an older one unless it is so much less sure.
LEAST_SHARE = 0.6
# Statements are short: only what says the same in most of its words is the same one.
SAME_STATEMENT = 0.6


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An experience of the same owner, and its calibrated similarity to the candidate. `valid_to` is null while it
    holds."""

    id: str
    kind: str
    problem: str
    solution: str
    subject: str
    value: str
    confidence: float
    valid_from: datetime
    similarity: float
    valid_to: datetime | None = None

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
    """What is to be done, by which rule, and why.

    `supersedes`: the neighbour's place is taken by the candidate. `superseded`: the candidate is history already, the
    neighbour is what came next and `before`, if any, what held until then. Reasons name nothing that another one said:
    they stay when that is erased.
    """

    action: Action
    rule: str
    reason: str
    neighbour: Neighbour | None = None
    problem: str = ""
    solution: str = ""
    supersedes: bool = False
    superseded: bool = False
    before: Neighbour | None = None


def decide(
    candidate: Candidate,
    neighbours: Sequence[Neighbour],
    thresholds: Thresholds,
    history: Sequence[Neighbour] = (),
) -> Verdict:
    """Insert, update, merge or discard: the first rule that fits, the nearest neighbour first.

    Args:
        neighbours: what holds now. history: what was said of the candidate's subject and holds no more.
    """
    ranked = sorted(neighbours, key=lambda each: (-each.similarity, each.id))
    if candidate.quarantine:  # what may have been planted changes nothing that agents are given
        reason = f"It waits for an operator. {candidate.quarantine}"
        return Verdict(Action.INSERT, "quarantine", reason, ranked[0] if ranked else None)
    for neighbour in ranked:
        if _contradicts(candidate, neighbour, thresholds):
            return _replace(candidate, neighbour, thresholds, history)
    close = [each for each in ranked if _is_comparable(candidate, each) and each.similarity >= thresholds.new_below]
    if not close:
        return Verdict(Action.INSERT, "new", "Nothing known is like it.", ranked[0] if ranked else None)
    nearest = next((each for each in close if _is_about_the_same(candidate, each)), None)
    if nearest is None:
        return Verdict(Action.INSERT, "other", "It reads alike and is about something else.", close[0])
    return _beside(candidate, nearest, thresholds)


def _beside(candidate: Candidate, nearest: Neighbour, thresholds: Thresholds) -> Verdict:
    """What becomes of a candidate beside something that is about the same."""
    solves = candidate.kind in SOLVING
    nearly_equal = nearest.similarity > thresholds.redundant_above
    joins = solves or _says_the_same(candidate, nearest)
    new_facts = adds(candidate.text, nearest.text)
    if not new_facts and (nearly_equal or joins):
        return Verdict(Action.DISCARD, "redundant", "What it says is known already.", nearest)
    if not joins:
        return Verdict(Action.INSERT, "related", "It is related to what is known, and says something else.", nearest)
    if nearly_equal or not solves:
        return _joined(Action.UPDATE, "adds", candidate, nearest, new_facts)
    return _joined(Action.MERGE, "refines", candidate, nearest, new_facts)


def _is_comparable(candidate: Candidate, neighbour: Neighbour) -> bool:
    """What solves something is compared with what solves something, and statements with statements."""
    return (candidate.kind in SOLVING) == (neighbour.kind in SOLVING)


def _is_about_the_same(candidate: Candidate, neighbour: Neighbour) -> bool:
    """Whether two that read alike are about one thing, so that one text could hold both."""
    if candidate.kind in SOLVING:
        return is_same_problem(candidate.problem, neighbour.problem)
    return not are_of_others(candidate.text, neighbour.text)


def _says_the_same(candidate: Candidate, neighbour: Neighbour) -> bool:
    """Whether a statement is another one in nearly the same words, with all that the other one names."""
    return _overlap(candidate.text, neighbour.text) >= SAME_STATEMENT and not adds(neighbour.text, candidate.text)


def _overlap(one: str, other: str) -> float:
    first, second = set(_WORDS.findall(one.lower())), set(_WORDS.findall(other.lower()))
    return len(first & second) / max(1, len(first | second))


_WORDS = re.compile(r"[a-z0-9_]+|[\u4e00-\u9fff]")


def _contradicts(candidate: Candidate, neighbour: Neighbour, thresholds: Thresholds) -> bool:
    """Whether both say something else of the same subject, or, where no rule knows the subject, one says of nearly the
    same words that it is not so."""
    if candidate.subject and candidate.subject == neighbour.subject:
        return _plain(candidate.value) != _plain(neighbour.value)
    if candidate.kind in SOLVING or neighbour.kind in SOLVING or neighbour.similarity < thresholds.conflict_above:
        return False
    return opposes(candidate.text, neighbour.text)


def _plain(value: str) -> str:
    return " ".join(_WORDS.findall(value.lower()))


def _replace(
    candidate: Candidate, neighbour: Neighbour, thresholds: Thresholds, history: Sequence[Neighbour]
) -> Verdict:
    if candidate.occurred_at < neighbour.valid_from:
        return _outdated(candidate, neighbour, history)
    least = neighbour.confidence * (1 if thresholds.precision_over_recall else LEAST_SHARE)
    if candidate.confidence < least:
        reason = (
            f"It contradicts what is known and is much less sure: {candidate.confidence:.2f} of at least {least:.2f}."
        )
        return Verdict(Action.DISCARD, "unsure", reason, neighbour)
    return Verdict(
        Action.INSERT, "supersedes", "It contradicts what was said before and is newer.", neighbour, supersedes=True
    )


def _outdated(candidate: Candidate, neighbour: Neighbour, history: Sequence[Neighbour]) -> Verdict:
    """What was said before what holds now takes its place in the history, in whatever order both come in."""
    said_at = candidate.occurred_at
    earlier = [
        each for each in history if each.valid_from <= said_at and (not each.valid_to or said_at < each.valid_to)
    ]
    before = max(earlier, key=lambda each: (each.valid_from, each.id), default=None)
    if before is not None and _plain(before.value) == _plain(candidate.value):
        return Verdict(Action.DISCARD, "held", "It is known that this held then.", before)
    later = [each for each in history if each.valid_from > said_at]
    follower = min((*later, neighbour), key=lambda each: (each.valid_from, each.id))
    reason = "It contradicts what was said later: it held until then."
    return Verdict(Action.INSERT, "outdated", reason, follower, superseded=True, before=before)


def _joined(action: Action, rule: str, candidate: Candidate, nearest: Neighbour, new_facts: Sequence[str]) -> Verdict:
    problem, solution = merged(nearest.problem, nearest.solution, candidate.problem, candidate.solution)
    if not solution:
        return Verdict(Action.INSERT, "full", "What is like it has grown too long to take more.", nearest)
    named = ", ".join(new_facts[:5])
    return Verdict(action, rule, f"It is about the same and adds: {named}.", nearest, problem, solution)

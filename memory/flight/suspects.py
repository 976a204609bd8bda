"""The first bad step: which of a run's steps most likely decided that it went wrong. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp

from memory.flight.hints.data import Hint
from memory.flight.trace import Step
from memory.flight.turns import Sign, Turn, is_group, turns
from memory.vocabulary import HintRule, Outcome, Severity

MOST = 3
# How much each sign speaks for a turn, as log odds against the other turns of its run: fitted to annotated runs of
# several agents by `bench/weights.py` (conditional logit, ridge 1), and rounded.
WEIGHTS: Mapping[Sign, float] = {
    Sign.IS_OUTPUT: -1.6,
    Sign.IS_NOTE: -1.1,
    Sign.IS_EVIDENCE: 2.1,
    Sign.IS_CODE: 0.8,
    Sign.IS_CLAIM: 0.6,
    Sign.LATE: -0.4,
    Sign.CODE_FAILED: 1.3,
    Sign.ASSUMES: 1.4,
    Sign.CONCLUDES_FIRST: 0.7,
    Sign.INTRODUCES: 1.2,
    Sign.CLOSES: -1.2,
    Sign.DIFFERS_FROM_GOAL: 0.7,
}
# A hint is a finding where a sign is a tendency, and a grave one outweighs all signs of a turn together. The others are
# rather what trouble looks like afterwards, such as a loop, than where it began.
OF_HINT: Mapping[Severity, float] = {Severity.HIGH: 6.0, Severity.MEDIUM: 2.0, Severity.LOW: 1.0}
REASONS: Mapping[Sign, str] = {
    Sign.DIFFERS_FROM_GOAL: "What it asks for differs from the goal.",
    Sign.ASSUMES: "It takes an assumption or a placeholder for something that was looked up.",
    Sign.CODE_FAILED: "What it had run failed.",
    Sign.INTRODUCES: "It is the first to name what the final answer rests on.",
    Sign.CONCLUDES_FIRST: "It draws the first conclusion of the run.",
    Sign.IS_EVIDENCE: "It brought evidence on which later steps rest.",
    Sign.IS_CODE: "It acted early, and later steps rest on what came of it.",
    Sign.IS_CLAIM: "It states something early without looking it up, and later steps rest on it.",
}
# Below this share of what the final answer rests on, a turn is not said to have introduced it.
LEAST_INTRODUCED = 0.2


@dataclass(frozen=True, slots=True)
class Suspect:
    """A step that may have decided a run.

    `speaker` is who said or did it; for a result, who asked for it. `score` is its share of the run's suspicion, above
    0 and at most 1, and compares the steps of one run only. `reason` is a plain sentence, `hints` the rules that found
    something at this very step.
    """

    version: int
    speaker: str
    score: float
    reason: str
    hints: tuple[HintRule, ...]


def suspects(steps: Sequence[Step], hints: Iterable[Hint], outcome: Outcome) -> list[Suspect]:
    """At most three steps, the likeliest first.

    A run that failed always has some, and so has one of several agents of which nobody says how it ended: no outcome
    is no success. Any other run has only the steps of which hints tell, and none without a hint. The time is
    proportional to the run, which is read twice: of a very long one, give the part that matters.
    """
    by_version: dict[int, list[Hint]] = {}
    for hint in hints:
        by_version.setdefault(hint.version, []).append(hint)
    told = [*turns(steps)]
    told += _others(steps, told, by_version)
    by_signs = outcome is Outcome.FAILED or (outcome is not Outcome.SUCCEEDED and is_group(steps))
    weights = {turn.version: exp(_weight(turn, by_version.get(turn.version, ()))) for turn in told}
    whole = sum(weights.values())
    candidates = [turn for turn in told if by_signs or turn.version in by_version]
    candidates.sort(key=lambda turn: (-weights[turn.version], turn.version))
    return [
        Suspect(
            version=turn.version,
            speaker=turn.speaker,
            score=weights[turn.version] / whole,
            reason=_reason(turn, by_version.get(turn.version, [])),
            hints=tuple(dict.fromkeys(hint.rule for hint in by_version.get(turn.version, ()))),
        )
        for turn in candidates[:MOST]
    ]


def _others(steps: Sequence[Step], told: Sequence[Turn], by_version: Mapping[int, Sequence[Hint]]) -> list[Turn]:
    """Steps that are no turns, like a prompt or a task, where hints tell of them."""
    known = {turn.version for turn in told}
    return [
        Turn(step.version, step.speaker) for step in steps if step.version in by_version and step.version not in known
    ]


def _weight(turn: Turn, hints: Iterable[Hint]) -> float:
    by_signs = sum(WEIGHTS[sign] * strength for sign, strength in turn.signs.items())
    return by_signs + max((OF_HINT[hint.severity] for hint in hints), default=0.0)


def _reason(turn: Turn, hints: Sequence[Hint]) -> str:
    """The sentence of the gravest hint, else of the sign that speaks most against the step."""
    if hints:
        return max(hints, key=lambda hint: OF_HINT[hint.severity]).sentence
    shown = {
        sign: WEIGHTS[sign] * strength
        for sign, strength in turn.signs.items()
        if sign in REASONS and strength > (LEAST_INTRODUCED if sign is Sign.INTRODUCES else 0)
    }
    if not shown:
        return "Later steps rest on it."
    # What a turn is says least about it: its own signs come first.
    parts = {Sign.IS_EVIDENCE, Sign.IS_CODE, Sign.IS_CLAIM}
    own = {sign: weight for sign, weight in shown.items() if sign not in parts} or shown
    return REASONS[max(own, key=lambda sign: own[sign])]

"""How the weights of `memory.flight.suspects` are found: which signs tell the decisive turn from the others of its run."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench.sample_runs import SampleRun
from memory.flight.turns import Sign, name_of, turns

RIDGE = 1.0
STEPS = 30
# There are fewer of the long runs; without this, the short ones would decide alone.
LONG_RUN = 20
WEIGHT_OF_LONG = 1.6

Weights = dict[Sign, float]


@dataclass(frozen=True, slots=True)
class Annotated:
    """A run's turns as a matrix (turns by signs), their versions and speakers, and which one was decisive."""

    signs: np.ndarray
    versions: list[int]
    speakers: list[str]
    decisive: int
    responsible: str


def annotated(run: SampleRun) -> Annotated:
    """A run as numbers."""
    told = turns(run.steps)
    signs = np.array([[turn.signs.get(sign, 0.0) for sign in Sign] for turn in told])
    versions = [turn.version for turn in told]
    speakers = [turn.speaker.lower() for turn in told]
    return Annotated(signs, versions, speakers, versions.index(run.decisive), name_of(run.responsible).lower())


def fit(runs: Sequence[Annotated], without: Sign | None = None) -> Weights:
    """Conditional logit with a ridge, by Newton's method: the odds of a turn being the decisive one of its run."""
    kept = np.array([sign is not without for sign in Sign], dtype=float)
    weights = np.zeros(len(Sign))
    for _ in range(STEPS):
        gradient, curvature = -RIDGE * weights, RIDGE * np.eye(len(Sign))
        for run in runs:
            signs = run.signs * kept
            share = shares(signs, weights)
            spread = signs - share @ signs
            importance = WEIGHT_OF_LONG if len(run.versions) > LONG_RUN else 1.0
            gradient += importance * (signs[run.decisive] - share @ signs)
            curvature += importance * (spread.T * share) @ spread
        weights = weights + np.linalg.solve(curvature, gradient)
    return dict(zip(Sign, weights.tolist(), strict=True))


def shares(signs: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Each turn's share of its run's suspicion."""
    scores = signs @ weights
    grown = np.exp(scores - scores.max())
    return np.asarray(grown / grown.sum())


def judge(runs: Sequence[Annotated], weights: Weights) -> tuple[float, float]:
    """The share of runs whose decisive turn is among the first three, and whose responsible agent comes first."""
    vector = np.array([weights[sign] for sign in Sign])
    among = first = 0
    for run in runs:
        order = np.argsort(-(run.signs @ vector), kind="stable")[:3]
        among += run.decisive in order
        first += run.speakers[order[0]] == run.responsible
    return among / len(runs), first / len(runs)

"""Several rankings become one. Pure.

A leg holds what it found with its scores, at most `pool` of each source; what it did not find counts nothing in it.
Both ways give each item what its legs contribute, up to the weight of each.
"""

from collections.abc import Hashable, Mapping
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)
Leg = Mapping[Key, float]

# Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods"
# (2009).
RANK_CONSTANT = 60
# What a text scores that has nothing to do with the query, where that is known: BM25 gives it nothing. No model's
# cosine does, so there the worst that was found stands for it.
NOTHING = {"lexical": 0.0}


def weighted(legs: Mapping[str, Leg[Key]], weights: Mapping[str, float], pool: int) -> dict[Key, dict[str, float]]:
    """By the scores, each leg's stretched to 0 to 1: the best has 1; 0 has the one in place `pool` or, where fewer were
    found, what has nothing to do with the query."""
    return _contributions({name: _stretched(leg, pool, NOTHING.get(name)) for name, leg in legs.items()}, weights)


def by_rank(legs: Mapping[str, Leg[Key]], weights: Mapping[str, float]) -> dict[Key, dict[str, float]]:
    """By the places alone: reciprocal rank fusion, stretched so that the first place of a leg counts its whole
    weight."""
    return _contributions({name: _reciprocal(leg) for name, leg in legs.items()}, weights)


def _contributions(legs: Mapping[str, Leg[Key]], weights: Mapping[str, float]) -> dict[Key, dict[str, float]]:
    made: dict[Key, dict[str, float]] = {}
    for name, leg in legs.items():
        for key, value in leg.items():
            made.setdefault(key, {})[name] = weights[name] * value
    return made


def _stretched(leg: Leg[Key], pool: int, nothing: float | None) -> dict[Key, float]:
    best_first = sorted(leg.values(), reverse=True)
    if not best_first:
        return {}
    best = best_first[0]
    floor = best_first[min(pool, len(best_first)) - 1]
    if nothing is not None and len(best_first) < pool:
        floor = nothing
    if best == floor:
        return dict.fromkeys(leg, 1.0)
    return {key: max(0.0, (value - floor) / (best - floor)) for key, value in leg.items()}


def _reciprocal(leg: Leg[Key]) -> dict[Key, float]:
    best_first = sorted(leg, key=lambda key: -leg[key])
    return {key: (RANK_CONSTANT + 1) / (RANK_CONSTANT + place) for place, key in enumerate(best_first, start=1)}

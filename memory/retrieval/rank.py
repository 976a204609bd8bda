"""The score of a candidate, part by part. Pure.

What stands in a candidate's favour adds up: the legs that found it, what its neighbours hand on, that the query names
whom it is about, how recent, how much used and how well judged it is. The source's weight multiplies every part, so a
score is always the sum of its parts.
"""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from math import log1p
from typing import NamedTuple

from memory.retrieval.names import named
from memory.retrieval.plan import Plan
from memory.vocabulary import Collection

# So many uses count in full.
MANY_USES = 100
# Judgements that an experience is taken to have had before the first, half of them good: one vote moves little.
PRIOR_VOTES = 2


class Key(NamedTuple):
    """A candidate: an item of a collection."""

    collection: Collection
    item_id: str


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a candidate apart from the query. `age` is in days, `names` as `memory.retrieval.names.keys`
    makes them; a document or tool has no kind and no votes."""

    names: tuple[str, ...] = ()
    kind: str = ""
    age: float = 0.0
    uses: int = 0
    helpful: int = 0
    harmful: int = 0


class Neighbour(NamedTuple):
    """`key` stands `steps` (1 or 2) before or after `of` in their sequence, and leans on others by `leaning`, in [0,
    1]."""

    of: Key
    key: Key
    steps: int
    leaning: float = 1.0


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate with the parts of its score, which are named and sum up to it."""

    key: Key
    parts: Mapping[str, float]

    @property
    def score(self) -> float:
        """The sum of the parts."""
        return sum(self.parts.values())


def ranked(
    found: Mapping[Key, Mapping[str, float]],
    neighbours: Iterable[Neighbour],
    facts: Mapping[Key, Facts],
    asked: Set[str],
    plan: Plan,
) -> list[Scored]:
    """The candidates, the best first; the order of equals is fixed.

    Args:
        found: what each leg contributes to each candidate that it found.
        facts: of every candidate that may be found; others are left out.
        asked: the query's terms.
    """
    handed_on: dict[Key, float] = {}
    for near in neighbours:
        own = sum(found.get(near.of, {}).values())
        handed_on[near.key] = handed_on.get(near.key, 0.0) + plan.neighbour_weight / near.steps * near.leaning * own
    scored = []
    for key, fact in facts.items():
        parts = {**found.get(key, {}), "neighbours": handed_on.get(key, 0.0), **_signals(fact, asked, plan)}
        weight = plan.source_weight(key.collection)
        scored.append(Scored(key, {name: weight * part for name, part in parts.items()}))
    return sorted(scored, key=lambda each: (-each.score, each.key))


def judged(scored: Iterable[Scored], worth: Iterable[float], plan: Plan) -> list[Scored]:
    """Candidates with what a reranker thinks of each, in [0, 1], as one more part of their scores, the best first."""
    made = [
        Scored(each.key, {**each.parts, "rerank": plan.source_weight(each.key.collection) * plan.rerank_weight * own})
        for each, own in zip(scored, worth, strict=True)
    ]
    return sorted(made, key=lambda each: (-each.score, each.key))


def _signals(fact: Facts, asked: Set[str], plan: Plan) -> dict[str, float]:
    half_life = plan.half_lives.get(fact.kind)
    votes = fact.helpful + fact.harmful
    return {
        "names": plan.name_weight * named(fact.names, asked),
        "recency": plan.recency_weight * 0.5 ** (max(fact.age, 0.0) / half_life) if half_life else 0.0,
        "use": plan.use_weight * min(1.0, log1p(fact.uses) / log1p(MANY_USES)),
        "feedback": plan.feedback_weight * (fact.helpful - fact.harmful) / (votes + PRIOR_VOTES),
    }

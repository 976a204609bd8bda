"""The plan of a search: which sources and signals count how much. Pure.

The defaults were chosen by measurement; docs/adr/0009 has the table.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any

from memory.errors import Invalid
from memory.vocabulary import Collection, Kind

# What a weight may be: enough to let one signal alone decide.
MAX_WEIGHT = 100.0
FLOORS = ("confidence_floor", "relevance_floor")


class Fusion(StrEnum):
    """How the legs of a search become one score."""

    WEIGHTED = "weighted"
    RANK = "rank"


def _half_lives() -> dict[str, float]:
    return {
        Kind.SOLUTION: 180.0,
        Kind.PROCEDURE: 180.0,
        Kind.ABSTRACTION: 365.0,
        Kind.FACT: 365.0,
        Kind.PREFERENCE: 180.0,
        Kind.PROFILE: 730.0,
    }


@dataclass(frozen=True, slots=True)
class Plan:
    """How much each thing counts. Weights are at least 0; one of 0 leaves its source or signal out.

    A source's weight multiplies the score of all that is found in it; the others add what they contribute, each up to
    its weight. `neighbour_weight` is what the item before and after hand on of their own to a short text, half of it
    the next but one; `name_weight` is added where the query names whom or what an item is about. `half_lives` are days,
    by kind. Experiences below `confidence_floor` are not found; neither is what reaches `relevance_floor`
    neither by its calibrated similarity nor by its share of the weight of the query's words
    (`memory.retrieval.relevance`).

    `rewrite` has the language model say what is meant before it is searched for, and `rerank_weight` is what the
    reranker's judgement of the best counts: both are off by default, and search goes on without where they fail.
    """

    experience_weight: float = 1.0
    knowledge_weight: float = 1.0
    tools_weight: float = 1.0
    vector_weight: float = 0.5
    lexical_weight: float = 0.5
    neighbour_weight: float = 0.2
    name_weight: float = 0.4
    recency_weight: float = 0.05
    use_weight: float = 0.02
    feedback_weight: float = 0.1
    confidence_floor: float = 0.2
    relevance_floor: float = 0.15
    rerank_weight: float = 0.0
    rewrite: bool = False
    fusion: Fusion = Fusion.WEIGHTED
    half_lives: Mapping[str, float] = field(default_factory=_half_lives)

    def source_weight(self, collection: Collection) -> float:
        """What a source's scores are multiplied with."""
        return {
            Collection.EXPERIENCE: self.experience_weight,
            Collection.KNOWLEDGE: self.knowledge_weight,
            Collection.TOOL: self.tools_weight,
        }[collection]

    @property
    def sources(self) -> list[Collection]:
        """The collections that are searched."""
        return [collection for collection in Collection if self.source_weight(collection) > 0]


def parse(raw: Any) -> Plan:
    """A plan from what a client sent: an object with some of the plan's fields; None is the default plan.

    Raises:
        Invalid: a field is unknown, or its value is not what it must be.
    """
    if raw is None:
        return Plan()
    if not isinstance(raw, dict):
        raise Invalid("plan must be an object.")
    known = {each.name: each for each in fields(Plan)}
    unknown = ", ".join(sorted(map(repr, raw.keys() - known)))
    if unknown:
        raise Invalid(f"plan has unknown fields: {unknown[:200]}. There are: {', '.join(known)}.")
    return Plan(**{name: _value(name, value) for name, value in raw.items()})


def _value(name: str, value: Any) -> Any:
    if name == "fusion":
        if not isinstance(value, str) or value not in set(Fusion):
            raise Invalid(f"plan.fusion must be one of {', '.join(Fusion)}.")
        return Fusion(value)
    if name == "half_lives":
        if not isinstance(value, dict) or not value.keys() <= set(Kind):
            raise Invalid(f"plan.half_lives must be an object of days, by kind: {', '.join(Kind)}.")
        return _half_lives() | {kind: _number(f"half_lives.{kind}", days, 0.01, 1e6) for kind, days in value.items()}
    if name == "rewrite":
        if not isinstance(value, bool):
            raise Invalid("plan.rewrite must be true or false.")
        return value
    return _number(name, value, 0.0, 1.0 if name in FLOORS else MAX_WEIGHT)


def _number(name: str, value: Any, least: float, most: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise Invalid(f"plan.{name} must be a number from {least:g} to {most:g}.")
    return float(value)

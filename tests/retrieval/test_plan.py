"""Plans that clients send."""

from typing import Any

import pytest

from memory.errors import Invalid
from memory.retrieval.plan import Fusion, Plan, parse
from memory.vocabulary import Collection, Kind


def test_nothing_is_the_default_plan_and_a_field_replaces_one_default() -> None:
    assert parse(None) == parse({}) == Plan()
    made = parse({"vector_weight": 2, "fusion": "rank", "half_lives": {"fact": 3}})
    assert (made.vector_weight, made.fusion) == (2.0, Fusion.RANK)
    assert parse({"rewrite": True, "rerank_weight": 1}) == Plan(rewrite=True, rerank_weight=1.0)
    assert (Plan().rewrite, Plan().rerank_weight) == (False, 0.0)
    assert made.half_lives == {**Plan().half_lives, Kind.FACT: 3.0}


def test_a_source_without_weight_is_not_searched() -> None:
    assert parse({"knowledge_weight": 0}).sources == [Collection.EXPERIENCE, Collection.TOOL]


@pytest.mark.parametrize(
    "raw",
    [
        [], "x", 1, {"weight": 1}, {"vector_weight": -0.1}, {"vector_weight": "1"}, {"vector_weight": True},
        {"vector_weight": float("nan")}, {"vector_weight": 101}, {"confidence_floor": 1.1}, {"fusion": "x"}, {"fusion": []},
        {"half_lives": []}, {"half_lives": {"fact": 0}}, {"half_lives": {"x": 1}}, {"vector_weight": None},
        {"relevance_floor": 1.1}, {"rewrite": 1}, {"rewrite": None}, {"rerank_weight": -1},
    ],
)  # fmt: skip
def test_what_is_no_plan_is_refused(raw: Any) -> None:
    with pytest.raises(Invalid, match="plan"):
        parse(raw)

"""The score of a candidate and its parts."""

import pytest

from memory.retrieval.plan import Plan
from memory.retrieval.rank import Facts, Key, Neighbour, ranked
from memory.vocabulary import Collection

A, B, C = (Key(Collection.EXPERIENCE, name) for name in "abc")
TOOL = Key(Collection.TOOL, "t")


def test_the_score_is_the_sum_of_its_parts_and_the_best_comes_first() -> None:
    found = {A: {"vector": 0.2}, B: {"vector": 0.1, "lexical": 0.5}}
    first, second = ranked(found, [], {A: Facts(), B: Facts()}, set(), Plan())
    assert (first.key, second.key) == (B, A)
    assert first.score == sum(first.parts.values()) == pytest.approx(0.6)
    assert first.parts["lexical"] == 0.5


def test_neighbours_hand_on_of_what_they_have_and_less_from_farther() -> None:
    found = {A: {"lexical": 0.5}, B: {"lexical": 0.4}}
    near = [Neighbour(A, B, 1), Neighbour(A, C, 2), Neighbour(B, A, 1), Neighbour(B, C, 1)]
    parts = {
        scored.key: scored.parts for scored in ranked(found, near, {A: Facts(), B: Facts(), C: Facts()}, set(), Plan())
    }
    assert parts[A]["neighbours"] == pytest.approx(0.2 * 0.4)
    assert parts[B]["neighbours"] == pytest.approx(0.2 * 0.5)
    assert parts[C]["neighbours"] == pytest.approx(0.1 * 0.5 + 0.2 * 0.4)
    assert "lexical" not in parts[C]


def test_who_is_named_recent_used_and_well_judged_has_more() -> None:
    def parts(facts: Facts) -> dict[str, float]:
        [scored] = ranked({A: {}}, [], {A: facts}, {"carolin"}, Plan())
        return dict(scored.parts)

    assert parts(Facts(names=("carolin",)))["names"] == 0.4
    assert parts(Facts(names=("melani",)))["names"] == 0
    assert parts(Facts(kind="solution"))["recency"] == 0.05
    assert parts(Facts(kind="solution", age=180))["recency"] == pytest.approx(0.025)
    assert parts(Facts(kind="solution", age=-5))["recency"] == 0.05
    assert parts(Facts(age=0))["recency"] == 0
    assert 0 < parts(Facts(uses=10))["use"] < parts(Facts(uses=100))["use"] == parts(Facts(uses=10**6))["use"] == 0.02
    assert parts(Facts(helpful=2))["feedback"] == pytest.approx(0.05)
    assert parts(Facts(harmful=2))["feedback"] == pytest.approx(-0.05)


def test_a_sources_weight_multiplies_all_parts() -> None:
    found = {A: {"vector": 0.3}, TOOL: {"vector": 0.3}}
    scored = ranked(
        found, [], {A: Facts(), TOOL: Facts(names=("x",))}, {"x"}, Plan(tools_weight=0.5, experience_weight=2)
    )
    assert {each.key: each.score for each in scored} == {A: pytest.approx(0.6), TOOL: pytest.approx(0.35)}


def test_what_has_no_facts_is_left_out_and_equals_have_a_fixed_order() -> None:
    found = {C: {"vector": 0.1}, B: {"vector": 0.1}, A: {"vector": 0.1}}
    assert [each.key for each in ranked(found, [], {B: Facts(), A: Facts()}, set(), Plan())] == [A, B]

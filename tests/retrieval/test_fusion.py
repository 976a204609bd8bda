"""How several rankings become one."""

from memory.retrieval import fusion

LEGS = {"vector": {"a": 0.9, "b": 0.8, "c": 0.7}, "lexical": {"b": 6.0, "d": 3.0}}
WEIGHTS = {"vector": 0.5, "lexical": 2.0}


def test_scores_are_stretched_from_the_worst_to_the_best_of_a_leg() -> None:
    made = fusion.weighted(LEGS, WEIGHTS, pool=3)
    assert {key: {name: round(part, 6) for name, part in parts.items()} for key, parts in made.items()} == {
        "a": {"vector": 0.5},
        "b": {"vector": 0.25, "lexical": 2.0},
        "c": {"vector": 0.0},
        "d": {"lexical": 1.0},  # fewer words than the pool holds: what shares none scores nothing
    }


def test_a_full_leg_counts_from_the_last_place_of_the_pool() -> None:
    made = fusion.weighted({"lexical": {"a": 9.0, "b": 5.0, "c": 1.0}}, WEIGHTS, pool=2)
    assert made == {"a": {"lexical": 2.0}, "b": {"lexical": 0.0}, "c": {"lexical": 0.0}}


def test_equals_count_the_same() -> None:
    assert fusion.weighted({"vector": {"a": 0.8}}, WEIGHTS, pool=5) == {"a": {"vector": 0.5}}
    assert fusion.weighted({"vector": {}}, WEIGHTS, pool=5) == {}


def test_by_rank_only_the_places_count() -> None:
    made = fusion.by_rank(LEGS, WEIGHTS)
    assert made["b"] == {"vector": 0.5 * 61 / 62, "lexical": 2.0}
    assert made["d"] == {"lexical": 2.0 * 61 / 62}

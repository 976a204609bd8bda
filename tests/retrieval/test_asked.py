"""Filters that clients send."""

from typing import Any

import pytest

from memory.errors import Invalid
from memory.retrieval import asked
from memory.retrieval.filters import Filters


def test_filters_are_read_and_a_user_sees_the_own_and_the_shared() -> None:
    assert asked.filters(None) == asked.filters({}) == Filters()
    made = asked.filters(
        {"user_id": "ann", "kind": "fact", "status": ["active", "archived"], "min_confidence": 1, "metadata": {"a": 1}}
    )
    assert asked.filters({"all_users": True}) == Filters(all_users=True)
    assert made == Filters(
        user_ids=("", "ann"),
        kinds=("fact",),
        statuses=("active", "archived"),
        min_confidence=1.0,
        metadata={"a": 1},
    )


@pytest.mark.parametrize(
    "raw",
    [
        [], 1, {"x": 1}, {"user_id": 1}, {"user_id": "x" * 201}, {"user_id": "\0"}, {"kind": []}, {"kind": "x"}, {"kind": [[]]},
        {"kind": {}}, {"status": "x"}, {"min_confidence": 2}, {"min_confidence": True}, {"since": "2026-01-01"}, {"as_of": 5},
        {"all_users": 1}, {"all_users": True, "user_id": "ann"}, {"metadata": []}, {"metadata": {"a": "\0"}}, {"metadata": {"a": float("inf")}},
    ],
)  # fmt: skip
def test_what_is_no_filter_is_refused(raw: Any) -> None:
    with pytest.raises(Invalid):
        asked.filters(raw)

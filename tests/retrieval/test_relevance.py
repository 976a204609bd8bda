"""What has nothing to do with a query."""

import pytest

from memory.retrieval import relevance


@pytest.mark.parametrize(
    "query", ["hello", "Thanks a lot!", "Hi there! How are you?", "ok, sounds good", "谢谢", "你好！", "🙂"]
)
def test_a_greeting_or_thanks_asks_for_nothing(query: str) -> None:
    assert relevance.asks_nothing(query)


@pytest.mark.parametrize(
    "query", ["Thanks! And how do I restart it?", "Hi, the disk is full again.", "E11000", "谢谢，那磁盘满了怎么办？"]
)
def test_a_greeting_with_a_question_asks_for_something(query: str) -> None:
    assert not relevance.asks_nothing(query)


def test_what_is_neither_near_nor_shares_words_that_weigh_is_unfit_the_nearest_first() -> None:
    found = relevance.unfit({"far": 0.0, "near": 0.3, "shares": 0.0, "nearer": 0.1}, {"shares": 0.4, "far": 0.1}, 0.2)
    assert list(found) == ["nearer", "far"]
    assert "similarity is 0.00, below 0.20" in found["far"]
    assert "has 10% of what the query's words weigh, below 20%" in found["far"]


def test_a_query_without_telling_words_finds_only_what_says_nearly_the_same() -> None:
    assert list(relevance.unfit({"near": 0.3, "same": 0.6}, None, 0.2)) == ["near"]


def test_no_floor_keeps_nothing_out() -> None:
    assert relevance.unfit({"far": 0.0}, {}, 0.0) == {}

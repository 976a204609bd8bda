"""Texts that come again are not embedded again."""

from collections.abc import Sequence

import numpy as np

from memory.embedding.remembering import Remembering
from memory.embedding.spec import Matrix


class Counting:
    """A model that knows what it was asked for."""

    model = "counting"
    dimension = 2

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed_query(self, texts: Sequence[str]) -> Matrix:
        return self._embed([f"q{text}" for text in texts])

    def embed_passages(self, texts: Sequence[str]) -> Matrix:
        return self._embed([f"p{text}" for text in texts])

    def _embed(self, texts: Sequence[str]) -> Matrix:
        self.asked += texts
        return np.array([[ord(text[0]), len(text)] for text in texts], np.float32).reshape(len(texts), 2)


def test_a_text_is_asked_for_once_and_its_vector_stands_wherever_it_was_asked_for() -> None:
    inner = Counting()
    model = Remembering(inner)

    first = model.embed_query(["a", "bbb", "a"])
    again = model.embed_query(["cc", "bbb"])

    assert inner.asked == ["qa", "qbbb", "qcc"]
    assert first[:, 1].tolist() == [2, 4, 2]
    assert again[:, 1].tolist() == [3, 4]


def test_a_query_is_no_passage() -> None:
    inner = Counting()
    model = Remembering(inner)

    assert not np.array_equal(model.embed_query(["a"]), model.embed_passages(["a"]))
    assert inner.asked == ["qa", "pa"]


def test_what_was_not_asked_for_in_a_long_time_is_forgotten() -> None:
    inner = Counting()
    model = Remembering(inner, most=2)

    for text in ("a", "b", "a", "c", "a", "b"):
        model.embed_query([text])

    assert inner.asked == ["qa", "qb", "qc", "qb"]


def test_no_texts_are_no_vectors() -> None:
    assert Remembering(Counting()).embed_query([]).shape == (0, 2)


def test_texts_that_are_no_valid_unicode_are_told_apart() -> None:
    inner = Counting()
    Remembering(inner).embed_query(["\ud800", "\ud801"])

    assert len(inner.asked) == 2

"""Cosines of any model are read as similarities that mean the same."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.embedding.calibration import PARAPHRASED, Calibration, measure
from memory.embedding.pairs import PARAPHRASES
from memory.embedding.spec import Matrix

KNOWN = Calibration(unrelated=0.78, paraphrased=0.95)


class Told:
    """A model whose vectors are given."""

    model = "told"
    dimension = 64

    def __init__(self, near: float) -> None:
        """`near` is the cosine of each pair; those of different pairs are at right angles."""
        self._near = near

    def embed_query(self, texts: list[str]) -> Matrix:
        raise NotImplementedError

    def embed_passages(self, texts: list[str]) -> Matrix:
        made = np.zeros((len(texts), 2 * len(PARAPHRASES)), np.float32)
        lefts = [left for left, _ in PARAPHRASES]
        for row, text in enumerate(texts):
            is_left = text in lefts
            pair = lefts.index(text) if is_left else [right for _, right in PARAPHRASES].index(text)
            made[row, 2 * pair] = 1 if is_left else self._near
            made[row, 2 * pair + 1] = 0 if is_left else np.sqrt(1 - self._near**2)
        return made


def test_unrelated_texts_are_not_similar_and_paraphrased_ones_are() -> None:
    assert [KNOWN.similarity(cosine) for cosine in (-1, 0.5, 0.78)] == [0, 0, 0]
    assert KNOWN.similarity(0.95) == PARAPHRASED
    assert KNOWN.similarity(1) == 1


@given(one=st.floats(-1, 1), other=st.floats(-1, 1))
def test_what_is_nearer_is_no_less_similar(one: float, other: float) -> None:
    near, far = max(one, other), min(one, other)

    assert 0 <= KNOWN.similarity(far) <= KNOWN.similarity(near) <= 1


def test_a_model_is_measured_by_what_it_makes_of_the_pairs() -> None:
    found = measure(Told(near=0.9))

    assert (found.unrelated, found.paraphrased) == (0, pytest.approx(0.9, abs=1e-3))


@pytest.mark.parametrize("near", [0.0, -0.5, 1.0])
def test_a_model_that_tells_nothing_apart_is_refused(near: float) -> None:
    with pytest.raises(ValueError, match="cannot tell them apart"):
        measure(Told(near))


def test_the_pairs_are_of_both_languages_and_say_nothing_twice() -> None:
    texts = [text for pair in PARAPHRASES for text in pair]

    assert len(set(texts)) == len(texts)
    chinese = [pair for pair in PARAPHRASES if all(any("\u4e00" <= sign <= "\u9fff" for sign in text) for text in pair)]
    assert 8 <= len(chinese) <= len(PARAPHRASES) - 8

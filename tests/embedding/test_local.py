"""The model that comes with aresweb."""

import numpy as np
import pytest

from memory.embedding.calibration import measure
from memory.embedding.current import LOCAL
from memory.embedding.local import LocalEmbedder
from memory.embedding.spec import MOST_QUERY_CHARACTERS
from tests.threads import at_once


@pytest.fixture(scope="module")
def model() -> LocalEmbedder:
    return LocalEmbedder()


def test_texts_become_vectors_of_unit_length_in_their_order(model: LocalEmbedder) -> None:
    vectors = model.embed_passages(["The disk is full.", "I prefer tea."])

    assert (vectors.shape, vectors.dtype) == ((2, 384), np.float32)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-3)
    query = model.embed_query(["no space left on the hard drive"])[0]
    assert vectors[0] @ query > vectors[1] @ query


@pytest.mark.parametrize("text", ["", " \n", "\x00", "\ud800", "😀" * 50, "a" * 600, "中" * 300, "\u202e\u0301"])
def test_odd_texts_have_a_vector_too(model: LocalEmbedder, text: str) -> None:
    vectors = np.vstack([model.embed_passages([text]), model.embed_query([text])])

    assert np.isfinite(vectors).all()
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-3)


def test_of_a_long_query_the_beginning_counts(model: LocalEmbedder) -> None:
    text = ("The certificate of the registry expired. " * 100)[:MOST_QUERY_CHARACTERS]

    assert np.array_equal(model.embed_query([text]), model.embed_query([f"{text} and more" * 50]))


def test_no_texts_are_no_vectors(model: LocalEmbedder) -> None:
    assert model.embed_query([]).shape == (0, 384)


def test_threads_that_embed_at_the_same_time_get_what_each_asked_for(model: LocalEmbedder) -> None:
    texts = [f"Sentence number {number} is about {word}." for number, word in enumerate(["tea", "disks", "trains"] * 4)]
    alone = model.embed_query(texts)

    together = at_once([lambda text=text: model.embed_query([text]) for text in texts])

    np.testing.assert_array_equal(np.vstack(together), alone)


def test_the_calibration_that_is_built_in_is_what_the_model_scores(model: LocalEmbedder) -> None:
    found = measure(model)

    assert (found.unrelated, found.paraphrased) == pytest.approx((LOCAL.unrelated, LOCAL.paraphrased), abs=0.005)

"""An embedding service that answers well, late, wrongly or not at all."""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from memory.embedding.http import HttpEmbedder
from memory.errors import ServiceFailed
from memory.services import Service
from tests import service
from tests.service import Served, embeddings, in_turn, slow, told


@pytest.fixture
def served() -> Iterator[Served]:
    with service.service() as running:
        yield running


def embedder(served: Served, seconds: float = 5, **given: Any) -> HttpEmbedder:
    options = {"query_prefix": "query: ", "passage_prefix": "passage: ", "batch": 2, "concurrency": 2} | given
    return HttpEmbedder(Service("The embedding service", served.url, "key", seconds), "model-x", **options)


def row(index: int, values: Any) -> dict[str, Any]:
    return {"index": index, "embedding": values}


def test_vectors_come_in_the_order_of_the_texts_and_have_unit_length(served: Served) -> None:
    texts = ["a", "b", "c", "d", "e"]

    vectors = embedder(served).embed_passages(texts)

    assert vectors.shape == (5, 8)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-5)
    expected = np.array([service.vector(f"passage: {text}") for text in texts])
    np.testing.assert_allclose(vectors, expected / np.linalg.norm(expected, axis=1, keepdims=True), rtol=1e-5)
    assert sorted(len(asked["input"]) for asked in served.asked) == [1, 2, 2]


def test_queries_and_passages_are_marked_as_the_model_wants_it(served: Served) -> None:
    embedder(served).embed_query(["x"])

    assert served.asked[0]["input"] == ["query: x"]
    assert served.asked[0]["model"] == "model-x"


def test_answers_out_of_order_are_put_in_order(served: Served) -> None:
    served.answer = lambda body: told({"data": [row(1, [0, 1.0]), row(0, [1.0, 0])]})

    assert embedder(served).embed_passages(["a", "b"]).tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (told({"data": []}), "2 vectors were asked for"),
        (told({"data": [row(0, [1.0]), row(0, [1.0])]}), "2 vectors were asked for"),
        (told({"data": [row(0, [1.0]), row(1, [1.0, 2.0])]}), "none"),
        (told({"data": [row(0, [1.0, float("nan")]), row(1, [1.0, 2.0])]}), "not finite"),
        (told({"data": [row(0, [0.0, 0.0]), row(1, [1.0, 2.0])]}), "only zeros"),
        (told({"error": "no"}), "none"),
        (told(["data"]), "none"),
        ((200, {}, b"not json"), "none"),
        ((200, {}, b""), "none"),
        (told({"detail": "bad key"}, status=401), "401"),
    ],
)
def test_an_answer_that_is_none_is_refused_and_not_asked_for_again(served: Served, answer: Any, reason: str) -> None:
    served.answer = lambda body: answer

    with pytest.raises(ServiceFailed, match=reason) as caught:
        embedder(served).embed_passages(["a", "b"])

    assert not caught.value.may_pass
    assert len(served.asked) == 1


def test_another_dimension_than_before_is_refused(served: Served) -> None:
    model = embedder(served)
    model.embed_query(["a"])
    served.answer = lambda body: told({"data": [row(0, [1.0, 2.0])]})

    with pytest.raises(ServiceFailed, match="2 dimensions, and had 8 before"):
        model.embed_query(["b"])


def test_a_service_that_recovers_is_asked_again(served: Served) -> None:
    served.answer = in_turn(lambda body: told({}, status=500), lambda body: told({}, status=503), embeddings)

    assert embedder(served).embed_query(["a"]).shape == (1, 8)
    assert len(served.asked) == 3


def test_a_service_that_asks_for_time_gets_it(served: Served) -> None:
    served.answer = in_turn(lambda body: told({}, status=429, Retry_After="1"), embeddings)
    began = time.monotonic()

    embedder(served).embed_query(["a"])

    assert time.monotonic() - began >= 1


def test_a_service_that_asks_for_a_long_time_is_left_to_the_queue(served: Served) -> None:
    served.answer = lambda body: told({}, status=429, Retry_After="120")

    with pytest.raises(ServiceFailed) as caught:
        embedder(served).embed_query(["a"])

    assert (caught.value.may_pass, caught.value.retry_after, len(served.asked)) == (True, 120, 1)


def test_a_slow_service_is_given_up(served: Served) -> None:
    served.answer = slow(1.5)

    with pytest.raises(ServiceFailed, match="did not answer in time") as caught:
        embedder(served, seconds=0.2).embed_query(["a"])

    assert caught.value.may_pass


def test_a_service_that_is_down_is_named(served: Served) -> None:
    model = HttpEmbedder(
        Service("The embedding service", "http://127.0.0.1:9/v1", "", 1),
        "model-x",
        query_prefix="",
        passage_prefix="",
        batch=2,
        concurrency=1,
    )

    with pytest.raises(ServiceFailed, match="The embedding service cannot be reached"):
        model.embed_query(["a"])

"""An embedding service that answers well, late, wrongly or not at all."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import numpy as np
import pytest

from memory.embedding.http import HttpEmbedder
from memory.embedding.spec import MOST_CHARACTERS
from memory.errors import BadAnswer, ServiceBusy, ServiceDown, ServiceFailed, ServiceRefused, ServiceSlow
from memory.services import Service
from tests import service
from tests.service import Served, embeddings, in_turn, slow, told


@pytest.fixture
def served() -> Iterator[Served]:
    with service.service() as running:
        yield running


NAME = "The embedding service"


def embedder(served: Served, seconds: float = 5, **given: Any) -> HttpEmbedder:
    usual = {"dimension": None, "query_prefix": "query: ", "passage_prefix": "passage: ", "batch": 2, "concurrency": 2}
    patient = Service(NAME, served.url, "key", seconds)
    impatient = Service(NAME, served.url, "key", 0.5, tries=1, rest=0.3)
    return HttpEmbedder(patient, impatient, "model-x", **(usual | given))


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

    with pytest.raises(BadAnswer, match="2 dimensions, and had 8 before"):
        model.embed_query(["b"])


def test_another_dimension_than_the_model_was_measured_with_is_refused(served: Served) -> None:
    with pytest.raises(BadAnswer, match="8 dimensions, and had 384 before"):
        embedder(served, dimension=384).embed_passages(["a"])


def test_a_service_that_recovers_is_asked_again(served: Served) -> None:
    served.answer = in_turn(lambda body: told({}, status=500), lambda body: told({}, status=503), embeddings)

    assert embedder(served).embed_passages(["a"]).shape == (1, 8)
    assert len(served.asked) == 3


def test_a_service_that_asks_for_time_gets_it(served: Served) -> None:
    served.answer = in_turn(lambda body: told({}, status=429, Retry_After="1"), embeddings)
    began = time.monotonic()

    embedder(served).embed_passages(["a"])

    assert time.monotonic() - began >= 1


@pytest.mark.parametrize("status", [429, 503])
def test_a_service_that_asks_for_a_long_time_is_left_to_the_queue(served: Served, status: int) -> None:
    served.answer = lambda body: told({}, status=status, Retry_After="120")

    with pytest.raises(ServiceBusy) as caught:
        embedder(served).embed_passages(["a"])

    assert (caught.value.may_pass, caught.value.retry_after, len(served.asked)) == (True, 120, 1)


def test_a_time_to_come_back_may_be_a_date(served: Served) -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(minutes=5), usegmt=True)
    served.answer = lambda body: told({}, status=429, Retry_After=later)

    with pytest.raises(ServiceBusy) as caught:
        embedder(served).embed_passages(["a"])

    assert 290 < (caught.value.retry_after or 0) <= 300


def test_a_slow_service_is_given_up(served: Served) -> None:
    served.answer = slow(1.5)

    with pytest.raises(ServiceSlow, match="did not answer in time") as caught:
        embedder(served, seconds=0.2).embed_passages(["a"])

    assert caught.value.may_pass
    assert len(served.asked) == 3


@pytest.mark.parametrize(
    ("status", "kind", "tries"), [(500, ServiceDown, 3), (502, ServiceDown, 3), (400, ServiceRefused, 1), (401, ServiceRefused, 1)]
)  # fmt: skip
def test_each_failure_has_its_name(served: Served, status: int, kind: type[ServiceFailed], tries: int) -> None:
    served.answer = lambda body: told({"detail": "no"}, status=status)

    with pytest.raises(kind, match=f"{status}"):
        embedder(served).embed_passages(["a"])

    assert len(served.asked) == tries


def test_a_service_that_is_down_is_named() -> None:
    nobody = Service(NAME, "http://127.0.0.1:9/v1", "", 1)
    usual = {"dimension": None, "query_prefix": "", "passage_prefix": "", "batch": 2, "concurrency": 1}

    with pytest.raises(ServiceDown, match="The embedding service cannot be reached"):
        HttpEmbedder(nobody, nobody, "model-x", **usual).embed_query(["a"])


def test_a_query_is_tried_once_and_after_a_failure_the_service_is_left_alone_for_a_while(served: Served) -> None:
    served.answer = lambda body: told({}, status=500)
    model = embedder(served)

    for _ in range(3):
        with pytest.raises(ServiceDown):
            model.embed_query(["a"])
    assert len(served.asked) == 1
    served.answer = embeddings
    assert model.embed_passages(["a"]).shape == (1, 8)  # the worker is patient, and asks all the same
    time.sleep(0.35)
    assert model.embed_query(["a"]).shape == (1, 8)


def test_what_is_refused_leaves_other_queries_alone(served: Served) -> None:
    served.answer = in_turn(lambda body: told({}, status=400), embeddings)
    model = embedder(served)

    with pytest.raises(ServiceRefused):
        model.embed_query(["a"])
    assert model.embed_query(["b"]).shape == (1, 8)


@pytest.mark.parametrize("text", ["", "  ", "\x00", "\ud800", "\U0001f600" * 9000])
def test_odd_texts_are_sent_as_texts_that_services_take(served: Served, text: str) -> None:
    model = embedder(served, passage_prefix="")

    assert model.embed_passages([text]).shape == (1, 8)
    [[sent]] = [asked["input"] for asked in served.asked]
    assert 1 <= len(sent.encode()) <= 4 * MOST_CHARACTERS
    assert "\x00" not in sent


def test_no_texts_are_no_vectors(served: Served) -> None:
    assert embedder(served).embed_passages([]).shape == (0, 8)

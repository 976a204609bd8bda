"""Searches that ask a language model for other words, or a reranker for another order."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.test import override_settings

from memory.layers import recollection
from memory.llm import client
from memory.models import Tenant
from memory.retrieval import reranking, rewriting
from memory.retrieval.plan import Plan
from memory.retrieval.search import Found, search
from tests import service
from tests.retrieval.making import embedded, experience
from tests.service import Answer, Served, chat, slow, told

REWRITING = Plan(rewrite=True, vector_weight=0)
RERANKING = Plan(rerank_weight=5, vector_weight=0)


@pytest.fixture
def served() -> Iterator[Served]:
    """A server that is both services, of which searches are told."""
    with service.service() as running:
        named = {
            "ARES_LLM_URL": running.url,
            "ARES_LLM_MODEL": "small",
            "ARES_RERANK_URL": running.url,
            "ARES_RERANK_MODEL": "judge",
            "ARES_RERANK_KEY": "secret",
        }
        with override_settings(
            ARES_SERVICES=settings.ARES_SERVICES | named, ARES=settings.ARES | {"ARES_QUERY_SECONDS": 1}
        ):
            _forget()
            yield running
    _forget()


def _forget() -> None:
    client.impatient.cache_clear()
    reranking.forget()


@pytest.fixture
def kept(in_acme: Tenant) -> list[str]:
    return [experience(text).pk for text in ("Prune the volume.", "The volume of the radio.", "Bake bread.")]


def ids(found: Found) -> list[str]:
    return [hit.id for hit in found.hits]


def scores(*relevant: str) -> Any:
    """What a reranker answers that finds these words relevant."""

    def answer(body: Any) -> Answer:
        judged = [sum(word in text for word in relevant) - 3.5 for text in body["documents"]]
        return told({"results": [{"index": n, "relevance_score": score} for n, score in enumerate(judged)][::-1]})

    return answer


def test_neither_is_asked_unless_the_plan_says_so(served: Served, kept: list[str]) -> None:
    assert search("volume", plan=Plan(vector_weight=0)).missing == {}
    assert served.asked == []


def test_the_models_words_are_searched_for_beside_the_querys_own(served: Served, kept: list[str]) -> None:
    served.answer = chat({"query": "free a volume\u0000"})
    found = search("no space, how to bake?", plan=REWRITING)
    assert set(ids(found)) == set(kept)
    assert (found.rewritten, found.missing) == ("free a volume", {})
    [asked] = served.asked
    assert asked["messages"][-1] == {"role": "user", "content": "no space, how to bake?"}


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (lambda body: told({"error": "busy"}, 503), "answered 503"),
        (slow(1.5, chat({"query": "volume"})), "did not answer in time"),
        (chat("I cannot."), "no usable answer"),
        (chat({"query": "x" * 1001}), "at most 1,000 characters"),
        (chat({"query": " "}), "must be a text"),
    ],
)
def test_without_the_models_words_the_search_goes_by_the_querys_own_and_says_why(
    served: Served, kept: list[str], answer: Any, reason: str
) -> None:
    served.answer = answer
    found = search("prune", plan=REWRITING)
    assert (ids(found), found.rewritten) == ([kept[0]], "")
    assert reason in found.missing["rewrite"]


def test_a_model_that_failed_is_left_alone_for_a_while(served: Served, kept: list[str]) -> None:
    served.answer = lambda body: told({}, 503)
    search("prune", plan=REWRITING)
    asked = len(served.asked)
    assert "left alone" in search("prune", plan=REWRITING).missing["rewrite"]
    assert len(served.asked) == asked


def test_the_reranker_decides_what_comes_first_as_one_more_part_of_the_score(served: Served, kept: list[str]) -> None:
    assert ids(search("prune the volume", plan=Plan(vector_weight=0))) == kept[:2]
    served.answer = scores("radio")
    found = search("prune the volume", plan=RERANKING)
    assert ids(found) == [kept[1], kept[0]]
    assert [hit.scores["rerank"] for hit in found.hits] == [5.0, 0.0]
    assert all(hit.score == pytest.approx(sum(hit.scores.values())) for hit in found.hits)
    [asked] = served.asked
    assert (asked["model"], asked["query"]) == ("judge", "prune the volume")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (lambda body: told({"error": "x"}, 500), "answered 500"),
        (slow(1.5, scores("radio")), "did not answer in time"),
        (lambda body: told({"results": []}), "2 texts were to be judged"),
        (lambda body: told({"results": [{"index": 0, "relevance_score": 1}] * 2}), "2 texts were to be judged"),
        (lambda body: told({"results": [{"index": n, "relevance_score": "x"} for n in (0, 1)]}), "no finite number"),
        (lambda body: (200, {}, b"<html>"), "an answer that is none"),
    ],
)
def test_without_the_reranker_the_order_stays_and_the_answer_says_why(
    served: Served, kept: list[str], answer: Any, reason: str
) -> None:
    served.answer = answer
    found = search("prune the volume", plan=RERANKING)
    assert ids(found) == kept[:2]
    assert reason in found.missing["rerank"]
    assert "rerank" not in found.hits[0].scores


def test_services_that_are_not_set_are_told(kept: list[str]) -> None:
    _forget()
    found = search("prune", plan=Plan(vector_weight=0, rewrite=True, rerank_weight=1))
    assert found.missing == {"rewrite": rewriting.UNSET, "rerank": reranking.UNSET}
    assert ids(found) == [kept[0]]


def test_contexts_follow_the_reranker_too(served: Served, in_acme: Tenant) -> None:
    first, second = experience("Prune the volume."), experience("The volume of the radio.")
    embedded(first, second)
    served.answer = scores("radio")
    found = recollection.recall("prune the volume", 2, "ann", Plan(rerank_weight=5)).found
    assert [each.id for each in found] == [second.pk, first.pk]

"""The order of a model that reads query and text together, behind a service. Optional, see the plan.

The form is that of Jina, Cohere, vLLM and others: `POST /rerank` with `{model, query, documents}` is answered by
`{results: [{index, relevance_score}]}`.
"""

from collections.abc import Sequence
from functools import cache
from math import isfinite
from typing import Any

from memory import conf
from memory.errors import ServiceFailed
from memory.services import QUERY_REST, Service

# What its errors begin with.
SERVICE = "The reranking service"
UNSET = "There is no reranker: ARES_RERANK_URL is not set."
# So many of the best are read again: such a model takes its time for each.
MOST = 50
# Of a text so many characters, as with what is embedded of a query.
MOST_CHARACTERS = 2_000


def reranked(query: str, texts: Sequence[str]) -> tuple[list[float], str]:
    """What each text is worth, the best 1 and the worst 0 and, if there are no such numbers, why."""
    service = _service()
    if service is None:
        return [], UNSET
    if not texts:
        return [], ""
    body = {
        "model": conf.text("ARES_RERANK_MODEL"),
        "query": query[:MOST_CHARACTERS],
        "documents": [text[:MOST_CHARACTERS] for text in texts],
    }
    try:
        scores: list[float] = service.post("rerank", body, lambda answer: _read(answer, len(texts)))
    except ServiceFailed as error:
        return [], error.detail
    return _stretched(scores), ""


@cache
def _service() -> Service | None:
    url = conf.text("ARES_RERANK_URL")
    if not url:
        return None
    seconds = conf.value("ARES_QUERY_SECONDS")
    return Service(SERVICE, url, conf.text("ARES_RERANK_KEY"), seconds, tries=1, rest=QUERY_REST)


def forget() -> None:
    """Let go of the service: its address may be another one now."""
    _service.cache_clear()


def _read(answer: Any, expected: int) -> list[float]:
    """The scores in the order of the texts.

    Raises:
        ValueError: they are not one finite number for each.
    """
    scores = {row["index"]: row["relevance_score"] for row in answer["results"]}
    if len(answer["results"]) != expected or scores.keys() != set(range(expected)):
        raise ValueError(f"{expected} texts were to be judged, {len(scores)} were, or their numbers are wrong.")
    if not all(type(score) in (int, float) and isfinite(score) for score in scores.values()):
        raise ValueError("A score is no finite number.")
    return [float(scores[place]) for place in range(expected)]


def _stretched(scores: Sequence[float]) -> list[float]:
    least, most = min(scores), max(scores)
    return [(score - least) / (most - least) if most > least else 1.0 for score in scores]

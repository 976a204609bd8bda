"""Searching what was kept: experiences, documents and tools, ranked together. Needs a tenant's scope."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from memory.embedding.current import calibration_of, embedder
from memory.embedding.spec import Embedder
from memory.errors import Invalid, TooLarge, Unavailable
from memory.events.draft import text
from memory.retrieval import candidates, contents, fusion, rank, relevance, reranking, rewriting
from memory.retrieval.candidates import Query
from memory.retrieval.filters import Filters
from memory.retrieval.plan import Fusion, Plan
from memory.retrieval.rank import Key, Scored
from memory.retrieval.terms import query_terms, telling
from memory.vocabulary import Collection, ExperienceStatus

MAX_QUERY = 20_000
MAX_LIMIT = 100
# So many of each source and leg are ranked together, or as many as are asked for; measured in docs/adr/0009.
POOL = 50


@dataclass(frozen=True, slots=True)
class Hit:
    """One result.

    `id` is the experience's, document's or tool's; of a document it is one passage that was found. `scores` are the
    parts that the score is the sum of, `raw` what the legs themselves said: cosine, and BM25. `provenance` tells what
    it is and where it came from.
    """

    source: Collection
    id: str
    text: str
    score: float
    scores: Mapping[str, float]
    raw: Mapping[str, float]
    provenance: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Ranking:
    """Everything that was ranked for a query, the best first, with what each leg found. `unfit` is what has too little
    to do with it, the nearest first, and why; `missing` says what could not be asked, and why."""

    query: Query
    scored: Sequence[Scored]
    legs: Mapping[str, Mapping[Key, float]]
    unfit: Mapping[Key, str]
    missing: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Found:
    """The results of a search, the best first; what was near, but too little to do with it, and why; and what could
    not be asked. `rewritten` is what was searched for, where that are other words than the query's."""

    hits: Sequence[Hit]
    missing: Mapping[str, str]
    unfit: Mapping[Key, str] = field(default_factory=dict)
    rewritten: str = ""


def search(
    query: Any,
    limit: Any = 10,
    *,
    plan: Plan | None = None,
    allowed: Filters | None = None,
    model: Embedder | None = None,
) -> Found:
    """What fits the query best, at most `limit`. Superseded and archived experiences stay out unless the filters ask
    for them.

    Args:
        model: embeds the query; the one in use by default.

    Raises:
        Invalid, TooLarge: the query or the limit is not what it must be.
    """
    asked = checked_query(query)
    most = checked_limit(limit)
    order = ranking(asked, most, plan or Plan(), allowed or Filters(), model or embedder())
    best = order.scored[:most]
    shown = contents.of([scored.key for scored in best])
    hits = [
        Hit(
            source=scored.key.collection,
            id=shown[scored.key].id,
            text=shown[scored.key].text,
            score=scored.score,
            scores=scored.parts,
            raw={name: leg[scored.key] for name, leg in order.legs.items() if scored.key in leg},
            provenance=shown[scored.key].provenance,
        )
        for scored in best
        if scored.key in shown  # not deleted a moment ago
    ]
    return Found(hits, order.missing, order.unfit, order.query.text if order.query.text != asked else "")


def ranking(query: str, limit: int, plan: Plan, allowed: Filters, model: Embedder) -> Ranking:
    """Every candidate for a query that was checked, ranked."""
    effective = effective_filters(plan, allowed)
    prepared, missing = _prepared(query, plan, model)
    weights = {"vector": plan.vector_weight, "lexical": plan.lexical_weight}
    pool = max(POOL, limit)
    legs, shares = candidates.legs(prepared, plan.sources, weights, pool, effective)
    by_rank = plan.fusion == Fusion.RANK
    found = fusion.by_rank(legs, weights) if by_rank else fusion.weighted(legs, weights, pool)
    unfit = _unfit(query, prepared, legs, shares, plan, pool)
    related = [key for key in found if key not in unfit]
    near = candidates.neighbours(related) if plan.neighbour_weight > 0 else []
    keys = list(dict.fromkeys([*related, *(neighbour.key for neighbour in near)]))
    facts = candidates.facts(keys, effective, allowed.as_of or datetime.now(UTC))
    scored = rank.ranked(found, near, facts, set(prepared.terms), plan)
    if plan.rerank_weight > 0:
        scored = _reranked(prepared.text, scored, max(reranking.MOST, limit), plan, missing)
    return Ranking(prepared, scored, legs, unfit, missing)


def _unfit(
    query: str,
    prepared: Query,
    legs: Mapping[str, Mapping[Key, float]],
    shares: Mapping[Key, float],
    plan: Plan,
    pool: int,
) -> dict[Key, str]:
    if not plan.relevance_floor:
        return {}
    found = dict.fromkeys(key for leg in legs.values() for key in leg)
    if relevance.asks_nothing(query):
        return dict.fromkeys(found, relevance.NOTHING_ASKED)
    if prepared.vector is None:  # what is found has a word in common with the query, and nothing else can be said of it
        return {}
    similarity = calibration_of(prepared.model).similarity
    near = legs["vector"]
    full = {name for name, count in Counter(key.collection for key in near).items() if count >= pool}
    # Where the leg was not full, what it did not find has no vector yet: how similar it is, is not known.
    similarities = {key: similarity(near.get(key, -1.0)) for key in found if key in near or key.collection in full}
    return relevance.unfit(similarities, shares if telling(prepared.terms) else None, plan.relevance_floor)


def _reranked(query: str, scored: list[Scored], most: int, plan: Plan, missing: dict[str, str]) -> list[Scored]:
    """The best, with what the reranker thinks of them as one more part of their scores; the others stay behind them."""
    best = scored[:most]
    shown = contents.of([each.key for each in best])
    there = [each for each in best if each.key in shown]
    judged, problem = reranking.reranked(query, [shown[each.key].text for each in there])
    if problem:
        missing["rerank"] = problem
        return scored
    return [*rank.judged(there, judged, plan), *scored[most:]]


def effective_filters(plan: Plan, allowed: Filters) -> Filters:
    """The filters with what holds unless they say otherwise: active experiences, and the plan's floor of confidence."""
    statuses = allowed.statuses
    if statuses is None:
        ever = (ExperienceStatus.ACTIVE, ExperienceStatus.SUPERSEDED)
        statuses = ever if allowed.as_of else (ExperienceStatus.ACTIVE,)
    floor = max(plan.confidence_floor, allowed.min_confidence or 0.0)
    return replace(allowed, statuses=statuses, min_confidence=floor or None)


def checked_query(query: Any) -> str:
    """A query that can be searched with.

    Raises:
        Invalid: it is no text, is empty, or holds what cannot be stored. TooLarge: it is too long.
    """
    if isinstance(query, str) and len(query) > MAX_QUERY:
        raise TooLarge(f"query must have at most {MAX_QUERY:,} characters, not {len(query):,}.", limit=MAX_QUERY)
    asked = text(query, "query", MAX_QUERY).strip()
    if not asked:
        raise Invalid("query must say what to look for.")
    return asked


def checked_limit(limit: Any) -> int:
    """How many results may be asked for.

    Raises:
        Invalid: it is no number from 1 to MAX_LIMIT.
    """
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= MAX_LIMIT:
        raise Invalid(f"limit must be a whole number from 1 to {MAX_LIMIT}.")
    return limit


def _prepared(query: str, plan: Plan, model: Embedder) -> tuple[Query, dict[str, str]]:
    said, missing = query, {}
    if plan.rewrite:
        rewritten, problem = rewriting.rewritten(query)
        said = rewritten or query
        if problem:
            missing["rewrite"] = problem
    terms = query_terms(query if said == query else f"{query}\n{said}")  # what was said stays to be found by its words
    if not plan.vector_weight:
        return Query(said, terms), missing
    try:
        (vector,) = model.embed_query([said])
    except Unavailable as error:
        return Query(said, terms), missing | {"vector": error.detail}
    return Query(said, terms, vector.tolist(), model.model), missing

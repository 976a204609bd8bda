"""Why not that one? What keeps an item out of the results of a query, or where it stands in them.

Needs a tenant's scope.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Avg, Count

from memory import sql
from memory.embedding.current import embedder
from memory.embedding.spec import Embedder
from memory.errors import NotFound
from memory.models import IndexedText
from memory.retrieval import bm25, filters
from memory.retrieval.filters import Filters
from memory.retrieval.plan import Plan
from memory.retrieval.rank import Key, Scored
from memory.retrieval.search import Ranking, checked_limit, checked_query, effective_filters, ranking
from memory.retrieval.vector import written
from memory.vocabulary import IDENTIFIER_MAX_LENGTH, KNOWLEDGE_PREFIX, TOOL_PREFIX, Collection

FILTERS = {
    "user_ids": "It belongs to somebody else than asked for.",
    "kinds": "It is of another kind than asked for.",
    "statuses": "Its status is none of those asked for; without a wish, only what is active is found.",
    "agent_ids": "It is another agent's.",
    "min_confidence": "Its confidence is below the floor.",
    "since": "It is older than asked for.",
    "until": "It is newer than asked for.",
    "as_of": "It did not hold at that time.",
    "metadata": "Its metadata does not contain what is asked for.",
}


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that decides whether an item is found: its name, whether it lets the item through, and a sentence."""

    name: str
    passed: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """Where an item stands (from 1; None: nowhere), what decided it, and its score beside the last result's."""

    key: Key
    place: int | None
    is_found: bool
    checks: Sequence[Check]
    scored: Scored | None
    last: Scored | None


def explain(
    item_id: str, query: object, limit: object, plan: Plan, allowed: Filters, model: Embedder | None = None
) -> Explanation:
    """Why an item is among the first `limit` results of this query, or why not.

    Args:
        item_id: of an experience, a tool, a passage, or a document, of which the best passage is looked at.

    Raises:
        NotFound: there is no such item. Invalid, TooLarge: query or limit are not what they must be.
    """
    asked, most = checked_query(query), checked_limit(limit)
    order = ranking(asked, most, plan, allowed, model or embedder())
    key = _key(item_id, order)
    barriers = [barrier for barrier in _filters(key, effective_filters(plan, allowed)) if not barrier.passed]
    if plan.source_weight(key.collection) == 0:
        barriers.insert(0, Check("source", False, "Its source has a weight of 0, so it is not searched."))
    place = next((number for number, scored in enumerate(order.scored, start=1) if scored.key == key), None)
    last = order.scored[min(most, len(order.scored)) - 1] if order.scored else None
    scored = order.scored[place - 1] if place else None
    checks = barriers or [*_legs(key, order, plan), *_relevance(key, order), _standing(place, most, scored, last)]
    return Explanation(key, place, bool(place and place <= most), checks, scored, last)


def _key(item_id: str, order: Ranking) -> Key:
    """Which item is meant."""
    if item_id.startswith(TOOL_PREFIX):
        return Key(Collection.TOOL, item_id)
    if not item_id.startswith(KNOWLEDGE_PREFIX):
        return Key(Collection.EXPERIENCE, item_id)
    passages = (scored.key for scored in order.scored if scored.key.item_id.partition(".")[0] == item_id)
    first = item_id if "." in item_id else f"{item_id}.1"
    return next(passages, Key(Collection.KNOWLEDGE, first))


def _filters(key: Key, allowed: Filters) -> list[Check]:
    conditions = filters.conditions(key.collection, allowed)
    statement = sql.read("passes").format(
        conditions=", ".join(conditions.values()), table=filters.TABLES[key.collection]
    )
    rows = sql.rows(statement, filters.parameters(allowed) | {"id": key.item_id})
    if not rows:
        raise NotFound(f"There is no item {key.item_id[:IDENTIFIER_MAX_LENGTH]!r}.")
    ((met,),) = rows
    return [Check(name, bool(passed), FILTERS[name]) for name, passed in zip(conditions, met, strict=True)]


def _legs(key: Key, order: Ranking, plan: Plan) -> list[Check]:
    checks = []
    if plan.lexical_weight > 0:
        checks.append(_lexical(key, order))
    if plan.vector_weight > 0:
        checks.append(_vector(key, order))
    return checks


def _lexical(key: Key, order: Ranking) -> Check:
    text = IndexedText.objects.filter(collection=key.collection, item_id=key.item_id).first()
    if text is None:
        return Check("lexical", False, "Its words are not indexed.")
    parameters = {"collection": key.collection, "terms": list(order.query.terms), "text_id": text.pk}
    rows = sql.run("terms_in_text", parameters)
    there = [(term, frequency, texts) for term, frequency, texts in rows if frequency]
    if not there:
        return Check("lexical", False, f"None of the query's words stands in it: {_listed(order.query.terms)}.")
    all_texts = IndexedText.objects.filter(collection=key.collection)
    counted = all_texts.aggregate(texts=Count("pk"), average=Avg("length"))
    found = [bm25.Occurrence(frequency, texts) for _, frequency, texts in there]
    own = bm25.score(found, text.length, counted["average"], counted["texts"])
    words = f"It has {_listed([term for term, _, _ in there])}: BM25 {own:.2f}"
    return _in_pool("lexical", key, order.legs.get("lexical", {}), words)


def _vector(key: Key, order: Ranking) -> Check:
    if order.query.vector is None:
        return Check("vector", False, f"The query was not embedded: {order.missing.get('vector', '')}")
    rows = sql.run(
        "cosine_of",
        {
            "collection": key.collection,
            "id": key.item_id,
            "model": order.query.model,
            "dimension": len(order.query.vector),
            "vector": written(order.query.vector),
        },
    )
    if not rows:
        return Check("vector", False, f"It has no vector by {order.query.model} yet.")
    return _in_pool("vector", key, order.legs.get("vector", {}), f"Its cosine is {rows[0][0]:.3f}")


def _in_pool(name: str, key: Key, leg: Mapping[Key, float], said: str) -> Check:
    """Whether a leg found the item, or how much the last one has that it did find of that source."""
    if key in leg:
        place = 1 + sum(value > leg[key] for other, value in leg.items() if other.collection == key.collection)
        return Check(name, True, f"{said}, place {place} of its source.")
    least = min(value for other, value in leg.items() if other.collection == key.collection)
    return Check(name, False, f"{said}; the last of those that are ranked has {least:.3f}.")


def _relevance(key: Key, order: Ranking) -> list[Check]:
    """The floor, where it keeps the item out; one that stands beside something relevant is ranked all the same."""
    if key not in order.unfit or any(scored.key == key for scored in order.scored):
        return []
    return [Check("relevance", False, order.unfit[key])]


def _standing(place: int | None, most: int, scored: Scored | None, last: Scored | None) -> Check:
    if place is None or scored is None or last is None:
        return Check("rank", False, "Nothing speaks for it, and no neighbour of it was found: it is not ranked.")
    if place <= most:
        return Check("rank", True, f"It is result {place}, with a score of {scored.score:.3f}.")
    return Check(
        "rank",
        False,
        f"It is in place {place}, and {most} were asked for: its score is {scored.score:.3f}, "
        f"that of the last result {last.score:.3f}.",
    )


def _listed(terms: Sequence[str]) -> str:
    shown = ", ".join(terms[:12])
    return f"{shown} and {len(terms) - 12} more" if len(terms) > 12 else shown

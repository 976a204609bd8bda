"""Reading what ranking needs: the legs' finds, their neighbours in sequence, and the facts. Needs a tenant's scope."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from memory import sql
from memory.retrieval import filters, lexical
from memory.retrieval.filters import Filters
from memory.retrieval.rank import Facts, Key, Neighbour
from memory.retrieval.vector import VectorStore
from memory.vocabulary import Collection

COLUMNS = {
    Collection.EXPERIENCE: "item.kind, extract(epoch FROM %(now)s - item.valid_from)::float8 / 86400, item.uses, "
    "item.helpful, item.harmful",
    Collection.KNOWLEDGE: "'', 0, 0, 0, 0",
    Collection.TOOL: "'', 0, 0, 0, 0",
}


@dataclass(frozen=True, slots=True)
class Query:
    """A query, ready to be searched with: its terms, and its vector by `model`, or none where it could not be
    embedded. `text` is what is embedded, as it was asked or rewritten."""

    text: str
    terms: Sequence[str]
    vector: Sequence[float] | None = None
    model: str = ""


def legs(
    query: Query, collections: Sequence[Collection], wanted: Mapping[str, float], pool: int, allowed: Filters
) -> tuple[dict[str, dict[Key, float]], dict[Key, float]]:
    """What each leg with a weight above 0 found, with its raw score: `vector` by cosine, `lexical` by BM25. And of what
    was found by words, its share of the weight of the query's."""
    found: dict[str, dict[Key, float]] = {}
    shares: dict[Key, float] = {}
    if wanted["vector"] > 0 and query.vector is not None:
        store = VectorStore()
        found["vector"] = {
            Key(collection, hit.item_id): hit.cosine
            for collection in collections
            for hit in store.search(collection, query.vector, query.model, pool, allowed)
        }
    if wanted["lexical"] > 0:
        hits = {
            Key(collection, hit.item_id): hit
            for collection in collections
            for hit in lexical.search(collection, query.terms, pool, allowed)
        }
        found["lexical"] = {key: hit.score for key, hit in hits.items()}
        shares = {key: hit.share for key, hit in hits.items()}
    return found, shares


def neighbours(keys: Sequence[Key]) -> list[Neighbour]:
    """What stands up to two places before and after these items."""
    return [
        Neighbour(Key(collection, of), Key(collection, near), steps, leaning)
        for collection, ids in _by_collection(keys).items()
        for of, near, steps, leaning in sql.run("neighbours", {"collection": collection, "ids": ids})
    ]


def facts(keys: Sequence[Key], allowed: Filters, now: datetime) -> dict[Key, Facts]:
    """What is known of these items; those that do not pass the filters are left out."""
    known = {}
    for collection, ids in _by_collection(keys).items():
        passing = " AND ".join(filters.conditions(collection, allowed).values()) or "TRUE"
        parameters = filters.parameters(allowed) | {"collection": collection, "ids": ids, "now": now}
        for item_id, names, kind, age, uses, helpful, harmful in sql.rows(_facts(collection, passing), parameters):
            known[Key(collection, item_id)] = Facts(tuple(names), kind, age, uses, helpful, harmful)
    return known


@cache
def _facts(collection: Collection, passing: str) -> str:
    return sql.read("facts").format(columns=COLUMNS[collection], table=filters.TABLES[collection], filter=passing)


def _by_collection(keys: Sequence[Key]) -> dict[Collection, list[str]]:
    sorted_in: dict[Collection, list[str]] = {}
    for key in keys:
        sorted_in.setdefault(key.collection, []).append(key.item_id)
    return sorted_in

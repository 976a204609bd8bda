"""The index of terms: kept up to date item by item, and searched with BM25 in PostgreSQL. Needs a tenant's scope."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

from memory import sql
from memory.models import IndexedText
from memory.retrieval import bm25, filters, names
from memory.retrieval.filters import Filters
from memory.retrieval.item import Item
from memory.vocabulary import Collection


class Hit(NamedTuple):
    """An item, its BM25 score, above 0, and how much of the weight of the query's terms its own have, in (0, 1]."""

    item_id: str
    score: float
    share: float


def index(items: Iterable[Item]) -> None:
    """Find these items by their terms from now on, each in the place of what was indexed of it before.

    Call it in the transaction that changes the item.
    """
    by_collection: dict[Collection, dict[str, Item]] = {}
    for item in items:
        by_collection.setdefault(item.collection, {})[item.id] = item
    for collection, changed in by_collection.items():
        _index(collection, changed)


def remove(collection: Collection, item_ids: Sequence[str]) -> None:
    """Find these items no more. What is deleted needs no removing: its terms go with it."""
    IndexedText.objects.filter(collection=collection, item_id__in=item_ids).delete()


def search(collection: Collection, terms: Sequence[str], limit: int, allowed: Filters) -> list[Hit]:
    """The best items by BM25 among those that pass, the best first, at most `limit`.

    Args:
        terms: of the query, as `memory.retrieval.terms.query_terms` gives them.
    """
    if not terms:
        return []
    parameters = {"collection": collection, "terms": list(terms), "k1": bm25.K1, "b": bm25.B, "limit": limit}
    condition = filters.exists(collection, allowed, "text.item_id", each=True)
    found = sql.rows(_statement(condition), parameters | filters.parameters(allowed))
    return [Hit(*row) for row in found]


@cache
def _statement(condition: str) -> str:
    return sql.read("bm25").format(filter=condition)


def _index(collection: Collection, items: dict[str, Item]) -> None:
    text_ids = dict(sql.run("index_texts", {"collection": collection, "ids": sorted(items)}))
    sql.run("delete_postings", {"ids": list(text_ids.values())})
    counted = {item_id: items[item_id].frequencies() for item_id in text_ids}
    lengths = {item_id: sum(frequencies.values()) for item_id, frequencies in counted.items()}
    sql.run(
        "update_texts",
        {
            "ids": list(text_ids.values()),
            "lengths": list(lengths.values()),
            "terms": ["\n".join(frequencies) for frequencies in counted.values()],  # no term holds a line break
            "names": ["\n".join(names.keys(items[item_id].names)) for item_id in text_ids],
            "sequences": [items[item_id].sequence for item_id in text_ids],
            "places": [items[item_id].place for item_id in text_ids],
            "leanings": [items[item_id].leaning for item_id in text_ids],
        },
    )
    postings = [
        (term, text_ids[item_id], frequency, lengths[item_id])
        for item_id, frequencies in counted.items()
        for term, frequency in frequencies.items()
    ]
    columns = zip(*postings, strict=True) if postings else ([],) * 4
    terms, texts, frequencies, text_lengths = map(list, columns)
    sql.run(
        "insert_postings",
        {
            "collection": collection,
            "terms": terms,
            "text_ids": texts,
            "frequencies": frequencies,
            "lengths": text_lengths,
        },
    )

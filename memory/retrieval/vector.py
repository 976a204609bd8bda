"""The store of vectors: add, search the nearest, and create a collection. Needs a tenant's scope.

Vectors of several models, and so of several dimensions, stand in one table, each searched with its own model. Few
vectors are compared one by one, which is exact; many are found through an HNSW index over their model, which PostgreSQL
reads on until enough of them have passed the filters (pgvector 0.8).
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from psycopg.sql import Literal

from memory import sql
from memory.errors import Invalid
from memory.retrieval import filters as conditions
from memory.retrieval.filters import Filters
from memory.vocabulary import Collection

# Up to so many vectors, comparing all is as fast as the index, and exact; measured in docs/adr/0009.
EXACT_UP_TO = 5_000
# How many of the index's candidates are looked at first, and how many before PostgreSQL gives up: so many that it finds
# enough, since more than EXACT_UP_TO pass the filters.
WIDE = 100
MOST = 1_000_000


@dataclass(frozen=True, slots=True)
class Item:
    """One vector to keep: unit length, of `model`; `text_digest` is the SHA-256 of the text that it stands for."""

    item_id: str
    model: str
    vector: Sequence[float]
    text_digest: bytes


class Hit(NamedTuple):
    """An item and the raw cosine of its vector and the one searched with, in [-1, 1]."""

    item_id: str
    cosine: float


def text_digest(text: str) -> bytes:
    """By what a vector's text is known again: its SHA-256 (32 bytes)."""
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()


class VectorStore:
    """The vectors of one tenant."""

    def create_collection(self, model: str, dimension: int) -> bool:
        """Prepare for many vectors of a model: make its index, unless it is there. It takes a while where there are
        many already, and writers of vectors wait; readers do not.

        Returns:
            Whether there is one now: vectors of more than 4,000 dimensions have none, and are searched exactly.
        """
        ((indexed,),) = sql.run("create_vector_index", {"model": model, "dimension": dimension})
        return bool(indexed)

    def add(self, collection: Collection, items: Iterable[Item]) -> None:
        """Keep these vectors, each in the place of an older one of the same item and model.

        Raises:
            Invalid: a vector is none: empty, or with a number that is not finite.
        """
        newest = {(item.item_id, item.model): item for item in items}
        if not newest:
            return
        parameters = {
            "collection": collection,
            "item_ids": [item.item_id for item in newest.values()],
            "models": [item.model for item in newest.values()],
            "vectors": [written(item.vector) for item in newest.values()],
            "digests": [item.text_digest for item in newest.values()],
        }
        sql.run("insert_vectors", parameters)

    def search(
        self, collection: Collection, vector: Sequence[float], model: str, limit: int, filters: Filters | None = None
    ) -> list[Hit]:
        """The nearest items of a collection by this model's vectors among those that pass, the nearest first, at most
        `limit`."""
        asked = filters or Filters()
        shape = {"collection": collection, "model": model, "dimension": len(vector)}
        parameters = shape | {"vector": written(vector), "limit": limit} | conditions.parameters(asked)
        if self._is_many(collection, shape, asked):
            sql.run("read_index_on", {"wide": str(max(WIDE, limit)), "most": str(MOST)})
            statement = _indexed(model, len(vector), conditions.exists(collection, asked, "stored.item_id", each=True))
        else:
            statement = _exact(conditions.exists(collection, asked, "stored.item_id"))
        return [Hit(*row) for row in sql.rows(statement, parameters)]

    def _is_many(self, collection: Collection, shape: dict[str, object], asked: Filters) -> bool:
        """Whether there is an index, and more vectors than EXACT_UP_TO would have to be compared without it."""
        ((indexed,),) = sql.run("vector_index", shape)
        bound = EXACT_UP_TO + 1
        if not indexed or sql.run("count_vectors", {**shape, "bound": bound})[0][0] < bound:
            return False
        passing = " AND ".join(conditions.conditions(collection, asked).values())
        if not passing:
            return True
        counting = sql.read("count_passing").format(table=conditions.TABLES[collection], conditions=passing)
        ((count,),) = sql.rows(counting, {**conditions.parameters(asked), "bound": bound})
        return bool(count >= bound)


@cache
def _exact(condition: str) -> str:
    return sql.read("nearest_exact").format(filter=condition)


@cache
def _indexed(model: str, dimension: int, condition: str) -> str:
    kind = "vector" if dimension <= 2000 else "halfvec"
    literal = Literal(model).as_string()
    return sql.read("nearest_indexed").format(
        type=f"{kind}({dimension})", model=literal.replace("%", "%%"), dimension=dimension, filter=condition
    )


def written(vector: Sequence[float]) -> str:
    """A vector as PostgreSQL reads it, at the precision that it keeps.

    Raises:
        Invalid: it is none.
    """
    numbers = np.asarray(vector, dtype=np.float32)
    if numbers.ndim != 1 or not numbers.size or not np.isfinite(numbers).all():
        raise Invalid("A vector must hold finite numbers.")
    return "[" + ",".join(map(repr, numbers.tolist())) + "]"

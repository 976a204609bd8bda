"""The store of vectors: add, and search the nearest. Needs a tenant's scope."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from django.db.models import F
from pgvector.django import CosineDistance

from memory.models import Experience, Vector
from memory.tenancy import current_tenant_id
from memory.vocabulary import Collection


@dataclass(frozen=True, slots=True)
class Item:
    """One vector to keep: unit length, of `model`; `text_digest` is the SHA-256 of the text that it stands for."""

    item_id: str
    model: str
    vector: Sequence[float]
    text_digest: bytes


@dataclass(frozen=True, slots=True)
class Filters:
    """What an item must be to be found; None lets all through. `user_ids` are owners: "" stands for shared ones."""

    user_ids: Sequence[str] | None = None
    kinds: Sequence[str] | None = None
    statuses: Sequence[str] | None = None


class Hit(NamedTuple):
    """An item and the raw cosine of its vector and the one searched with, in [-1, 1]."""

    item_id: str
    cosine: float


def text_digest(text: str) -> bytes:
    """By what a vector's text is known again: its SHA-256 (32 bytes)."""
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()


class VectorStore:
    """The vectors of one tenant."""

    def add(self, collection: Collection, items: Iterable[Item]) -> None:
        """Keep these vectors, each in the place of an older one of the same item and model."""
        now = datetime.now(UTC)
        rows = [
            Vector(
                tenant_id=current_tenant_id(),
                collection=collection,
                item_id=item.item_id,
                model=item.model,
                dimension=len(item.vector),
                vector=list(item.vector),
                text_digest=item.text_digest,
                created_at=now,
            )
            for item in items
        ]
        Vector.objects.bulk_create(
            rows,
            update_conflicts=True,
            unique_fields=["tenant", "collection", "item_id", "model"],
            update_fields=["dimension", "vector", "text_digest", "created_at"],
        )

    def search(
        self, collection: Collection, vector: Sequence[float], model: str, limit: int, filters: Filters | None = None
    ) -> list[Hit]:
        """The nearest items of a collection by this model's vectors, the nearest first, at most `limit`."""
        near = Vector.objects.filter(collection=collection, model=model)
        if collection == Collection.EXPERIENCE and filters is not None:
            fitting = Experience.objects.all()
            for field, allowed in (
                ("user_id__in", filters.user_ids),
                ("kind__in", filters.kinds),
                ("status__in", filters.statuses),
            ):
                if allowed is not None:
                    fitting = fitting.filter(**{field: list(allowed)})
            near = near.filter(item_id__in=fitting.values("pk"))
        found = near.annotate(distance=CosineDistance(F("vector"), list(vector))).order_by("distance", "item_id")
        return [Hit(item, 1 - distance) for item, distance in found.values_list("item_id", "distance")[:limit]]

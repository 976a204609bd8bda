"""What is to be embedded of experiences, documents and tools, and what becomes of their vectors. Needs a tenant's
scope.

The model is asked between `lacking` and `keep`, outside of any transaction.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from django.db.models import Model, QuerySet

from memory.embedding.spec import Embedder, Matrix
from memory.models import Experience, Knowledge, Passage, QueueItem, Tool, Vector
from memory.retrieval import items, vector
from memory.retrieval.item import Item
from memory.retrieval.vector import VectorStore
from memory.tenancy import tenant_scope
from memory.vocabulary import KNOWLEDGE_PREFIX, TOOL_PREFIX, Collection, Queue, WorkStatus


def lacking(subject_ids: Sequence[str], model: str) -> list[Item]:
    """What these experiences, documents and tools lack vectors of by this model; nothing of those that are gone."""
    made = [item for subject_id in subject_ids for item in of_subject(subject_id)]
    there = {
        (collection, item_id): bytes(digest)
        for collection, item_id, digest in Vector.objects.filter(
            model=model, item_id__in=[item.id for item in made]
        ).values_list("collection", "item_id", "text_digest")
    }
    return [item for item in made if there.get((item.collection, item.id)) != item.digest]


def vectors(tenant_id: int, passages: Sequence[str], model: Embedder) -> Matrix:
    """The vectors of these passages: of what the tenant has embedded before, the same ones again. Opens a scope of its
    own, and no transaction is open while the model is asked.

    Raises:
        ServiceFailed: the model cannot answer.
    """
    digests = [vector.text_digest(passage) for passage in passages]
    with tenant_scope(tenant_id):
        rows = Vector.objects.filter(model=model.model, text_digest__in=set(digests)).order_by("text_digest", "-pk")
        found = rows.distinct("text_digest").values_list("text_digest", "vector")
        known = {bytes(digest): np.asarray(kept, np.float32) for digest, kept in found}
    lacking = {digest: text for digest, text in zip(digests, passages, strict=True) if digest not in known}
    if lacking:
        known |= dict(zip(lacking, model.embed_passages(list(lacking.values())), strict=True))
    return np.stack([known[digest] for digest in digests]) if digests else model.embed_passages([])


def keep(subject_ids: Sequence[str], embedded: Sequence[Item], made: Matrix, model: str) -> None:
    """Keep the vectors of these items, in their order; not of those whose subject is gone or not among the given."""
    there = _held(subject_ids)
    for item, row in zip(embedded, made, strict=True):
        if subject_of(item) in there:
            VectorStore().add(item.collection, [vector.Item(item.id, model, row.tolist(), item.digest)])


def subject_of(item: Item) -> str:
    """The id of the experience, document or tool that an item is embedded for."""
    return item.sequence if item.collection == Collection.KNOWLEDGE else item.id


def _held(subject_ids: Sequence[str]) -> set[str]:
    """Which of these are there; until the transaction ends, nobody deletes them."""
    found: set[str] = set()
    for table, mine in _by_table(subject_ids):
        rows = table.objects.filter(pk__in=mine).order_by("pk").select_for_update(no_key=True)
        found.update(rows.values_list("pk", flat=True))
    return found


def mark(subject_ids: Sequence[str], status: WorkStatus) -> None:
    """Say where the embedding of these stands."""
    for table, mine in _by_table(subject_ids):
        table.objects.filter(pk__in=mine).update(embedding_status=status)


def of_subject(subject_id: str) -> list[Item]:
    """What is embedded of an experience, a document or a tool; nothing of one that is gone."""
    if subject_id.startswith(KNOWLEDGE_PREFIX):
        document = Knowledge.objects.filter(pk=subject_id).first()
        passages = Passage.objects.filter(knowledge_id=subject_id).order_by("number")
        return items.of_passages(document, list(passages)) if document else []
    if subject_id.startswith(TOOL_PREFIX):
        return [items.of_tool(tool) for tool in Tool.objects.filter(pk=subject_id)]
    return items.of_experiences(Experience.objects.filter(pk=subject_id))


def _by_table(subject_ids: Sequence[str]) -> list[tuple[Any, list[str]]]:
    return [
        (table, [subject_id for subject_id in subject_ids if _table(subject_id) is table])
        for table in (Experience, Knowledge, Tool)
    ]


def _table(subject_id: str) -> type[Model]:
    if subject_id.startswith(KNOWLEDGE_PREFIX):
        return Knowledge
    return Tool if subject_id.startswith(TOOL_PREFIX) else Experience


def unembedded(model: str, most: int) -> list[str]:
    """Experiences, documents and tools that have no vector by this model and wait for none, at most `most` of each."""
    return [pk for rows in _unembedded(model) for pk in rows.order_by("pk").values_list("pk", flat=True)[:most]]


def count_unembedded(model: str) -> int:
    """How many experiences, documents and tools have no vector by this model and wait for none."""
    return sum(rows.count() for rows in _unembedded(model))


def _unembedded(model: str) -> list[QuerySet[Any]]:
    waiting = QueueItem.objects.filter(queue=Queue.EMBEDDING).exclude(status=WorkStatus.COMPLETED).values("subject_id")
    have = {each: Vector.objects.filter(collection=each, model=model).values("item_id") for each in Collection}
    passages = Passage.objects.exclude(pk__in=have[Collection.KNOWLEDGE])
    return [
        Experience.objects.exclude(pk__in=have[Collection.EXPERIENCE]).exclude(pk__in=waiting),
        Tool.objects.exclude(pk__in=have[Collection.TOOL]).exclude(pk__in=waiting),
        Knowledge.objects.filter(pk__in=passages.values("knowledge_id")).exclude(pk__in=waiting),
    ]


def prune(model: str) -> int:
    """Delete the vectors of every other model; returns how many."""
    return Vector.objects.exclude(model=model).delete()[0]

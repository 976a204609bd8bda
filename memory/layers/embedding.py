"""What is to be embedded of experiences, documents and tools, and what becomes of their vectors. Needs a tenant's
scope.

The model is asked between `lacking` and `keep`, outside of any transaction.
"""

from collections.abc import Sequence

from django.db.models import Model

from memory.embedding.spec import Matrix
from memory.models import Experience, Knowledge, Passage, QueueItem, Tool, Vector
from memory.retrieval import items, vector
from memory.retrieval.item import Item
from memory.retrieval.vector import VectorStore
from memory.vocabulary import KNOWLEDGE_PREFIX, TOOL_PREFIX, Collection, Queue, WorkStatus


def lacking(subject_ids: Sequence[str], model: str) -> list[Item]:
    """What these experiences, documents and tools lack vectors of by this model; nothing of those that are gone."""
    mark(subject_ids, WorkStatus.PROCESSING)
    made = [item for subject_id in subject_ids for item in of_subject(subject_id)]
    there = {
        (collection, item_id): bytes(digest)
        for collection, item_id, digest in Vector.objects.filter(
            model=model, item_id__in=[item.id for item in made]
        ).values_list("collection", "item_id", "text_digest")
    }
    return [item for item in made if there.get((item.collection, item.id)) != item.digest]


def keep(subject_ids: Sequence[str], embedded: Sequence[Item], vectors: Matrix, model: str) -> None:
    """Keep the vectors of these items, in their order, and mark their subjects as embedded."""
    for item, row in zip(embedded, vectors, strict=True):
        VectorStore().add(item.collection, [vector.Item(item.id, model, row.tolist(), item.digest)])
    mark(subject_ids, WorkStatus.COMPLETED)


def mark(subject_ids: Sequence[str], status: WorkStatus) -> None:
    """Say where the embedding of these stands."""
    for table in (Experience, Knowledge, Tool):
        mine = [subject_id for subject_id in subject_ids if _table(subject_id) is table]
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


def _table(subject_id: str) -> type[Model]:
    if subject_id.startswith(KNOWLEDGE_PREFIX):
        return Knowledge
    return Tool if subject_id.startswith(TOOL_PREFIX) else Experience


def unembedded(model: str, most: int) -> list[str]:
    """Experiences, documents and tools that have no vector by this model and wait for none, at most `most` of each."""
    found: list[str] = []
    waiting = QueueItem.objects.filter(queue=Queue.EMBEDDING).exclude(status=WorkStatus.COMPLETED)
    for table, collection in ((Experience, Collection.EXPERIENCE), (Tool, Collection.TOOL)):
        have = Vector.objects.filter(collection=collection, model=model)
        lacks = table.objects.exclude(pk__in=have.values("item_id")).exclude(pk__in=waiting.values("subject_id"))
        found += lacks.order_by("pk").values_list("pk", flat=True)[:most]
    have = Vector.objects.filter(collection=Collection.KNOWLEDGE, model=model)
    passages = Passage.objects.exclude(pk__in=have.values("item_id"))
    documents = Knowledge.objects.filter(pk__in=passages.values("knowledge_id")).exclude(
        pk__in=waiting.values("subject_id")
    )
    return found + list(documents.order_by("pk").values_list("pk", flat=True)[:most])


def prune(model: str) -> int:
    """Delete the vectors of every other model; returns how many."""
    return Vector.objects.exclude(model=model).delete()[0]

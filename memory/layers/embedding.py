"""From a row that is to be embedded to its vectors: the entry in the queue, and the work itself. Needs a tenant's
scope.

Whoever works off the queue `embedding` calls `embed` with the subjects that it has claimed.
"""

from collections.abc import Sequence
from datetime import UTC, datetime

from memory.embedding.spec import Embedder
from memory.models import Experience, Knowledge, Passage, QueueItem, Tool, Vector
from memory.retrieval import items, vector
from memory.retrieval.item import Item
from memory.retrieval.vector import VectorStore
from memory.tenancy import current_tenant_id
from memory.vocabulary import KNOWLEDGE_PREFIX, TOOL_PREFIX, WorkStatus

QUEUE = "embedding"
# Texts that are embedded at once.
BATCH = 32


def put(subject_id: str) -> None:
    """Have a document or tool embedded; once, however often it is said before that is done."""
    now = datetime.now(UTC)
    due = {
        "subject_id": subject_id,
        "status": WorkStatus.PENDING,
        "run_at": now,
        "attempts": 0,
        "error": "",
        "updated_at": now,
    }
    QueueItem.objects.update_or_create(
        tenant_id=current_tenant_id(),
        queue=QUEUE,
        dedupe_key=subject_id,
        defaults=due,
        create_defaults=due | {"created_at": now},
    )


def forget(subject_id: str) -> None:
    """Nothing is to be embedded of this any more."""
    QueueItem.objects.filter(queue=QUEUE, subject_id=subject_id).delete()


def embed(subject_ids: Sequence[str], model: Embedder) -> int:
    """Give experiences, documents and tools the vectors that they lack by this model, and mark them as embedded.

    Subjects that are gone, and texts whose vector is there, cost nothing.

    Returns:
        How many texts were embedded.

    Raises:
        Unavailable: the model does not answer; nothing is marked.
    """
    due = {subject_id: of_subject(subject_id) for subject_id in subject_ids}
    lacking = _lacking([item for made in due.values() for item in made], model.model)
    for start in range(0, len(lacking), BATCH):
        batch = lacking[start : start + BATCH]
        rows = model.embed_passages([item.passage for item in batch])
        for item, row in zip(batch, rows, strict=True):
            VectorStore().add(item.collection, [vector.Item(item.id, model.model, row.tolist(), item.digest)])
    for rows_of in (Experience.objects, Knowledge.objects, Tool.objects):  # an id tells of which it is
        rows_of.filter(pk__in=subject_ids).update(embedding_status=WorkStatus.COMPLETED)
    return len(lacking)


def of_subject(subject_id: str) -> list[Item]:
    """What is embedded of an experience, a document or a tool; nothing of one that is gone."""
    if subject_id.startswith(KNOWLEDGE_PREFIX):
        document = Knowledge.objects.filter(pk=subject_id).first()
        passages = Passage.objects.filter(knowledge_id=subject_id).order_by("number")
        return items.of_passages(document, list(passages)) if document else []
    if subject_id.startswith(TOOL_PREFIX):
        return [items.of_tool(tool) for tool in Tool.objects.filter(pk=subject_id)]
    return items.of_experiences(Experience.objects.filter(pk=subject_id))


def _lacking(made: Sequence[Item], model: str) -> list[Item]:
    there = {
        (collection, item_id): bytes(digest)
        for collection, item_id, digest in Vector.objects.filter(
            model=model, item_id__in=[item.id for item in made]
        ).values_list("collection", "item_id", "text_digest")
    }
    return [item for item in made if there.get((item.collection, item.id)) != item.digest]

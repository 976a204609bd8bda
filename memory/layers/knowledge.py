"""Knowledge: documents that agents look things up in. Needs a tenant's scope."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from memory import queue
from memory.errors import Invalid
from memory.events.draft import text
from memory.layers.metadata import checked
from memory.models import Knowledge, Passage
from memory.retrieval import items, lexical
from memory.retrieval.passages import cut
from memory.tenancy import current_tenant_id
from memory.vocabulary import KNOWLEDGE_PREFIX, Queue, new_id

TITLE_MAX_LENGTH = 500
TEXT_MAX_LENGTH = 1_000_000


def create(title: Any, content: Any, metadata: Any = None) -> Knowledge:
    """Keep a document. Its words are found at once, its meaning as soon as the worker has embedded it.

    Raises:
        Invalid, TooLarge: title, text or metadata are not what they must be.
    """
    said = text(content, "text", TEXT_MAX_LENGTH).strip()
    if not said:
        raise Invalid("text must be what the document says.")
    return keep(title, said, cut(said), metadata)


def keep(title: Any, content: str, passages: Sequence[str], metadata: Any = None) -> Knowledge:
    """Keep a document that is cut into passages already.

    Raises:
        Invalid, TooLarge: title or metadata are not what they must be.
    """
    headed = text(title, "title", TITLE_MAX_LENGTH).strip()
    if not headed:
        raise Invalid("title must say what the document is.")
    now = datetime.now(UTC)
    owned = {"tenant_id": current_tenant_id()}
    document = Knowledge.objects.create(
        id=new_id(KNOWLEDGE_PREFIX),
        title=headed,
        text=content,
        metadata=checked(metadata),
        created_at=now,
        updated_at=now,
        **owned,
    )
    kept = [
        Passage(id=f"{document.pk}.{number}", knowledge=document, number=number, text=passage, **owned)
        for number, passage in enumerate(passages, start=1)
    ]
    Passage.objects.bulk_create(kept)
    lexical.index(items.of_passages(document, kept))
    queue.put(Queue.EMBEDDING, [document.pk])
    return document


def delete(knowledge_id: str) -> None:
    """Delete a document with its passages, vectors and terms.

    Raises:
        NotFound: there is no such document.
    """
    document = Knowledge.objects.with_id(knowledge_id)
    queue.forget([document.pk])
    document.delete()

"""What results say and where they come from. Needs a tenant's scope."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory.models import Experience, Passage, Source, Tool
from memory.retrieval.rank import Key
from memory.vocabulary import Collection

# Sources of an experience that a result names; the experience itself tells all.
MAX_SOURCES = 20


@dataclass(frozen=True, slots=True)
class Content:
    """What a result is: the id that the API knows it by, its text, and what it is and where it came from."""

    id: str
    text: str
    provenance: Mapping[str, Any]


def of(keys: Sequence[Key]) -> dict[Key, Content]:
    """The contents of these items; those that are gone are left out."""
    read: dict[Collection, Callable[[list[str]], dict[str, Content]]] = {
        Collection.EXPERIENCE: _experiences,
        Collection.KNOWLEDGE: _passages,
        Collection.TOOL: _tools,
    }
    found: dict[Key, Content] = {}
    for collection in {key.collection: None for key in keys}:
        ids = [key.item_id for key in keys if key.collection == collection]
        found |= {Key(collection, item_id): content for item_id, content in read[collection](ids).items()}
    return found


def _experiences(ids: list[str]) -> dict[str, Content]:
    sources: dict[str, list[dict[str, Any]]] = {}
    rows = Source.objects.filter(experience__in=ids).order_by("stream_name", "event_version")
    for experience_id, stream, version, message in rows.values_list(
        "experience_id", "stream_name", "event_version", "message_id"
    ):
        named = {"stream": stream, "event_version": version, "message_id": message}
        sources.setdefault(experience_id, []).append(named)
    return {
        found.pk: Content(
            found.pk,
            found.text,
            {
                "kind": found.kind,
                "method": found.method,
                "user_id": found.user_id,
                "agent_id": found.agent_id,
                "status": found.status,
                "confidence": found.confidence,
                "valid_from": found.valid_from,
                "valid_to": found.valid_to,
                "sources": sources.get(found.pk, [])[:MAX_SOURCES],
            },
        )
        for found in Experience.objects.filter(pk__in=ids)
    }


def _passages(ids: list[str]) -> dict[str, Content]:
    return {
        found.pk: Content(
            found.knowledge_id,
            found.text,
            {
                "title": found.knowledge.title,
                "passage": found.number,
                "metadata": found.knowledge.metadata,
                "added_at": found.knowledge.created_at,
            },
        )
        for found in Passage.objects.filter(pk__in=ids).select_related("knowledge").defer("knowledge__text")
    }


def _tools(ids: list[str]) -> dict[str, Content]:
    return {
        found.pk: Content(found.pk, f"{found.name}\n{found.description}", {"name": found.name, "schema": found.schema})
        for found in Tool.objects.filter(pk__in=ids)
    }

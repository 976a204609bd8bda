"""What results say and where they come from. Needs a tenant's scope."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from memory import sql
from memory.models import Passage, Tool
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
    names = ("kind", "method", "user_id", "agent_id", "status", "confidence", "valid_from", "valid_to")
    rows = sql.run("experience_contents", {"ids": ids, "most": MAX_SOURCES})
    return {
        item_id: Content(
            item_id,
            f"{problem}\n{solution}" if problem else solution,
            {**dict(zip(names, provenance, strict=True)), "sources": orjson.loads(sources)},
        )
        for item_id, problem, solution, *provenance, sources in rows
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

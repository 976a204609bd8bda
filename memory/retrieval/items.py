"""Rows → what is indexed and embedded of them. Needs a tenant's scope."""

from collections.abc import Iterable, Sequence

import orjson

from memory.models import Experience, Knowledge, Passage, Source, Tool
from memory.retrieval.item import Item
from memory.retrieval.names import speakers
from memory.vocabulary import PERSONAL_KINDS, Collection

# How much of the passage before is a passage's context, in characters from its end.
CONTEXT_LENGTH = 400
# How much of a tool's schema is indexed, in characters.
SCHEMA_LENGTH = 4_000


def of_experiences(experiences: Iterable[Experience]) -> list[Item]:
    """Experiences, in the order of the conversations that they came from.

    A statement of somebody is found by the day on which it began to hold, too. What names it is about is who says it;
    whom and what it mentions besides are words like any others. A solution is about what it mentions.
    """
    known = list(experiences)
    first: dict[str, tuple[str, int]] = {}
    rows = Source.objects.filter(experience__in=known).order_by("-stream_name", "-event_version")
    for experience_id, stream, version in rows.values_list("experience_id", "stream_name", "event_version"):
        first[experience_id] = (stream, version)  # the first one comes last
    return [
        Item(
            Collection.EXPERIENCE,
            experience.pk,
            experience.text,
            dated=f"{experience.valid_from:%d %B %Y}" if experience.kind in PERSONAL_KINDS else "",
            sequence=first.get(experience.pk, ("", 0))[0],
            place=first.get(experience.pk, ("", 0))[1],
            names=_names(experience),
        )
        for experience in known
    ]


def _names(experience: Experience) -> tuple[str, ...]:
    said_by = speakers(experience.solution) if experience.kind in PERSONAL_KINDS else []
    about = said_by or experience.entities
    return (*filter(None, [experience.user_id]), *about)


def of_passages(document: Knowledge, passages: Sequence[Passage]) -> list[Item]:
    """All passages of a document, in order."""
    before = ["", *(passage.text[-CONTEXT_LENGTH:] for passage in passages)]
    return [
        Item(
            Collection.KNOWLEDGE,
            passage.pk,
            passage.text,
            title=document.title,
            context=context,
            sequence=document.pk,
            place=passage.number,
            names=tuple(speakers(passage.text)),
        )
        for context, passage in zip(before, passages, strict=False)
    ]


def of_tool(tool: Tool) -> Item:
    """A tool, by its name, description and the names and descriptions of its arguments."""
    schema = orjson.dumps(tool.schema).decode()[:SCHEMA_LENGTH] if tool.schema else ""
    text = "\n".join(filter(None, (tool.name, tool.description, schema)))
    return Item(Collection.TOOL, tool.pk, text, names=(tool.name,))

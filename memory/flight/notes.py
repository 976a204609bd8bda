"""Notes to steps of runs. Needs a tenant's scope."""

import re
from collections import Counter
from collections.abc import Collection
from datetime import UTC, datetime

from memory.errors import Conflict, Invalid, NotFound
from memory.models import Note, Stream, User
from memory.models.note import MOST_TAGS, NOTE_LENGTH, TAG_LENGTH
from memory.tenancy import current_tenant_id

# More at one step is no note any more.
MOST_NOTES = 100
_TAG = re.compile(r"[\w.:/+-]+")


def add(stream: Stream, version: int, text: str, tags: str, author: User) -> Note:
    """Write a note to an event; `tags` are words between spaces or commas.

    Raises:
        NotFound: the stream has no such event. Invalid: text or tags are not what they must be. Conflict: the step has
            MOST_NOTES already.
    """
    if not 1 <= version <= stream.version:
        raise NotFound(f"Run {stream.name} has no event {version}.")
    words = [word.lower() for word in re.split(r"[\s,]+", tags) if word]
    said = text.strip()
    if not said and not words:
        raise Invalid("A note needs a text or a tag.")
    if "\x00" in said or len(said) > NOTE_LENGTH:
        raise Invalid(f"A note has at most {NOTE_LENGTH:,} characters, none of them NUL.")
    for word in words:
        if len(word) > TAG_LENGTH or not _TAG.fullmatch(word):
            raise Invalid(
                f"A tag is a word of at most {TAG_LENGTH} letters, digits and . : / + -; {word[:50]!r} is none."
            )
    unique = list(dict.fromkeys(words))
    if len(unique) > MOST_TAGS:
        raise Invalid(f"A note has at most {MOST_TAGS} tags.")
    if len(of_step(stream, version)) >= MOST_NOTES:
        raise Conflict(f"Event {version} has {MOST_NOTES} notes already.")
    return Note.objects.create(
        tenant_id=current_tenant_id(),
        stream=stream,
        version=version,
        text=said,
        tags=unique,
        author=author,
        created_at=datetime.now(UTC),
    )


def of_step(stream: Stream, version: int) -> list[Note]:
    """The notes to an event, the oldest first."""
    return list(Note.objects.filter(stream=stream, version=version).select_related("author")[:MOST_NOTES])


def within(stream: Stream, versions: Collection[int]) -> Counter[int]:
    """How many notes each of these events has."""
    if not versions:
        return Counter()
    span = Note.objects.filter(stream=stream, version__gte=min(versions), version__lte=max(versions))
    return Counter(span.values_list("version", flat=True))


def remove(stream: Stream, note_id: int) -> Note:
    """Delete a note; returns what it was.

    Raises:
        NotFound: the run has none of this id.
    """
    found = Note.objects.filter(stream=stream, pk=note_id).first()
    if found is None:
        raise NotFound(f"Run {stream.name} has no note {note_id}.")
    Note.objects.filter(pk=note_id).delete()
    return found

"""Erasure: the content of a stream's events goes, their digests stay, so the chain still verifies."""

from collections.abc import Sequence

from django.db import connection

from memory.errors import Conflict
from memory.models.event import Event
from memory.models.ledger_entry import LedgerEntry
from memory.models.snapshot import Snapshot
from memory.models.stream import Stream


def blank_stream(stream: Stream) -> dict[str, int]:
    """Blank every payload and metadata of a stream, and what was made of them. Needs a tenant's scope.

    Returns:
        How many events were blanked, and how many snapshots and entries of the token ledger were deleted.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT aresweb_erase_events(%s)", [stream.pk])
        blanked: int = cursor.fetchone()[0]
    snapshots = Snapshot.objects.filter(stream=stream).delete()[0]
    entries = LedgerEntry.objects.filter(stream=stream).delete()[0]
    stream.title = stream.agent_id = stream.user_id = ""
    stream.save(update_fields=["title", "agent_id", "user_id"])
    return {"events": blanked, "snapshots": snapshots, "ledger_entries": entries}


def blank_again(stream: Stream, erased: Sequence[Event]) -> None:
    """Mark events as erased that were so where they come from, and are in the stream now without content.

    They are a stream's beginning; what was here of it before must be erased too: an import blanks nothing.

    Raises:
        Conflict: it is not.
    """
    here = Event.objects.in_stream(stream).up_to(erased[0].version - 1)
    if here.filter(erased_at=None).exists():
        raise Conflict(
            f"The content of stream {stream.name} was erased at its origin, but not here: erase it here first. "
            "Nothing was written."
        )
    with connection.cursor() as cursor:
        cursor.execute("SELECT aresweb_erase_events(%s)", [stream.pk])

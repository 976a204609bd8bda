"""Erasure: the content of a stream's events goes, their digests stay, so the chain still verifies."""

from collections.abc import Sequence
from datetime import UTC, datetime

from django.db import connection

from memory import sql
from memory.errors import Conflict
from memory.events import history, segments, state
from memory.models.analysis import Analysis
from memory.models.event import Event
from memory.models.ledger_entry import LedgerEntry
from memory.models.note import Note
from memory.models.recollection import Recollection
from memory.models.segment import Segment
from memory.models.snapshot import Snapshot
from memory.models.stream import Stream


def blank_stream(stream: Stream) -> dict[str, int]:
    """Blank every payload and metadata of a stream, and what was made of them. Needs a tenant's scope.

    The caller has locked the stream's row against everybody, so that nothing is archived meanwhile.

    Returns:
        How many events were blanked in their table and in segments, how many segments were rewritten for it, and how
        many snapshots, entries of the token ledger, notes, causal links, hints and pieces of text were deleted.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT aresweb_erase_events(%s)", [stream.pk])
        blanked: int = cursor.fetchone()[0]
    archived = [_blank(segment) for segment in Segment.objects.of_stream(stream).kept()]
    snapshots = Snapshot.objects.filter(stream=stream).delete()[0]
    entries = LedgerEntry.objects.filter(stream=stream).delete()[0]
    notes = Note.objects.filter(stream=stream).delete()[0]
    Recollection.objects.filter(stream=stream).delete()
    found = Analysis.objects.forget(stream)
    gone = history.dropped(stream)
    if gone:
        state.begin_after(stream, gone.first_version - 1)
    stream.title = stream.agent_id = stream.user_id = ""
    stream.save(update_fields=["title", "agent_id", "user_id"])
    return {
        "events": blanked,
        "archived_events": sum(archived),
        "segments": sum(1 for events in archived if events),
        "snapshots": snapshots,
        "ledger_entries": entries,
        "notes": notes,
        **found,
    }


def blank_again(stream: Stream, erased: Sequence[Event]) -> None:
    """Mark events as erased that were so where they come from, and are in the stream now without content.

    They are a stream's beginning; what was here of it before must be erased too: an import blanks nothing.

    Raises:
        Conflict: it is not.
    """
    if not history.is_erased(stream, erased[0].version - 1):
        raise Conflict(
            f"The content of stream {stream.name} was erased at its origin, but not here: erase it here first. "
            "Nothing was written."
        )
    with connection.cursor() as cursor:
        cursor.execute("SELECT aresweb_erase_events(%s)", [stream.pk])


def _blank(segment: Segment) -> int:
    """Blank the events of a segment; returns how many were not blank before."""
    events = segments.unpack(segment)
    told = sum(1 for event in events if event.erased_at is None)
    if told:
        packed = segments.pack(segments.blanked(events, datetime.now(UTC)))
        content = {"segment_id": segment.pk, "content": packed.content, "raw_bytes": packed.raw_bytes}
        sql.run("erase_segment", content)
    return told

"""Where a run's events are: in their table, in compressed segments, or dropped; and a button to archive more."""

from itertools import islice
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from dashboard import runs
from dashboard.access import may, permitted
from memory import conf
from memory.errors import Damaged
from memory.events import compaction, history
from memory.events.compaction import Moved
from memory.events.walk import HASH_BYTES
from memory.models import Segment, Stream
from memory.permissions import Permission
from memory.tenancy import current_tenant_id

# How many segments one press of the button makes at most; the worker goes on with the rest.
SEGMENTS_AT_ONCE = 10
# How many segments the page lists, the oldest first.
LISTED = 100


@permitted(Permission.SEE, change=Permission.ARCHIVE)
def run_archive(request: HttpRequest, name: str) -> HttpResponse:
    """The sizes, and for admins the button."""
    stream = Stream.objects.named(name)
    may_archive = may(request, Permission.ARCHIVE)
    if request.method == "POST":
        if request.POST.get("sure"):
            _archive(request, stream)
        return redirect("dashboard:run_archive", name)
    sizes = compaction.sizes(stream)
    hot, segment = conf.value("ARES_HOT_EVENTS"), conf.value("ARES_SEGMENT_EVENTS")
    context = {
        "run": runs.of(stream),
        "sizes": sizes,
        "dropped": history.dropped(stream),
        "segments": _listed(stream),
        "more": max(Segment.objects.of_stream(stream).count() - LISTED, 0),
        "may_archive": may_archive,
        "is_due": sizes.hot_events >= hot + segment,
        "hot_events": hot,
        "due_events": hot + segment,
    }
    return render(request, "dashboard/runs/archive.html", context)


def _listed(stream: Stream) -> list[dict[str, Any]]:
    """What the page says of each segment; of dropped ones it is all that is left."""
    return [
        {
            "first": segment.first_version,
            "last": segment.last_version,
            "stored_bytes": segment.stored_bytes,
            "dropped_at": segment.dropped_at,
            "first_hash": bytes(segment.hashes[:HASH_BYTES]).hex(),
            "last_hash": bytes(segment.hashes[-HASH_BYTES:]).hex(),
            "types": sorted(segment.type_counts.items(), key=lambda held: (-held[1], held[0])),
            "first_at": segment.first_at,
            "last_at": segment.last_at,
        }
        for segment in Segment.objects.of_stream(stream).defer("content")[:LISTED]
    ]


def _archive(request: HttpRequest, stream: Stream) -> None:
    moved = Moved()
    try:
        for step in islice(compaction.moves(current_tenant_id(), stream), SEGMENTS_AT_ONCE):
            moved += step
    except Damaged as error:
        messages.error(request, f"Archiving stopped. {error.detail}")
    if moved.segments:
        word = "segment" if moved.segments == 1 else "segments"
        messages.success(request, f"{moved.events:,} events were archived: {moved.segments} {word}.")

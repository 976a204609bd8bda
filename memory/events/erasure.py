"""Erasure: the content of a stream's events goes, their digests stay, so the chain still verifies."""

from django.db import connection

from memory.models.snapshot import Snapshot
from memory.models.stream import Stream


def blank_stream(stream: Stream) -> dict[str, int]:
    """Blank every payload and metadata of a stream, and what was made of them. Needs a tenant's scope.

    Returns:
        How many events were blanked and how many snapshots were deleted.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT aresweb_erase_events(%s)", [stream.pk])
        blanked: int = cursor.fetchone()[0]
    snapshots = Snapshot.objects.filter(stream=stream).delete()[0]
    stream.title = stream.agent_id = stream.user_id = ""
    stream.save(update_fields=["title", "agent_id", "user_id"])
    return {"events": blanked, "snapshots": snapshots}

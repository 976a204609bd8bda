"""Recomputes a stream's chain from nothing but its rows."""

import hashlib
from itertools import count

from memory.events import history
from memory.events.chain import genesis, link
from memory.models import Stream


def assert_verifies(stream: Stream) -> None:
    """Every version is there, every hash follows from the row and the one before, every digest from what is not erased."""
    previous = genesis(stream.name)
    stream = Stream.objects.get(pk=stream.pk)
    events = history.read(stream, 1, stream.version)
    for number, event in zip(count(1), events, strict=False):
        assert event.version == number
        if event.erased_at is None:
            content = f'{{"metadata":{event.metadata_json},"payload":{event.payload_json}}}'
            assert hashlib.sha256(content.encode()).digest() == bytes(event.digest)
        previous = link(
            previous, bytes(event.digest), event.version, event.event_id, event.type, event.occurred_at,
            event.recorded_at, event.causation_id, event.correlation_id,
        )  # fmt: skip
        assert previous == bytes(event.hash)
    assert (stream.version, bytes(stream.last_hash)) == (len(events), previous)

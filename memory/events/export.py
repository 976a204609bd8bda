"""A stream as JSON Lines: a header, then an event a line with all that its hash covers, so that it verifies elsewhere.

`{"format": "aresweb", "format_version": 1, "stream": …, "version": …, "hash": …}`, then for each event `{"version",
"id", "type", "payload", "metadata", "occurred_at", "recorded_at", "causation_id", "correlation_id", "digest", "hash",
"erased_at"}`. Hashes are hexadecimal; payload and metadata are the very texts that are stored.
"""

from collections.abc import Iterator

import orjson

from memory.events import chain, history
from memory.models.event import Event
from memory.models.stream import Stream
from memory.tenancy import tenant_scope

FORMAT = "aresweb"
FORMAT_VERSION = 1
# Events read at once: no transaction stays open while a slow reader takes its time.
CHUNK = 500


def lines(stream: Stream) -> Iterator[bytes]:
    """The stream as it is now, a line at a time. Opens the scope of the stream's tenant for each chunk of it.

    Raises:
        Gone: retention has dropped the beginning, without which the rest cannot be imported. At once, or between two
            lines where it happens meanwhile.
    """
    with tenant_scope(stream.tenant_id):
        gone = history.dropped(stream)
    if gone:
        raise gone
    return _lines(stream)


def _lines(stream: Stream) -> Iterator[bytes]:
    yield _line(
        {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "stream": stream.name,
            "version": stream.version,
            "hash": bytes(stream.last_hash).hex(),
        }
    )
    for first in range(1, stream.version + 1, CHUNK):
        last = min(first + CHUNK - 1, stream.version)
        with tenant_scope(stream.tenant_id):
            events = history.read(stream, first, last)
        yield b"".join(_line(_fields(event)) for event in events)


def _fields(event: Event) -> dict[str, object]:
    return {
        "version": event.version,
        "id": event.event_id,
        "type": event.type,
        "payload": orjson.Fragment(event.payload_json),
        "metadata": orjson.Fragment(event.metadata_json),
        "occurred_at": chain.timestamp(event.occurred_at),
        "recorded_at": chain.timestamp(event.recorded_at),
        "causation_id": event.causation_id,
        "correlation_id": event.correlation_id,
        "digest": bytes(event.digest).hex(),
        "hash": bytes(event.hash).hex(),
        "erased_at": event.erased_at and chain.timestamp(event.erased_at),
    }


def _line(fields: dict[str, object]) -> bytes:
    return orjson.dumps(fields) + b"\n"


def file_name(stream: Stream) -> str:
    """What to call the file; a stream's name has no character that a file's may not have but a colon."""
    return f"{stream.name.replace(':', '-')}.jsonl"

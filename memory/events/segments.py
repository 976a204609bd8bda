"""What a segment holds: consecutive events of one stream as compressed lines, and back. Pure.

One JSON array a line with an event's columns, compressed with Zstandard. An event's digest is left out where its
content gives it (unless it is erased), and its hash is kept apart, uncompressed: hashes are random bytes, and
verification needs them even when the content is gone.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson
import zstandard

from memory.errors import Damaged
from memory.events import facts
from memory.events.chain import timestamp
from memory.events.draft import content_digest
from memory.events.walk import HASH_BYTES
from memory.models.event import Event
from memory.models.segment import Segment

LEVEL = 10


@dataclass(frozen=True, slots=True)
class Packed:
    """Events as a segment holds them: the compressed content, its size before compression, a letter an event."""

    content: bytes
    raw_bytes: int
    letters: str


def pack(events: Sequence[Event]) -> Packed:
    """Consecutive events of one stream, compressed."""
    lines = b"\n".join(orjson.dumps(_columns(event)) for event in events)
    letters = "".join(letter(event.type, event.is_error) for event in events)
    return Packed(zstandard.ZstdCompressor(level=LEVEL).compress(lines), len(lines), letters)


def unpack(segment: Segment, first: int = 1, last: int | None = None) -> list[Event]:
    """The events of a segment from version `first` to `last`, both included, as if read from their table.

    Raises:
        Damaged: the content is not what `pack` makes, or has not as many events as there are hashes.
    """
    lines = _lines(segment)
    begin = max(first - segment.first_version, 0)
    end = len(lines) if last is None else max(last - segment.first_version + 1, 0)
    return [_event(segment, index, line) for index, line in enumerate(lines[begin:end], start=begin)]


def find(segment: Segment, event_ids: set[str]) -> Iterator[Event]:
    """The events of a segment that have one of these ids.

    Raises:
        Damaged: the content is not what `pack` makes.
    """
    for index, line in enumerate(_lines(segment)):
        event = _event(segment, index, line)
        if event.event_id in event_ids:
            yield event


def blanked(events: Sequence[Event], at: datetime) -> list[Event]:
    """The events without payload and metadata; those that were erased before keep that time."""
    for event in events:
        event.payload_json = event.metadata_json = "{}"
        event.erased_at = event.erased_at or at
    return list(events)


def id_hash(event_id: str) -> int:
    """What an archived event is looked up by: the first 8 bytes of its id's SHA-256, as a signed number."""
    return int.from_bytes(hashlib.sha256(event_id.encode()).digest()[:8], "big", signed=True)


def letter(event_type: str, is_error: bool) -> str:
    """An event's letter in the flight strip, upper case for an error."""
    family = facts.family(event_type)
    return family.upper() if is_error else family


def _lines(segment: Segment) -> list[bytes]:
    content = bytes(segment.content or b"")
    try:
        if zstandard.frame_content_size(content) != segment.raw_bytes:  # before so much memory is asked for
            raise Damaged(f"Segment {segment.pk} does not hold {segment.raw_bytes} bytes, as it says.")
        lines = zstandard.ZstdDecompressor().decompress(content).split(b"\n")
    except zstandard.ZstdError as error:
        raise Damaged(f"Segment {segment.pk} cannot be decompressed: {error}.") from error
    events = segment.last_version - segment.first_version + 1
    if not len(lines) == len(segment.hashes) / HASH_BYTES == events:
        raise Damaged(
            f"Segment {segment.pk} of {events} events has {len(lines)}, and {len(segment.hashes)} B of hashes."
        )
    return lines


def _columns(event: Event) -> list[object]:
    return [
        event.version,
        event.event_id,
        event.type,
        event.payload_json,
        event.metadata_json,
        timestamp(event.occurred_at),
        timestamp(event.recorded_at),
        event.causation_id,
        event.correlation_id,
        event.is_error,
        event.position,
        event.transaction_id,
        bytes(event.digest).hex() if event.erased_at else None,
        timestamp(event.erased_at) if event.erased_at else None,
    ]


def _event(segment: Segment, index: int, line: bytes) -> Event:
    try:
        return _made(segment, index, orjson.loads(line))
    except (ValueError, TypeError, AttributeError) as error:
        raise Damaged(f"Segment {segment.pk} has no event in line {index + 1}.") from error


def _made(segment: Segment, index: int, columns: list[Any]) -> Event:
    (
        version, event_id, event_type, payload, metadata, occurred_at, recorded_at, causation_id, correlation_id,
        is_error, position, transaction_id, digest, erased_at,
    ) = columns  # fmt: skip
    texts = (event_id, event_type, payload, metadata, causation_id, correlation_id)
    if version != segment.first_version + index or not all(isinstance(text, str) for text in texts):
        raise TypeError("These are not the columns of this event.")
    return Event(
        tenant_id=segment.tenant_id,
        stream_id=segment.stream_id,
        version=version,
        event_id=event_id,
        type=event_type,
        payload_json=payload,
        metadata_json=metadata,
        occurred_at=datetime.fromisoformat(occurred_at),
        recorded_at=datetime.fromisoformat(recorded_at),
        causation_id=causation_id,
        correlation_id=correlation_id,
        is_error=is_error,
        position=position,
        # Whoever moves a database to another cluster, which counts transactions anew, sets the segment's to 0.
        transaction_id=min(transaction_id, segment.last_transaction_id),
        digest=bytes.fromhex(digest) if digest else content_digest(payload, metadata),
        erased_at=datetime.fromisoformat(erased_at) if erased_at else None,
        hash=bytes(segment.hashes[index * HASH_BYTES : (index + 1) * HASH_BYTES]),
    )

"""Events with the places, times and hashes that they were recorded with: to go elsewhere, and to come from there."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.errors import Invalid
from memory.events import chain, facts
from memory.events.draft import Draft
from memory.models.event import Event


@dataclass(frozen=True, slots=True)
class Chained:
    """A checked draft, and what makes it a recorded event. Of one that was erased, `digest` is all that is left."""

    draft: Draft
    version: int
    recorded_at: datetime
    digest: bytes
    hash: bytes
    erased_at: datetime | None


def check(stream_name: str, events: Sequence[Chained]) -> list[Event]:
    """The events, if they are a whole stream of this name. Without a tenant and a stream; nothing is written.

    Raises:
        Invalid: a version is missing, or a hash or digest does not follow; it names the first such version.
    """
    made: list[Event] = []
    previous = chain.genesis(stream_name)
    for version, event in enumerate(events, start=1):
        fault = _fault(event, version, made)
        if fault:
            raise Invalid(f"Version {version} of {stream_name} {fault}. Nothing was written.", version=version)
        made.append(_event(event, previous))
        previous = bytes(made[-1].hash)
        if previous != event.hash:
            raise Invalid(
                f"Version {version} of {stream_name} has another hash than follows from it and the events before. "
                "Nothing was written.",
                version=version,
            )
    return made


def _fault(event: Chained, version: int, before: Sequence[Event]) -> str:
    """What is wrong with an event apart from its hash; empty for nothing."""
    if event.version != version:
        return f"is missing: version {event.version} stands in its place"
    if event.draft.occurred_at is None:
        return "has no time"
    if event.erased_at is None:
        return "holds other content than its digest says" if event.digest != event.draft.digest else ""
    if before and before[-1].erased_at is None:
        return "is erased, and the one before it is not"
    return "is erased, and holds content" if event.draft.payload or event.draft.metadata_json != "{}" else ""


def _event(event: Chained, previous: bytes) -> Event:
    draft = event.draft
    assert draft.occurred_at is not None  # noqa: S101  checked before
    made = Event(
        version=event.version,
        event_id=draft.id,
        type=draft.type,
        payload_json=draft.payload_json,
        metadata_json=draft.metadata_json,
        occurred_at=draft.occurred_at,
        recorded_at=event.recorded_at,
        causation_id=draft.causation_id,
        correlation_id=draft.correlation_id,
        is_error=facts.is_error(draft.type, draft.payload),
        digest=event.digest,
        hash=chain.link(
            previous, event.digest, event.version, draft.id, draft.type, draft.occurred_at, event.recorded_at,
            draft.causation_id, draft.correlation_id,
        ),
        erased_at=event.erased_at,
    )  # fmt: skip
    made.payload = draft.payload  # parsed already
    return made

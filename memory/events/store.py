"""The event store: append to a stream and read it. Everything here needs a tenant's scope."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any

from django.db import IntegrityError

from memory import conf, sql
from memory.errors import Conflict, EventIdTaken, Invalid, TooLarge, WrongVersion
from memory.events import chain, chained, erasure, facts, history, totals
from memory.events.chained import Chained
from memory.events.draft import Draft, Limits, text
from memory.events.totals import Totals
from memory.models.event import Event
from memory.models.stream import Stream
from memory.tenancy import current_tenant_id
from memory.vocabulary import HOUSEKEEPING, STREAM_NAME_MAX_LENGTH, STREAM_NAME_PATTERN

TOTALS = tuple(field.name for field in fields(Totals))
# What is kept beside the events, in the same transaction: each is told of a stream and of the events that it has got.
# Who keeps something registers when the application starts (`memory.apps`): the store knows nobody above it.
Keeper = Callable[[Stream, Sequence[Event]], None]
keepers: list[Keeper] = []
# Of events that were recorded elsewhere, how many go in one statement.
CHAINED_BATCH = 1000


@dataclass(frozen=True, slots=True)
class Appended:
    """What an append did: the stream's version, the events in the order asked for, and how many of them were new."""

    version: int
    events: list[Event]
    new: int


def append(stream_name: str, drafts: Sequence[Draft], expected_version: int | None = None) -> Appended:
    """Append events to a stream, all or none; the stream is made by its first event.

    A draft whose id the client chose and that is recorded already with the same content is not written again: the
    recorded event is returned in its place, so a retry of a request whose answer was lost succeeds.

    Args:
        expected_version: the version the stream must be at for anything new to be written; 0 for a new stream.

    Raises:
        Invalid: no events, a wrong stream name, or an id twice among the drafts.
        TooLarge: more events than ARES_MAX_BATCH.
        WrongVersion: the stream is at another version.
        EventIdTaken: an event with one of the ids, but other content or in another stream, is recorded.
    """
    check_stream_name(stream_name)
    check_size(drafts)
    if len({draft.id for draft in drafts}) < len(drafts):
        raise Invalid("events holds the same id twice.")
    stream = _locked(stream_name, expected_version)
    recorded = _recorded(drafts)
    for draft in drafts:
        if draft.id in recorded and not _same(draft, recorded[draft.id], stream):
            raise EventIdTaken(f"Event {draft.id} is recorded with other content. Nothing was written.", id=draft.id)
    new = [draft for draft in drafts if draft.id not in recorded]
    if new:
        if expected_version is not None and expected_version != stream.version:
            raise WrongVersion(stream_name, expected_version, stream.version)
        recorded |= {event.event_id: event for event in _write(stream, new)}
    return Appended(stream.version, [recorded[draft.id] for draft in drafts], len(new))


def append_chained(stream_name: str, events: Sequence[Chained]) -> Appended:
    """Append events that were recorded elsewhere under this name, with their ids, times and hashes, all or none.

    What the stream holds already must be their beginning, or they its: the hash at the last common version tells, since
    it covers everything before it.

    Args:
        events: a whole stream, from version 1 on.

    Raises:
        Invalid: there are none, the hashes do not follow from them, or the stream's name is none.
        Conflict: a stream of this name holds other events.
        EventIdTaken: another stream holds an event with one of the ids.
    """
    check_stream_name(stream_name)
    if not events:
        raise Invalid("There must be at least one event.")
    made = chained.check(stream_name, events)
    stream = _locked(stream_name, None)
    common = min(stream.version, len(made))
    if common and history.hash_at(stream, common) != made[common - 1].hash:
        raise Conflict(f"Stream {stream_name} is here with other events. Nothing was written.", stream=stream_name)
    new = made[stream.version :]
    taken = history.recorded([event.event_id for event in new])
    if taken:
        raise EventIdTaken(f"Event {min(taken)} is recorded in another stream. Nothing was written.", id=min(taken))
    for event in new:
        event.tenant_id, event.stream_id = stream.tenant_id, stream.pk
    erased = [event for event in new if event.erased_at]
    _insert_all(stream, erased)
    if erased:
        erasure.blank_again(stream, erased)
    _insert_all(stream, new[len(erased) :])
    return Appended(stream.version, made, len(new))


def limits() -> Limits:
    """The bounds on one event, from the settings."""
    return Limits(conf.value("ARES_MAX_PAYLOAD_BYTES"), conf.value("ARES_MAX_JSON_DEPTH"))


def check_stream_name(name: str) -> str:
    """The name, if it is one: ASCII letters, digits and `._:@+~-`, beginning with a letter or digit, at most 200.

    Raises:
        Invalid: it is not.
    """
    text(name, "The stream's name", STREAM_NAME_MAX_LENGTH)
    if not STREAM_NAME_PATTERN.fullmatch(name):
        raise Invalid(
            "A stream's name consists of ASCII letters, digits and ._:@+~- and begins with a letter or digit."
        )
    return name


def check_size(events: Sequence[Any]) -> None:
    """Refuse an empty batch and one that is too large, before anything of it is looked at.

    Raises:
        Invalid: there are no events. TooLarge: there are more than ARES_MAX_BATCH.
    """
    most = conf.value("ARES_MAX_BATCH")
    if not events:
        raise Invalid("events must hold at least one event.")
    if len(events) > most:
        raise TooLarge(f"events holds {len(events)} events; at most {most} are taken in one request.", limit=most)


def _locked(name: str, expected_version: int | None) -> Stream:
    """The stream, made if it is missing, locked until the transaction ends: appends to one stream are one at a time."""
    rows = sql.run("lock_stream", {"name": name})
    if not rows:
        if expected_version:
            raise WrongVersion(name, expected_version, 0)
        now = datetime.now(UTC)
        new = Stream(
            tenant_id=current_tenant_id(), name=name, last_hash=chain.genesis(name), created_at=now, last_event_at=now
        )
        Stream.objects.bulk_create([new], ignore_conflicts=True)
        rows = sql.run("lock_stream", {"name": name})
    return Stream(*rows[0])


def _recorded(drafts: Sequence[Draft]) -> dict[str, Event]:
    """The events that are recorded already, by their ids."""
    ids = [draft.id for draft in drafts if draft.given_id]
    return history.recorded(ids) if ids else {}


def _same(draft: Draft, event: Event, stream: Stream) -> bool:
    """Whether the draft is a retry of the event. A time that the client left out was given by the server."""
    return (
        event.stream_id == stream.pk
        and bytes(event.digest) == draft.digest
        and (event.type, event.causation_id, event.correlation_id)
        == (draft.type, draft.causation_id, draft.correlation_id)
        and draft.occurred_at in (None, event.occurred_at)
    )


def _write(stream: Stream, drafts: Sequence[Draft]) -> list[Event]:
    """Chain the drafts to the stream's head and insert them; the stream's row and object move along."""
    events = _chained(stream, drafts, datetime.now(UTC))
    _insert(stream, events)
    return events


def _insert_all(stream: Stream, events: Sequence[Event]) -> None:
    for start in range(0, len(events), CHAINED_BATCH):
        _insert(stream, events[start : start + CHAINED_BATCH])


def _insert(stream: Stream, events: Sequence[Event]) -> None:
    """Insert events that follow the stream's head; the stream's row and object move along."""
    active = [event.recorded_at for event in events if event.type not in HOUSEKEEPING]
    if active:
        stream.last_event_at = active[-1]
    known = totals.add(Totals(**{name: getattr(stream, name) for name in TOTALS}), events)
    with _naming_taken_ids():
        places = sql.run(
            "append_events",
            {
                "tenant_id": stream.tenant_id,
                "stream_id": stream.pk,
                "last_event_at": stream.last_event_at,
                "recorded_ats": [event.recorded_at for event in events],
                "version": events[-1].version,
                "last_hash": events[-1].hash,
                "versions": [event.version for event in events],
                "event_ids": [event.event_id for event in events],
                "types": [event.type for event in events],
                "payloads": [event.payload_json for event in events],
                "metadatas": [event.metadata_json for event in events],
                "occurred_ats": [event.occurred_at for event in events],
                "causation_ids": [event.causation_id for event in events],
                "correlation_ids": [event.correlation_id for event in events],
                "errors": [event.is_error for event in events],
                "digests": [event.digest for event in events],
                "hashes": [event.hash for event in events],
                **{name: getattr(known, name) for name in TOTALS},
            },
        )
    for event, (position, transaction_id) in zip(events, places, strict=True):
        event.position, event.transaction_id = position, transaction_id
    stream.version, stream.last_hash = events[-1].version, events[-1].hash
    for name in TOTALS:
        setattr(stream, name, getattr(known, name))
    for keep in keepers:
        keep(stream, events)


@contextmanager
def _naming_taken_ids() -> Iterator[None]:
    """Say which rule an insert broke when another transaction recorded one of the ids, in another stream, just now."""
    try:
        yield
    except IntegrityError as error:
        if "event_id_once" in str(error):
            raise EventIdTaken("Another stream holds an event with one of these ids. Nothing was written.") from error
        raise


def _chained(stream: Stream, drafts: Sequence[Draft], now: datetime) -> list[Event]:
    events: list[Event] = []
    previous = bytes(stream.last_hash)
    for version, draft in enumerate(drafts, start=stream.version + 1):
        occurred_at = draft.occurred_at or now
        previous = chain.link(
            previous, draft.digest, version, draft.id, draft.type, occurred_at, now, draft.causation_id,
            draft.correlation_id,
        )  # fmt: skip
        event = Event(
            tenant_id=stream.tenant_id,
            stream_id=stream.pk,
            version=version,
            event_id=draft.id,
            type=draft.type,
            payload_json=draft.payload_json,
            metadata_json=draft.metadata_json,
            occurred_at=occurred_at,
            recorded_at=now,
            causation_id=draft.causation_id,
            correlation_id=draft.correlation_id,
            is_error=facts.is_error(draft.type, draft.payload),
            digest=draft.digest,
            hash=previous,
        )
        event.payload = draft.payload  # parsed already
        events.append(event)
    return events

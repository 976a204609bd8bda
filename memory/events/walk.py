"""A walk along a stream that tells whether its events are the ones that were recorded. Pure.

Each fault is named where it is and the walk goes on behind it, so that one altered event does not condemn the rest.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol

from memory.events import chain, facts
from memory.events.draft import content_digest
from memory.events.reducer import State, initial_state, replay
from memory.vocabulary import EventType

# A stream that was rewritten from its beginning has as many faults as events. All are counted, these are told.
MOST_FINDINGS = 100
BLANK = "{}"
HASH_BYTES = 32


class Fault(StrEnum):
    """What can be wrong with a record."""

    CONTENT = "content-altered"
    CHAIN = "chain-broken"
    MISSING = "events-missing"
    END = "end-differs"
    REWRITTEN = "history-rewritten"
    SNAPSHOT = "snapshot-forged"
    SEGMENT = "segment-damaged"
    DOUBLED = "event-doubled"


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault at a version of a stream, in a sentence that tells nothing of what the events say."""

    version: int
    fault: Fault
    detail: str


@dataclass(frozen=True, slots=True)
class Claim:
    """What a snapshot says of a version: the stream's hash, and the state; None where another reducer made it."""

    version: int
    stream_hash: bytes
    state: State | None


@dataclass(frozen=True, slots=True)
class Stretch:
    """Events of which only hashes are left, 32 bytes each, and the hash of the event before them."""

    first: int
    last: int
    previous_hash: bytes
    hashes: bytes

    def hash_at(self, version: int) -> bytes:
        """The hash of one of them; empty where the hashes are not as many as the events."""
        if len(self.hashes) != (self.last - self.first + 1) * HASH_BYTES:
            return b""
        index = version - self.first
        return self.hashes[index * HASH_BYTES : (index + 1) * HASH_BYTES]


class Row(Protocol):
    """What the walk reads of an event. Hashes have 32 bytes; `is_erased` says that the content was blanked."""

    @property
    def version(self) -> int: ...
    @property
    def event_id(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def payload_json(self) -> str: ...
    @property
    def metadata_json(self) -> str: ...
    @property
    def occurred_at(self) -> datetime: ...
    @property
    def recorded_at(self) -> datetime: ...
    @property
    def causation_id(self) -> str: ...
    @property
    def correlation_id(self) -> str: ...
    @property
    def is_error(self) -> bool: ...
    @property
    def digest(self) -> bytes: ...
    @property
    def hash(self) -> bytes: ...
    @property
    def is_erased(self) -> bool: ...


@dataclass(slots=True)
class Walk:
    """One stream's walk: `follow` its events part by part in order, then `arrive` at its end.

    Args:
        anchor: a version at which the stream was found in order before, and its hash then.
        version, hash: where the walk begins, behind the event of this version and hash; without, before the first one.
        last_snapshot: the version of the last snapshot, whichever reducer made it.
        last_state: that of the last one whose state can be compared: up to there the events are folded.
    """

    stream: str
    anchor: tuple[int, bytes] | None = None
    last_snapshot: int = 0
    last_state: int = 0
    version: int = 0
    hash: bytes = b""
    faults: int = 0
    findings: list[Finding] = field(default_factory=list)
    _state: State = field(default_factory=initial_state)
    # Faulty events give another state than they gave, which is no fault of the next snapshot.
    _doubts: list[int] = field(default_factory=list)
    # What the event behind a faulty one may follow as well: it is not to blame.
    _excuses: tuple[bytes, ...] = ()
    # Whether an event with content was passed. None behind it is blank: an erasure blanks a stream from its beginning,
    # but for recalls, which are blanked by themselves where what they repeat was learned in an erased stream.
    _has_content: bool = False

    def __post_init__(self) -> None:
        if not self.version:
            self.hash = chain.genesis(self.stream)

    def follow(self, rows: Sequence[Row], claims: Sequence[Claim]) -> None:
        """The next events, at least one, and what snapshots say of these versions; both in the order of versions."""
        first = self.version
        for row in rows:
            self._check(row)
        hashes = {row.version: row.hash for row in rows} if claims else {}
        told = [row for row in rows if row.version <= self.last_state]
        for claim in claims:
            self._state = _fold(self._state, told, first, claim.version)
            first = claim.version
            if claim.version in hashes:
                self._compare(claim, hashes[claim.version])
        self._state = _fold(self._state, told, first, self.version)
        del self._doubts[1:]

    def pass_over(self, stretch: Stretch, claims: Sequence[Claim]) -> None:
        """The next events, of which only hashes are left: snapshots of them are taken at their word for the state."""
        first = self.version + 1
        if stretch.first > first:
            self._find_gap(stretch.first)
        elif stretch.first == first and stretch.previous_hash != self.hash:
            self._find(first, Fault.CHAIN, "What is left of it does not follow from the event before it.")
        if self.anchor and first <= self.anchor[0] <= stretch.last:
            self._compare_anchor(self.anchor[0], stretch.hash_at(self.anchor[0]))
        self._doubts.append(first)
        for claim in claims:
            self._compare(claim, stretch.hash_at(claim.version))
        del self._doubts[1:]
        self._excuses = ()
        self.version, self.hash = stretch.last, stretch.hash_at(stretch.last)

    def arrive(self, version: int, head: bytes) -> None:
        """All events have been followed; the stream's own row says that it is at `version` with this hash."""
        last = self.version
        behind, ends = last + 1, f"the record ends with event {last}."
        if last < version:
            self._find(behind, Fault.END, f"The stream is said to be at version {version}; {ends}")
        elif last > version:
            self._find(version + 1, Fault.END, f"The stream is said to be at version {version}; {ends}")
        elif head not in (self.hash, *self._excuses):
            self._find(max(version, 1), Fault.END, "The stream's row has another hash than its last event.")
        elif last < self.last_snapshot:
            self._find(behind, Fault.END, f"There is a snapshot of event {self.last_snapshot}; {ends}")
        if self.anchor and last < self.anchor[0]:
            self._find(behind, Fault.REWRITTEN, f"The stream was in order up to event {self.anchor[0]}; {ends}")

    def _check(self, row: Row) -> None:
        version, event_hash, digest = row.version, row.hash, row.digest
        if not _content_fits(row):
            self._find(version, Fault.CONTENT, "Its payload, metadata or mark as an error is not what was recorded.")
        elif not row.is_erased:
            self._has_content = True
        elif self._has_content and row.type != EventType.MEMORY_RECALLED:
            self._find(version, Fault.CONTENT, "It is blank as if it had been erased, and an event before it is not.")
        is_next = version == self.version + 1
        if not is_next:
            self._find_gap(version)
        expected = chain.link(
            self.hash, digest, version, row.event_id, row.type, row.occurred_at, row.recorded_at, row.causation_id,
            row.correlation_id,
        )  # fmt: skip
        if expected == event_hash:
            self._excuses = ()
        elif is_next and self.hash:
            if not self._is_excused(row):
                self._find(version, Fault.CHAIN, "Its hash is not the one that it and the event before it give.")
            self._excuses = (expected, self.hash)
        if self.anchor and version == self.anchor[0]:
            self._compare_anchor(version, event_hash)
        self.version, self.hash = version, event_hash

    def _compare_anchor(self, version: int, event_hash: bytes) -> None:
        if self.anchor and event_hash != self.anchor[1]:
            self._find(version, Fault.REWRITTEN, "It had another hash when the stream was last found in order.")

    def _is_excused(self, row: Row) -> bool:
        """Whether the event follows from what the one before it should have been, or changed places with."""
        return any(
            row.hash == chain.link(
                previous, row.digest, row.version, row.event_id, row.type, row.occurred_at, row.recorded_at,
                row.causation_id, row.correlation_id,
            )
            for previous in self._excuses
        )  # fmt: skip

    def _find_gap(self, version: int) -> None:
        first, last = self.version + 1, version - 1
        which = f"Event {first} is" if first == last else f"Events {first} to {last} are"
        self._find(first, Fault.MISSING, f"{which} not there.")
        self._excuses = ()

    def _compare(self, claim: Claim, event_hash: bytes) -> None:
        if claim.stream_hash != event_hash:
            self._find(claim.version, Fault.SNAPSHOT, "The snapshot at this event has another hash than the event.")
        elif claim.state is None:
            return
        elif self._doubts and self._doubts[0] <= claim.version:
            self._state = claim.state
            self._doubts = [version for version in self._doubts if version > claim.version]
        elif claim.state != self._state:
            self._find(claim.version, Fault.SNAPSHOT, "The snapshot at this event is not what the events give.")

    def find(self, finding: Finding) -> None:
        """Count a fault that was found in how the next events are kept, or by the walk itself."""
        self.faults += 1
        if finding.fault != Fault.SNAPSHOT:
            self._doubts.append(finding.version)
        if len(self.findings) < MOST_FINDINGS:
            self.findings.append(finding)

    def _find(self, version: int, fault: Fault, detail: str) -> None:
        self.find(Finding(version, fault, detail))


def _fold(state: State, rows: Sequence[Row], after: int, last: int) -> State:
    """The state after those of the rows that lie behind `after`, up to `last`."""
    part = [_Told(row) for row in rows if after < row.version <= last]
    return replay(state, part) if part else state


class _Told:
    """An event as the reducer reads it, its payload parsed once."""

    __slots__ = ("occurred_at", "payload", "type", "version")

    def __init__(self, row: Row) -> None:
        self.version = row.version
        self.type = row.type
        self.payload = _payload(row)
        self.occurred_at = row.occurred_at


def _content_fits(row: Row) -> bool:
    """Whether the content is the one that the digest covers. Erased content must be blank: what it was is not known."""
    if row.is_erased:
        return row.payload_json == BLANK and row.metadata_json == BLANK
    return content_digest(row.payload_json, row.metadata_json) == row.digest and _mark_fits(row)


def _mark_fits(row: Row) -> bool:
    # Parsing costs more than all the rest, and in canonical JSON only a payload with this text can have an error.
    payload = _payload(row) if '"error":' in row.payload_json else {}
    return facts.is_error(row.type, payload) == row.is_error


def _payload(row: Row) -> dict[str, Any]:
    """The payload; an empty one for what nobody recorded: no object, or nested deeper than anybody can read."""
    try:
        value = json.loads(row.payload_json)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}

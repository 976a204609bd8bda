"""The hash chain of a tenant's audit log, as `sql/audit.sql` makes it. Pure."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

MOST_FAULTS = 100


class Entry(Protocol):
    """What the chain covers of an entry."""

    number: int
    at: datetime
    actor: str
    action: str
    subject: str
    detail: str
    address: str
    previous_hash: bytes | memoryview
    hash: bytes | memoryview


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong at an entry."""

    number: int
    fault: str
    detail: str


def genesis(tenant_id: int) -> bytes:
    """The hash before a tenant's first entry (32 bytes)."""
    return hashlib.sha256(b"aresweb audit 1\x00" + str(tenant_id).encode()).digest()


def hash_of(entry: Entry) -> bytes:
    """The hash (32 bytes) that an entry must have, by what it says itself."""
    parts = (
        str(entry.number),
        timestamp(entry.at),
        entry.actor,
        entry.action,
        entry.subject,
        entry.detail,
        entry.address,
    )
    covered = b"".join(hashlib.sha256(part.encode()).digest() for part in parts)
    return hashlib.sha256(bytes(entry.previous_hash) + covered).digest()


def timestamp(moment: datetime) -> str:
    """UTC to the microsecond: `2026-05-01T09:30:00.000000Z`."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")[:-6] + "Z"


class Walk:
    """Goes through a log, entry by entry in their order, and notes what is wrong.

    Args:
        anchor: number and hash of the last entry that retention dropped, where the log tells of one.
    """

    def __init__(self, tenant_id: int, anchor: tuple[int, bytes] | None) -> None:
        self.number, self._hash = anchor or (0, genesis(tenant_id))
        self.entries = 0
        self.faults: list[Fault] = []

    def follow(self, entry: Entry) -> None:
        """The next entry."""
        if entry.number != self.number + 1:
            self._find(self.number + 1, "missing", f"Behind entry {self.number} comes entry {entry.number}.")
        elif bytes(entry.previous_hash) != self._hash:
            self._find(entry.number, "chain-broken", "It does not follow from the entry before it.")
        if hash_of(entry) != bytes(entry.hash):
            self._find(entry.number, "changed", "Its hash is not that of what it says.")
        self.number, self._hash = entry.number, bytes(entry.hash)
        self.entries += 1

    def arrive(self, number: int, last_hash: bytes | memoryview | None) -> None:
        """The end, which the tenant's row says is at this entry."""
        if self.number != number:
            self._find(max(self.number, number), "end-differs", f"The log ends at entry {self.number}, not {number}.")
        elif last_hash is not None and bytes(last_hash) != self._hash:
            self._find(number, "end-differs", "The last entry is not the one that the tenant's row tells of.")

    def _find(self, number: int, fault: str, detail: str) -> None:
        if len(self.faults) < MOST_FAULTS:
            self.faults.append(Fault(number, fault, detail))

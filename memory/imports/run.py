"""What a format module makes of a file: runs as plain data, before anything is recorded."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from memory.events.chained import Chained

Payload = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ImportedEvent:
    """One event of a run that happened elsewhere.

    `type` is one of `memory.vocabulary.EventType` or the origin's own `noun.verb`; `occurred_at` is aware, or None
    where the origin gives no time. `causes` names the index (0-based, in `Run.events`, smaller than this event's
    own) of the event that caused this one, where the origin says so.
    """

    type: str
    payload: Payload
    occurred_at: datetime | None = None
    causes: int | None = None
    metadata: Payload = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Run:
    """One agent run or conversation.

    `key` identifies the run at its origin and is stable: the same run read again, from another path, has the same
    key, so that it is recorded once. `events` are in the order in which they happened; the recorder opens the session
    and fills in `session_id`, `message_id` and `task_id`, so no event carries them and none is `session.created`.
    `counts` says how many of its origin's own units were read ("messages", "steps", "lines"), for the summary.
    """

    key: str
    title: str
    agent_id: str
    user_id: str
    events: list[ImportedEvent]
    counts: dict[str, int] = field(default_factory=dict)
    metadata: Payload = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Recording:
    """A run that another aresweb recorded: its stream's name, and its events with places, times and hashes."""

    key: str
    events: list[Chained]
    counts: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something in a file that was not imported, and why, in a sentence for the operator."""

    where: str
    reason: str


class Format(Protocol):
    """A module of `memory.imports` that reads one format."""

    NAME: str

    def matches(self, path: Path, head: bytes) -> bool:
        """Whether the file looks like this format, from its name and its first 64 KiB (already decompressed)."""

    def read(self, path: Path) -> Iterator[Run | Recording | Skipped]:
        """The file's runs, one at a time, with what had to be left out in between."""

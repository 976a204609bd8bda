"""Reading test files through a format, and what must hold for everything that comes out."""

import gzip
import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from memory.events.draft import Limits, draft
from memory.events.facts import is_error
from memory.imports.run import Format, ImportedEvent, Run, Skipped
from memory.vocabulary import EventType

LIMITS = Limits(payload_bytes=4 * 2**20, depth=100)


def write(path: Path, value: Any) -> Path:
    """Write a JSON file; gzip if the name ends in `.gz`."""
    return write_bytes(path, json.dumps(value).encode())


def write_lines(path: Path, values: Iterable[Any]) -> Path:
    """Write a JSON Lines file; a text stands for a line as it is."""
    lines = (value if isinstance(value, str) else json.dumps(value) for value in values)
    return write_bytes(path, "".join(line + "\n" for line in lines).encode())


def write_bytes(path: Path, data: bytes) -> Path:
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def read(known: Format, path: Path) -> tuple[list[Run], list[Skipped]]:
    """The runs, each checked against the contract, and what was skipped."""
    items = list(known.read(path))
    runs = [item for item in items if isinstance(item, Run)]
    for run in runs:
        check(run)
    return runs, [item for item in items if isinstance(item, Skipped)]


def read_one(known: Format, path: Path) -> Run:
    """The only run of a file from which nothing is skipped."""
    runs, skipped = read(known, path)
    assert skipped == []
    assert len(runs) == 1
    return runs[0]


def check(run: Run) -> None:
    """What holds for every run: it can be recorded, and its links point backwards at what they should."""
    assert run.key
    assert len(run.title) <= 120
    assert "\n" not in run.title
    assert len(run.agent_id) <= 200
    assert len(run.user_id) <= 200
    opening = {"key": run.key, "title": run.title, "agent_id": run.agent_id, "user_id": run.user_id}
    draft({"type": "session.created", "payload": opening, "metadata": run.metadata}, LIMITS)
    for index, event in enumerate(run.events):
        draft({"type": str(event.type), "payload": event.payload, "metadata": event.metadata}, LIMITS)
        assert event.type != EventType.SESSION_CREATED
        assert event.occurred_at is None or event.occurred_at.tzinfo is not None
        assert not event.payload.keys() & {"session_id", "message_id", "task_id"}
        if event.causes is not None:
            assert 0 <= event.causes < index
            check_link(event, run.events[event.causes])
        if event.type == EventType.MESSAGE_ADDED:
            assert event.payload["role"]
            assert isinstance(event.payload["content"], str | list) or event.payload["tool_calls"]


def check_link(event: ImportedEvent, cause: ImportedEvent) -> None:
    """Results come from their calls, calls from messages, and a tool's messages from its results."""
    if event.type == EventType.TOOL_RESULT:
        assert cause.type == EventType.TOOL_CALL
        assert cause.payload["tool_call_id"] == event.payload["tool_call_id"]
    if event.type == EventType.TOOL_CALL:
        assert cause.type == EventType.MESSAGE_ADDED
        assert event.payload["tool_call_id"] in [call["id"] for call in cause.payload["tool_calls"]]
    if event.type == EventType.MESSAGE_ADDED and event.payload["role"] == "tool":
        assert cause.type == EventType.TOOL_RESULT
        assert cause.payload["tool_call_id"] == event.payload["tool_call_id"]


def types(run: Run) -> list[str]:
    return [str(event.type) for event in run.events]


def of_type(run: Run, event_type: str) -> list[ImportedEvent]:
    return [event for event in run.events if event.type == event_type]


def roles(run: Run) -> list[str]:
    return [event.payload["role"] for event in of_type(run, EventType.MESSAGE_ADDED)]


def count(runs: Iterable[Run]) -> Counter[str]:
    """How many events there are of each type, how many errors, and how many tokens were reported."""
    counts: Counter[str] = Counter()
    for run in runs:
        for event in run.events:
            counts[str(event.type)] += 1
            counts["errors"] += is_error(event.type, event.payload)
            usage = event.payload.get("usage", {})
            counts["input_tokens"] += usage.get("input_tokens", 0)
            counts["output_tokens"] += usage.get("output_tokens", 0)
    return counts


def units(runs: Iterable[Run]) -> Counter[str]:
    """The origins' own units, added up."""
    total: Counter[str] = Counter()
    for run in runs:
        total.update(run.counts)
    return total

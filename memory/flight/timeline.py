"""A run's events as the rows of a timeline, and as a strip of one letter each. Needs a tenant's scope.

A row never loads a large payload: of one beyond `WHOLE_PAYLOAD` bytes PostgreSQL hands out the fields that a row shows,
and the beginning of its texts.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory import sql
from memory.errors import Gone
from memory.events import facts, history
from memory.models import Event, Stream
from memory.vocabulary import EventType

WHOLE_PAYLOAD = 32 * 1024
SUMMARY_LENGTH = 160
EMPTY = "(empty)"
DROPPED = "(dropped)"

# What a kind of event is called where the words of its type are not the best ones.
KINDS: dict[str, str] = {
    EventType.LLM_CALL: "model call",
    EventType.LLM_RESPONSE: "model response",
    EventType.MESSAGE_ADDED: "message",
}
# The field that names the particular one: which tool, which model.
NAMING_FIELDS = {"tool": "name", "llm": "model"}
NAME_LENGTH = 60
# The first of these that holds something is what an event says in a line.
TELLING_FIELDS = (
    "content",
    "arguments",
    "output",
    "input",
    "prompt",
    "query",
    "step",
    "user_id",
    "agent_id",
    "messages",
)


@dataclass(frozen=True, slots=True)
class Row:
    """One event in a line. `offset` is the time since the run's first event, in seconds; `duration_ms` and tokens are
    None where the event tells none.

    Of an event that retention has dropped (`is_dropped`) only version, family and error are known.
    """

    version: int
    type: str
    family: str
    is_error: bool
    is_erased: bool
    kind: str
    name: str
    role: str
    summary: str
    occurred_at: datetime | None = None
    recorded_at: datetime | None = None
    offset: float | None = None
    duration_ms: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    is_dropped: bool = False


def window(stream: Stream, first: int, last: int) -> list[Row]:
    """The rows of versions `first` to `last`, both included, in order."""
    hot = _fields(stream.pk, first, last, [])
    behind = hot[0][0] if hot else last + 1
    dropped: list[Row] = []
    try:
        cold = history.read(stream, first, behind - 1) if first < behind else []
    except Gone as gone:
        dropped = _dropped(stream, first, min(gone.first_version, behind))
        cold = history.read(stream, gone.first_version, behind - 1) if gone.first_version < behind else []
    archived = _fields(stream.pk, 0, 0, cold) if cold else []
    return dropped + [_row(stream, *each) for each in [*archived, *hot]]


def letters(stream: Stream, after: int = 0) -> tuple[str, list[int]]:
    """The strip behind a version: one family letter per event, and the versions of the events that are errors."""
    line = history.letters(stream, after)
    errors = [version for version, letter in enumerate(line, start=after + 1) if letter.isupper()]
    return line.lower(), errors


def kind(event_type: str) -> str:
    """What kind of event it is, in words: `tool call`."""
    return KINDS.get(event_type) or event_type.replace(".", " ")


def name(event_type: str, payload: facts.Payload) -> str:
    """Which tool or model it is about; empty for events of other kinds."""
    field = NAMING_FIELDS.get(event_type.partition(".")[0])
    return facts.string(payload, field)[:NAME_LENGTH] if field else ""


def summary(event_type: str, payload: facts.Payload) -> str:
    """What the event says, in one line of at most SUMMARY_LENGTH characters: its error, else its most telling field. A
    tool's result that holds nothing says so: nothing else in the run will."""
    text = facts.error_text(payload)
    for field in TELLING_FIELDS if not text else ():
        text = facts.text_of(payload.get(field))
        if text.strip():
            break
    calls = payload.get("tool_calls")
    if not text.strip() and isinstance(calls, list):
        text = "asks for " + ", ".join(_names(calls))
    line = " ".join(text[: SUMMARY_LENGTH * 4].split()) or (EMPTY if event_type == EventType.TOOL_RESULT else "")
    return line if len(line) <= SUMMARY_LENGTH else line[: SUMMARY_LENGTH - 1] + "…"


def _names(calls: Iterable[Any]) -> Iterator[str]:
    for call in calls:
        function = call.get("function") if isinstance(call, dict) else None
        yield facts.string(function if isinstance(function, dict) else {}, "name") or "a tool"


def _fields(stream_id: int, first: int, last: int, archived: Sequence[Event]) -> list[tuple[Any, ...]]:
    """What rows are made of, for events in their table and for archived ones: PostgreSQL cuts both in the same way."""
    columns = {
        "versions": [event.version for event in archived],
        "types": [event.type for event in archived],
        "errors": [event.is_error for event in archived],
        "erased_ats": [event.erased_at for event in archived],
        "occurred_ats": [event.occurred_at for event in archived],
        "recorded_ats": [event.recorded_at for event in archived],
        "payloads": [event.payload_json for event in archived],
    }
    bounds = {"first": first, "last": last, "whole": WHOLE_PAYLOAD, "text": SUMMARY_LENGTH * 2}
    return sql.run("timeline_window", {"stream_id": stream_id, **bounds, **columns})


def _dropped(stream: Stream, first: int, behind: int) -> list[Row]:
    """Rows of dropped events, of which the strip has kept the letters."""
    line = history.letters(stream, first - 1)[: behind - first]
    return [
        Row(
            version=version,
            type="",
            family=facts.FAMILY_NAMES[letter.lower()],
            is_error=letter.isupper(),
            is_erased=False,
            kind=facts.FAMILY_NAMES[letter.lower()],
            name="",
            role="",
            summary=DROPPED,
            is_dropped=True,
        )
        for version, letter in enumerate(line, start=first)
    ]


def _row(
    stream: Stream,
    version: int,
    event_type: str,
    is_error: bool,
    is_erased: bool,
    occurred_at: datetime,
    recorded_at: datetime,
    payload_text: str,
) -> Row:
    payload = json.loads(payload_text)
    has_usage = isinstance(payload.get("usage"), dict)
    given, answered = facts.tokens(event_type, payload)
    return Row(
        version=version,
        type=event_type,
        family=facts.FAMILY_NAMES[facts.family(event_type)],
        is_error=is_error,
        is_erased=is_erased,
        kind=kind(event_type),
        name=name(event_type, payload),
        role=facts.string(payload, "role"),
        summary=summary(event_type, payload),
        occurred_at=occurred_at,
        recorded_at=recorded_at,
        offset=(occurred_at - stream.started_at).total_seconds() if stream.started_at else None,
        duration_ms=facts.milliseconds(payload),
        input_tokens=given if has_usage else None,
        output_tokens=answered if has_usage else None,
    )

"""LoCoMo: long conversations of two people, in sessions that each have a date. Each session is one run.

What LoCoMo adds for evaluation (questions, event summaries, observations) is not part of a conversation and not read.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memory.imports.fields import Fields, mapping, present, sequence, string
from memory.imports.files import Record, records
from memory.imports.outline import outline
from memory.imports.run import Run, Skipped
from memory.imports.transcript import NAME_LENGTH, Transcript, run_key
from memory.vocabulary import MessageRole

NAME = "locomo"

_SESSION = re.compile(r"session_\d{1,6}", re.ASCII)
_DATE_KEY = re.compile(r"(session_\d{1,6})_date_time", re.ASCII)
_DATE_FORMAT = "%I:%M %p on %d %B, %Y"  # "1:56 pm on 8 May, 2023"


def matches(path: Path, head: bytes) -> bool:
    """See `Format.matches`. The questions come first and may be all that the head shows."""
    keys = outline(head)
    return {"conversation.speaker_a", "conversation.speaker_b"} <= keys or {"qa[].evidence", "qa[].category"} <= keys


def read(path: Path) -> Iterator[Run | Skipped]:
    """See `Format.read`."""
    for record in records(path):
        if isinstance(record, Skipped):
            yield record
        elif not isinstance(mapping(record.value).get("conversation"), dict):
            yield Skipped(record.where, "is not a LoCoMo conversation: it has no object `conversation`")
        else:
            yield from _sessions(record)


def _sessions(record: Record) -> Iterator[Run | Skipped]:
    conversation: Fields = record.value["conversation"]
    where = f"{record.where}: {record.value.get('sample_id')!a}"
    names = [name for name in conversation if _SESSION.fullmatch(name)]
    told = sorted((name for name in names if sequence(conversation[name])), key=_session_number)
    for date_key in conversation:
        dated = _DATE_KEY.fullmatch(date_key)
        if dated and dated[1] not in told:
            yield Skipped(f"{where}: {dated[1]}", "has a date but no turns")
    for name in told:
        yield from _run(f"{where}: {name}", record.value, name, first=name == told[0])
    if not told:
        yield Skipped(where, "holds no session with turns")


def _session_number(name: str) -> int:
    return int(name.removeprefix("session_"))


def _run(where: str, sample: Fields, name: str, *, first: bool) -> Iterator[Run | Skipped]:
    conversation = sample["conversation"]
    turns: list[Any] = conversation[name]
    date = string(conversation.get(f"{name}_date_time"))
    at = _time(date)
    transcript = Transcript(where)
    if date and at is None:
        transcript.skip("date", f"{date!a} is not understood, so the turns have no time")
    count = 0
    for place, turn in enumerate(turns, start=1):
        if not string(mapping(turn).get("speaker")):
            transcript.skip(f"turn {place}", "is no turn: it has no speaker")
            continue
        _tell_turn(transcript, turn, at)
        count += 1
    speakers = [string(conversation.get("speaker_a")), string(conversation.get("speaker_b"))]
    yield from transcript.finish(
        key=run_key("locomo", sample.get("sample_id"), name, content=turns),
        title=f"{' and '.join(filter(None, speakers))}, {name.replace('_', ' ')}, {date}",
        agent_id="locomo",
        # The two people of a conversation share one memory, apart from those of other conversations.
        user_id=string(sample.get("sample_id")),
        counts={"conversations": int(first), "sessions": 1, "turns": count},
        metadata={
            "conversation": sample.get("sample_id"),
            "session": name,
            "speakers": speakers,
            "date_time": date,
            "time_zone": "assumed UTC: the origin names none" if at else None,
        },
    )


def _tell_turn(transcript: Transcript, turn: Fields, at: datetime | None) -> None:
    """A turn as a message. The caption of a picture is part of its text, so that it is found when searching."""
    caption = string(turn.get("blip_caption"))
    texts = [string(turn.get("text")), f"[picture: {caption}]" if caption else ""]
    origin = {"dia_id": turn.get("dia_id"), "img_url": turn.get("img_url"), "query": turn.get("query")}
    transcript.message(
        MessageRole.USER,
        "\n".join(filter(None, texts)),
        at=at,
        metadata=present(origin),
        name=turn["speaker"][:NAME_LENGTH],
    )


def _time(text: str) -> datetime | None:
    try:
        return datetime.strptime(text.strip(), _DATE_FORMAT).replace(tzinfo=UTC)
    except ValueError:
        return None

"""The filter text of the runs list: `type:tool.call agent:ops error:yes tokens:>1000 "free text"`. Pure."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from memory.vocabulary import Outcome

# A word, with a key before it or without; quotes hold words together.
TERM = re.compile(r'(?:(?P<key>[a-z]+):)?(?:"(?P<quoted>[^"]*)"?|(?P<plain>\S+))')
NUMBER = re.compile(r"(?P<sign>>=|<=|>|<|=)?(?P<number>\d{1,15})|(?P<least>\d{1,15})\.\.(?P<most>\d{1,15})")
SPAN = re.compile(r"(?P<count>\d{1,4})(?P<unit>[mhdw])")
UNITS = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
YES = {"yes": True, "no": False}

# What the page tells of the syntax: an example, and what it finds.
EXAMPLES = (
    ("type:tool.call", "runs that hold an event of this type"),
    ("agent:ops-agent", "runs of this agent"),
    ("user:u-7", "runs of this user"),
    ("outcome:failed", "or running, succeeded, unknown"),
    ("error:yes", "with an event that is an error; no for none"),
    ("tag:bug", "with a note that has this tag"),
    ("events:>100", "by their number of events; also >=, <, <=, 10..20"),
    ("tokens:>1000", "by the tokens that providers reported"),
    ("since:24h", "with an event in the last minutes (m), hours, days or weeks"),
    ('"no such file"', "with these words in the title, a name or a payload"),
)


@dataclass(frozen=True, slots=True)
class Range:
    """Numbers from `least` to `most`, both included; None for no end."""

    least: int | None = None
    most: int | None = None


@dataclass(frozen=True, slots=True)
class RunQuery:
    """What a run must have. `text` are the words without a key; `faults` say in words which parts mean nothing and were
    passed over."""

    type: str = ""
    agent: str = ""
    user: str = ""
    outcome: str = ""
    tag: str = ""
    text: str = ""
    error: bool | None = None
    events: Range = Range()
    tokens: Range = Range()
    since: timedelta | None = None
    faults: tuple[str, ...] = field(default=())


def parse(text: str) -> RunQuery:
    """Read a filter. A word whose key is none of these is searched for as it stands: `http://…` is text."""
    found = RunQuery()
    words: list[str] = []
    for term in TERM.finditer(text.replace("\x00", "")):
        key, value = term["key"], term["quoted"] if term["quoted"] is not None else term["plain"]
        if key in _READERS and value:
            found = _with(found, key, value)
        elif value:
            words.append(term[0] if key else value)
    return replace(found, text=" ".join(words))


def _with(found: RunQuery, key: str, value: str) -> RunQuery:
    read = _READERS[key](value)
    if read is None:
        return replace(found, faults=(*found.faults, f"{key}:{value[:40]}"))
    return replace(found, **{key: read})


def _text(value: str) -> str | None:
    return value


def _outcome(value: str) -> str | None:
    return value if value in set(Outcome) else None


def _range(value: str) -> Range | None:
    told = NUMBER.fullmatch(value)
    if told is None:
        return None
    if told["least"]:
        return Range(int(told["least"]), int(told["most"]))
    number = int(told["number"])
    match told["sign"]:
        case ">":
            return Range(least=number + 1)
        case ">=":
            return Range(least=number)
        case "<":
            return Range(most=number - 1)
        case "<=":
            return Range(most=number)
    return Range(number, number)


def _span(value: str) -> timedelta | None:
    told = SPAN.fullmatch(value)
    return UNITS[told["unit"]] * int(told["count"]) if told else None


_READERS: dict[str, Callable[[str], Any]] = {
    "type": _text,
    "agent": _text,
    "user": _text,
    "tag": _text,
    "outcome": _outcome,
    "error": YES.get,
    "events": _range,
    "tokens": _range,
    "since": _span,
}

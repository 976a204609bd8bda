"""Values that can be checked: numbers, dates and identifiers, and the words by which they are called. Pure."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

# Of larger results only the beginning is read.
MOST_TEXT = 20_000
MOST_FACTS = 40
MOST_LEAVES = 400
LONGEST_VALUE = 40
LONGEST_LABEL = 60
# A label further from its value than so many words is another's.
NEAR = 5

# ASCII alone: Chinese has no spaces, so that its characters may stand right before and behind a value.
_NUMBER = r"(?<![A-Za-z0-9_.,/-])[$€£¥]?-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![A-Za-z0-9_/-]|[.,:]\d)"
_DATE = r"(?<![A-Za-z0-9_-])\d{4}-\d{2}-\d{2}(?![A-Za-z0-9_-])"
_ID = (
    r"(?<![A-Za-z0-9_./@-])(?=[A-Za-z_-]*\d)(?=[0-9_-]*[A-Za-z])[A-Za-z0-9][A-Za-z0-9_-]{4,38}[A-Za-z0-9]"
    r"(?![A-Za-z0-9_@/-])"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = r"(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?"
_STAMP = re.compile(r"\b(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}[\d:.]*(?:Z|[+-]\d{2}:?\d{2})?")
_MONTH_FIRST = re.compile(rf"\b{_MONTH} (\d{{1,2}})(?:st|nd|rd|th)?,? (\d{{4}})\b")
_DAY_FIRST = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)? (?:of )?{_MONTH},? (\d{{4}})\b")
_CHINESE = re.compile(r"(\d{4})\s?年\s?(\d{1,2})\s?月\s?(\d{1,2})\s?日")
_VALUE = re.compile(f"(?P<date>{_DATE})|(?P<id>{_ID})|(?P<number>{_NUMBER})")
_ALL_VALUES = re.compile(f"{_DATE}|{_ID}|{_NUMBER}")
_ALL_IDS = re.compile(_ID)
_LABELLED = re.compile(
    r"(?:^|[\n,;{(*•-])[ \t\"'*]*([A-Za-z\u4e00-\u9fff][\w \u4e00-\u9fff-]{1,30}?)[\"'*]*[ \t]*[:=：][ \t*\"']*"
)
_WORD = re.compile(r"[a-z]+|[\u4e00-\u9fff]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
# Words between a label and its value, and those that make it a value of something else.
_BETWEEN = frozenset(("is", "are", "was", "were", "of", "at", "the", "a", "an", "now", "to", "on", "for", "usd", "eur", "currently", "是", "为", "等于"))  # fmt: skip
_GENERIC = frozenset(("id", "value", "number", "code", "type", "name", "key", "index", "page", "version", "size", "length", "status", "time", "date", "text", "data", "result", "step", "line", "note", "level", "error"))  # fmt: skip
_OPENERS = _BETWEEN | frozenset(("and", "your", "my", "its", "their", "that", "with", "has", "have", "found", "shows", "says", "this"))  # fmt: skip
_ABOUT = re.compile(
    r"about|around|approx\w*|roughly|nearly|almost|over|under|up to|at least|at most|more than|less than|约|大概|左右|超过|不到|至少|最多"
)


@dataclass(frozen=True, slots=True)
class Value:
    """A value in a text: `kind` is "number", "date" or "id"; `before` is the text in front of it, in its sentence, and
    `after` what follows at once."""

    kind: str
    text: str
    before: str
    after: str


def values(text: str) -> Iterator[Value]:
    """The values of a text, in their order."""
    text = _with_dates(text[:MOST_TEXT])
    for found in _VALUE.finditer(text):
        kind = found.lastgroup or ""
        before = re.split(r"[.!?;。！？；\n](?!\d)", text[max(0, found.start() - 80) : found.start()])[-1]
        yield Value(kind, plain(found[0]), before, text[found.end() : found.end() + 8])


def plain_values(text: str) -> list[str]:
    """The different values of a text as they are compared, in their order."""
    return list(dict.fromkeys(plain(found) for found in _ALL_VALUES.findall(_with_dates(text[:MOST_TEXT]))))


def ids(text: str) -> list[str]:
    """The identifiers of a text: letters and digits mixed, six characters or more."""
    return list(dict.fromkeys(_ALL_IDS.findall(text[:MOST_TEXT])))


def plain(value: str) -> str:
    """A value as it is compared: numbers without signs of currency and thousands and without zeros at the end."""
    value = value.lstrip("$€£¥").replace(",", "")
    if re.fullmatch(r"-?\d+(?:\.\d+)?", value):
        return value.rstrip("0").rstrip(".") if "." in value else value
    return value


def facts(text: str) -> dict[str, str]:
    """Labels and their values, of a JSON object or of `label: value` in a text; at most `MOST_FACTS`. A label that has
    several values there is left out, since nobody could tell which one is meant."""
    told: dict[str, str | None] = {}
    text = _with_dates(text[: MOST_TEXT + 1])
    for label, value in _of_json(text) or _of_text(text):
        words = label_words(label)
        if words and len(value) <= LONGEST_VALUE:
            told[words] = value if told.get(words, value) == value else None
    return dict(islice(((label, value) for label, value in told.items() if value is not None), MOST_FACTS))


def label_words(label: str) -> str:
    """`totalPrice`, `total_price`, "Total price" → "total price"; empty for a label that says nothing by itself."""
    if len(label) > LONGEST_LABEL:
        return ""
    words = [word for word in _WORD.findall(_CAMEL.sub(" ", label).lower()) if word not in {"the", "a", "of"}]
    return " ".join(words) if words and not all(word in _GENERIC for word in words) else ""


def is_called(value: Value, label: str) -> bool:
    """Whether a value in a text is called by a label: its words come right before, with nothing else between."""
    if _ABOUT.search(value.before.lower()):
        return False
    clause = re.split(r"[,;()，；、（）]", value.before)[-1]
    words = _WORD.findall(_CAMEL.sub(" ", clause).lower())[-NEAR:]
    while words and (words[-1] in _BETWEEN or not words[-1]):
        words.pop()
    if words and re.match(r"[\u4e00-\u9fff]", words[-1]):
        return re.sub(r"[是为有]$|等于$", "", words[-1]).endswith(label)
    wanted = label.split()
    before, called = words[: -len(wanted)], words[-len(wanted) :]
    return called == wanted and (not before or before[-1] in _OPENERS)


def kind_of(value: str) -> str:
    """The kind of a value that stands alone; empty for any other text."""
    found = _VALUE.fullmatch(value)
    return (found.lastgroup or "") if found else ""


def differ(quoted: Value, told: str) -> bool:
    """Whether a quoted value contradicts what was told: of the same kind, another, and not merely rounded."""
    if quoted.kind != kind_of(told) or quoted.text == plain(told):
        return False
    if quoted.kind != "number":
        return quoted.text.lower() != told.lower()
    if re.match(r"\s*(?:%|k\b|thousand|million|billion|万|亿|m\b)", quoted.after):
        return False
    places = len(quoted.text.partition(".")[2])
    return abs(abs(float(quoted.text)) - abs(float(plain(told)))) > 0.5 * 10.0**-places + 1e-9


def is_slip(one: str, other: str) -> bool:
    """Whether one identifier is the other with a slip: one sign replaced, or two neighbours swapped.

    Two that only count on (`RB-100`, `RB-101`) are none.
    """
    if len(one) != len(other) or one == other:
        return False
    places = [place for place, (left, right) in enumerate(zip(one, other, strict=True)) if left != right]
    if len(places) == 2:
        first, second = places
        return second == first + 1 and one[first] == other[second] and one[second] == other[first]
    return len(places) == 1 and not (one[places[0]].isdigit() and re.fullmatch(r"\d{0,2}", one[places[0] + 1 :]))


def _with_dates(text: str) -> str:
    """A text in which every whole date is written as `2026-05-12`, and without the time that follows it at once."""
    text = _STAMP.sub(r"\1", text)
    text = _MONTH_FIRST.sub(lambda found: _date(found[3], _month(found[1]), found[2]), text)
    text = _DAY_FIRST.sub(lambda found: _date(found[3], _month(found[2]), found[1]), text)
    return _CHINESE.sub(lambda found: _date(found[1], found[2], found[3]), text)


def _month(name: str) -> str:
    return str(1 + _MONTHS.index(name.lower()))


def _date(year: str, month: str, day: str) -> str:
    return f"{year}-{int(month):02}-{int(day):02}"


def _of_json(text: str) -> list[tuple[str, str]]:
    if not text.strip().startswith(("{", "[")) or len(text) > MOST_TEXT:
        return []
    try:
        return list(_leaves(json.loads(text), ""))[:MOST_LEAVES]
    except (ValueError, RecursionError):
        return []


def _leaves(value: Any, label: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for name, part in value.items():
            yield from _leaves(part, str(name))
    elif isinstance(value, list):
        for part in value[:MOST_LEAVES]:
            yield from _leaves(part, label)
    elif isinstance(value, str | int | float) and not isinstance(value, bool) and kind_of(str(value)):
        yield label, str(value)


def _of_text(text: str) -> Iterator[tuple[str, str]]:
    text = text[:MOST_TEXT]
    for found in _LABELLED.finditer(text):
        value = _VALUE.match(text, found.end())
        if value:
            yield found[1], value[0]

"""Pages of a list that stay right while rows are added: each page is told by the row it begins behind."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

from memory.models import Stream
from memory.models.stream import StreamQuerySet

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
PAGE_SIZE = 50


@dataclass(frozen=True, slots=True)
class Page:
    """One page of streams, and the queries of its neighbours; None where there is none."""

    streams: list[Stream]
    previous_query: str | None
    next_query: str | None


def page(streams: StreamQuerySet, query: Mapping[str, str]) -> Page:
    """The page that the query asks for with `older` or `newer`, each the mark of a row; the newest one without them."""
    kept = {name: text for name, text in query.items() if text and name not in ("older", "newer")}
    older, newer = _place(query.get("older", "")), _place(query.get("newer", ""))
    if newer:
        found = list(streams.newer_than(*newer)[: PAGE_SIZE + 1])
        more, found = len(found) > PAGE_SIZE, found[:PAGE_SIZE][::-1]
        has_newer, has_older = more, bool(found)
    else:
        found = list((streams.older_than(*older) if older else streams.newest_first())[: PAGE_SIZE + 1])
        has_newer, has_older, found = bool(older), len(found) > PAGE_SIZE, found[:PAGE_SIZE]
    return Page(
        found,
        urlencode({**kept, "newer": _mark(found[0])}) if has_newer and found else None,
        urlencode({**kept, "older": _mark(found[-1])}) if has_older and found else None,
    )


def row_number(text: str) -> int:
    """The number of a row as an address tells it; 0, which no row has, for anything else."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else 0


def _mark(stream: Stream) -> str:
    return f"{(stream.last_event_at - EPOCH) // timedelta(microseconds=1)}-{stream.pk}"


def _place(mark: str) -> tuple[datetime, int] | None:
    """The time and row of a mark; None for anything that is not one, which shows the first page."""
    moment, _, row = mark.partition("-")
    if not (moment.isascii() and moment.isdecimal() and row.isascii() and row.isdecimal() and len(mark) < 36):
        return None
    try:
        return EPOCH + timedelta(microseconds=int(moment)), int(row)
    except OverflowError:
        return None

"""Pages of a list that can be sorted in several ways: numbered, with how many rows there are."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.db.models import QuerySet

PAGE_SIZE = 50
# Nobody turns so many pages; an offset beyond it would only cost the database.
MOST_PAGES = 10_000


@dataclass(frozen=True, slots=True)
class Listing:
    """One page: its rows, of `total` the ones from `first` to `last`, and the queries of its neighbours, if any."""

    rows: list[Any]
    total: int
    first: int
    last: int
    previous_query: str | None
    next_query: str | None


def listing(rows: QuerySet[Any] | list[Any], query: Mapping[str, str], size: int = PAGE_SIZE) -> Listing:
    """The page that `page` of the query names; the first one for anything that is no page, the last one behind it.

    Args:
        rows: in an order that tells every two of them apart.
        query: what else stands in it stays in the neighbours' queries.
    """
    total = len(rows) if isinstance(rows, list) else rows.count()
    pages = max(1, min(MOST_PAGES, -(-total // size)))
    number = min(whole(query.get("page", ""), 1) or 1, pages)
    start = (number - 1) * size
    found = list(rows[start : start + size])
    return Listing(
        found,
        total,
        start + 1 if found else 0,
        start + len(found),
        _query(query, number - 1) if number > 1 else None,
        _query(query, number + 1) if number < pages else None,
    )


def whole(text: str, default: int) -> int:
    """A whole number that stands in an address; the default for what is none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else default


def given(query: Mapping[str, str], names: tuple[str, ...]) -> dict[str, str]:
    """The filters of these names; what PostgreSQL would refuse to look for is left out."""
    return {name: query.get(name, "").strip().replace("\x00", "") for name in names}


def _query(query: Mapping[str, str], number: int) -> str:
    kept = {name: text for name, text in query.items() if text and name != "page"}
    return urlencode({**kept, "page": number} if number > 1 else kept)

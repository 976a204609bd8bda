"""Pages of a list of rows with `created_at`, the newest first; each page is told by the row it begins behind."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from django.db.models import Q, QuerySet

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
PAGE_SIZE = 50


@dataclass(frozen=True, slots=True)
class Listing:
    """One page, and the queries of the newest and the next older one; None where there is none."""

    rows: list[Any]
    newest_query: str | None
    older_query: str | None


def listing(rows: QuerySet[Any], query: Mapping[str, str]) -> Listing:
    """The page behind the mark `older`, or the newest one without it."""
    kept = {name: text for name, text in query.items() if text and name != "older"}
    place = _place(query.get("older", ""))
    ordered = rows.order_by("-created_at", "-pk")
    if place:
        moment, row = place
        ordered = ordered.filter(Q(created_at__lt=moment) | Q(created_at=moment, pk__lt=row))
    found = list(ordered[: PAGE_SIZE + 1])
    more, found = len(found) > PAGE_SIZE, found[:PAGE_SIZE]
    return Listing(
        found,
        urlencode(kept) if place else None,
        urlencode({**kept, "older": _mark(found[-1])}) if more else None,
    )


def _mark(row: Any) -> str:
    return f"{(row.created_at - EPOCH) // timedelta(microseconds=1)}-{row.pk}"


def _place(mark: str) -> tuple[datetime, str] | None:
    """The time and id of a mark; None for anything that is not one, which shows the newest page."""
    moment, _, row = mark.partition("-")
    if not (moment.isascii() and moment.isdecimal() and row.isascii() and row.isprintable() and len(mark) < 80):
        return None
    try:
        return EPOCH + timedelta(microseconds=int(moment)), row
    except OverflowError:
        return None

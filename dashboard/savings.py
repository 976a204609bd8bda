"""What contexts saved, as the pages show it: sums with the addresses that lead down to their events. Pure."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from memory.models import LedgerEntry
from memory.tokens.savings import By, Filters, Row, Sums

# What a row is called whose entries name none.
UNNAMED = {By.AGENT: "no agent", By.METHOD: "model calls and recalls", By.MODEL: "no model"}
TITLES = {By.DAY: "Day", By.AGENT: "Agent", By.METHOD: "Method", By.MODEL: "Model"}
METHODS = {"full": "whole history", "window": "newest messages", "memory": "newest messages and memory"}


@dataclass(frozen=True, slots=True)
class Shown:
    """A row of a table: `url` shows it alone, `events_url` the events that it is the sum of."""

    label: str
    is_named: bool
    sums: Sums
    saved_share: str
    saved_cost: str
    cost: str
    url: str
    events_url: str


@dataclass(frozen=True, slots=True)
class Chip:
    """A filter that is set, and the address of the page without it."""

    name: str
    value: str
    url: str


def of_row(by: By, row: Row, filters: Filters) -> Shown:
    """A row of the sums by something."""
    within = filters.narrowed(by, row.key)
    text = str(row.key)
    label = METHODS.get(text, text) if by == By.METHOD else text
    return _shown(label or UNNAMED.get(by, ""), bool(text), row.sums, within)


def whole(sums: Sums, filters: Filters) -> Shown:
    """The sums over all that is shown."""
    return _shown("", True, sums, filters)


def chips(filters: Filters, path: str) -> list[Chip]:
    """The filters that are set."""
    query = filters.query
    made = []
    for name, value in query.items():
        rest = {other: kept for other, kept in query.items() if other != name}
        shown = METHODS.get(value, value) if name == "method" else value
        made.append(Chip(name, shown or "none", f"{path}?{urlencode(rest)}" if rest else path))
    return made


def entry(row: LedgerEntry) -> dict[str, Any]:
    """An entry as a row of the list of events."""
    run = row.stream.name
    return {
        "entry": row,
        "title": row.stream.title or run,
        "method": METHODS.get(row.method, row.method),
        "url": f"{reverse('dashboard:run', args=[run])}?at={row.version}",
        "money": money(row.saved_cost if row.kind == "context" else row.cost),
    }


def money(amount: Decimal | None) -> str:
    """US dollars: cents where there are some, else as many places as it takes to see two figures; empty for None."""
    if amount is None:
        return ""
    size = abs(amount)
    places = 2 if size >= 1 or not size else min(10, max(2, 1 - size.adjusted()))
    return f"{'−' if amount < 0 else ''}${size:,.{places}f}"


def percent(share: float | None) -> str:
    """A share in per cent; empty for None."""
    return "" if share is None else f"{share:.1%}".replace("-", "−").replace("%", " %")


def deviation(sums: Sums) -> str:
    """How far our count lies from what providers reported, with its sign; empty where nothing can be compared."""
    share = sums.deviation
    return "" if share is None else f"{share:+.1%}".replace("-", "−").replace("%", " %")


def _shown(label: str, is_named: bool, sums: Sums, filters: Filters) -> Shown:
    query = urlencode(filters.query)
    page, events = reverse("dashboard:savings"), reverse("dashboard:savings_events")
    return Shown(
        label,
        is_named,
        sums,
        percent(sums.saved_share),
        money(sums.saved_cost),
        money(sums.cost),
        f"{page}?{query}" if query else page,
        f"{events}?{query}" if query else events,
    )

"""What contexts saved and what calls of models took, added up from the ledger. Needs a tenant's scope.

Every sum is over entries that `entries` gives for the same filters, and the sums of the parts are the sum of the whole.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any

from django.db.models import Count, F, Q, QuerySet, Sum
from django.db.models.functions import TruncDate

from memory.errors import Invalid
from memory.models import LedgerEntry
from memory.vocabulary import LedgerKind

CONTEXT, CALL = Q(kind=LedgerKind.CONTEXT), Q(kind=LedgerKind.CALL)
# Where both our count and the provider's are known.
COMPARED = CALL & Q(is_reported=True, counted_tokens__isnull=False)
SUMS: Mapping[str, Any] = {
    "contexts": Count("pk", filter=CONTEXT),
    "raw": Sum("raw_tokens", filter=CONTEXT, default=0),
    "sent": Sum("sent_tokens", filter=CONTEXT, default=0),
    "saved": Sum("saved_tokens", filter=CONTEXT, default=0),
    "saved_cost": Sum("saved_cost", filter=CONTEXT),
    "unpriced_contexts": Count("pk", filter=CONTEXT & Q(saved_cost=None)),
    "recalls": Count("pk", filter=Q(kind=LedgerKind.RECALL)),
    "recalled": Sum("sent_tokens", filter=Q(kind=LedgerKind.RECALL), default=0),
    "calls": Count("pk", filter=CALL),
    "input": Sum("input_tokens", filter=CALL, default=0),
    "cached": Sum("cached_tokens", filter=CALL, default=0),
    "output": Sum("output_tokens", filter=CALL, default=0),
    "reasoning": Sum("reasoning_tokens", filter=CALL, default=0),
    "cost": Sum("cost", filter=CALL),
    "unpriced_calls": Count("pk", filter=CALL & Q(cost=None)),
    "compared": Count("pk", filter=COMPARED),
    "counted": Sum("counted_tokens", filter=COMPARED, default=0),
    "reported": Sum("input_tokens", filter=COMPARED, default=0),
}
# Where the tokens of an entry come from: a provider, or our own count.
REPORTED, COUNTED = "reported", "counted"
# A sum must not have the name of a column.
NAMED_SUMS = {f"sum_{name}": each for name, each in SUMS.items()}


class By(StrEnum):
    """What can be added up by. A day is one of UTC, by the time of the event."""

    DAY = "day"
    AGENT = "agent"
    METHOD = "method"
    MODEL = "model"


FIELDS = {By.DAY: "day", By.AGENT: "stream__agent_id", By.METHOD: "method", By.MODEL: "model"}


@dataclass(frozen=True, slots=True)
class Filters:
    """What an entry must be to be added up; None lets all through, and the empty text those that name none. The
    `source` is REPORTED or COUNTED."""

    day: date | None = None
    since: date | None = None
    until: date | None = None
    agent: str | None = None
    method: str | None = None
    model: str | None = None
    run: str | None = None
    kind: str | None = None
    source: str | None = None

    @property
    def query(self) -> dict[str, str]:
        """The filters that are set, as parameters of an address."""
        values = ((each.name, getattr(self, each.name)) for each in fields(self))
        return {name: str(value) for name, value in values if value is not None}

    def narrowed(self, by: By, key: Any) -> "Filters":
        """Those of one row of a sum by this."""
        return replace(self, **{by.value: key})


@dataclass(frozen=True, slots=True)
class Sums:
    """Tokens, and money in US dollars: None where no price is known, and only of what has one otherwise.

    `contexts` have `raw`, `sent` and `saved` tokens; `calls` have what models read and answered. They are not to be
    added to each other: what is sent in a context is read by a model. `counted` is our count of the input of `compared`
    calls, of which the provider `reported` so much.
    """

    contexts: int
    raw: int
    sent: int
    saved: int
    saved_cost: Decimal | None
    unpriced_contexts: int
    recalls: int
    recalled: int
    calls: int
    input: int
    cached: int
    output: int
    reasoning: int
    cost: Decimal | None
    unpriced_calls: int
    compared: int
    counted: int
    reported: int

    @property
    def saved_share(self) -> float | None:
        """Of what there was, how much was not sent; None where there was nothing."""
        return self.saved / self.raw if self.raw else None

    @property
    def deviation(self) -> float | None:
        """How far our count lies above what providers reported, as a share of that; None where nothing can be
        compared."""
        return (self.counted - self.reported) / self.reported if self.reported else None


@dataclass(frozen=True, slots=True)
class Row:
    """The sums of one day, agent, method or model; the key is empty where entries name none."""

    key: Any
    sums: Sums


def parse(query: Mapping[str, str]) -> Filters:
    """Filters from the parameters of an address; others are passed over.

    Raises:
        Invalid: a day is none, or the source neither REPORTED nor COUNTED.
    """
    if query.get("source") and query["source"] not in (REPORTED, COUNTED):
        raise Invalid(f"source must be {REPORTED} or {COUNTED}.")
    days = {name: _day(name, query[name]) for name in ("day", "since", "until") if query.get(name)}
    texts = {name: query[name] for name in ("agent", "method", "model") if name in query}
    named = {name: query[name] for name in ("run", "kind", "source") if query.get(name)}
    return Filters(**days, **texts, **named)  # type: ignore[arg-type]


def totals(filters: Filters) -> Sums:
    """The sums over all entries that the filters let through."""
    return _sums(entries(filters).order_by().aggregate(**NAMED_SUMS))


def rows(by: By, filters: Filters) -> list[Row]:
    """The sums of each day (the first one first), agent, method or model (the one that saved most first)."""
    name = FIELDS[by]
    found = entries(filters).annotate(day=_in_utc()) if by == By.DAY else entries(filters)
    summed = found.values(name).annotate(**NAMED_SUMS)
    ordered = summed.order_by(name) if by == By.DAY else summed.order_by("-sum_saved", "-sum_input", name)
    return [Row(each.pop(name), _sums(each)) for each in ordered]


def entries(filters: Filters) -> "QuerySet[LedgerEntry]":
    """The entries that are added up, the newest event first."""
    if any("\x00" in text for text in filters.query.values()):
        return LedgerEntry.objects.none()  # PostgreSQL holds no text with a NUL, and refuses to look for one
    found = LedgerEntry.objects.exclude(kind=LedgerKind.REQUEST).order_by("-occurred_at", "-pk")
    if filters.day:
        found = found.filter(occurred_at__gte=_begin(filters.day), occurred_at__lt=_begin(filters.day + ONE_DAY))
    if filters.since:
        found = found.filter(occurred_at__gte=_begin(filters.since))
    if filters.until:
        found = found.filter(occurred_at__lt=_begin(filters.until + ONE_DAY))
    wanted = {
        "stream__agent_id": filters.agent,
        "method": filters.method,
        "model": filters.model,
        "stream__name": filters.run,
        "kind": filters.kind,
        "is_reported": None if filters.source is None else filters.source == REPORTED,
    }
    return found.filter(**{name: value for name, value in wanted.items() if value is not None})


ONE_DAY = timedelta(days=1)


def _sums(named: Mapping[str, Any]) -> Sums:
    return Sums(**{name: named[f"sum_{name}"] for name in SUMS})


def _in_utc() -> Any:
    return TruncDate(F("occurred_at"), tzinfo=UTC)


def _begin(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _day(name: str, text: str) -> date:
    try:
        day = date.fromisoformat(text if text.isascii() else "")
    except ValueError:
        day = date.min
    if not date(2, 1, 1) <= day < date(9998, 12, 31):
        raise Invalid(f"{name} must be a day like 2026-05-01.")
    return day

"""What contexts saved, over time and by agent, method and model; and the events that each sum is made of."""

from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from dashboard import savings as shown
from dashboard.access import member_required
from dashboard.charts.savings import raw_against_sent
from memory.errors import Invalid
from memory.tokens import savings
from memory.tokens.savings import By, Filters

PAGE_SIZE = 100
# Days that one can choose to look back; any other can stand in the address.
SPANS = (7, 30, 90)


@member_required
def overview(request: HttpRequest) -> HttpResponse:
    """Sums over what the address lets through."""
    filters = _filters(request)
    path = reverse("dashboard:savings")
    days = savings.rows(By.DAY, filters)
    sums = savings.totals(filters)
    tables = [
        (shown.TITLES[by], by, [shown.of_row(by, row, filters) for row in savings.rows(by, filters)])
        for by in (By.AGENT, By.METHOD, By.MODEL)
    ]
    context = {
        "whole": shown.whole(sums, filters),
        "deviation": shown.deviation(sums),
        "days": [shown.of_row(By.DAY, row, filters) for row in reversed(days)],
        "tables": tables,
        "figure": raw_against_sent(days),
        "chips": shown.chips(filters, path),
        "spans": _spans(filters, path),
    }
    return render(request, "dashboard/savings/overview.html", context)


@member_required
def events(request: HttpRequest) -> HttpResponse:
    """The entries that a sum is made of, each with its event."""
    filters = _filters(request)
    before = request.GET.get("before", "")
    found = savings.entries(filters).order_by("-pk").select_related("stream")
    if before.isascii() and before.isdecimal() and len(before) < 19:
        found = found.filter(pk__lt=int(before))
    page = list(found[: PAGE_SIZE + 1])
    more, page = len(page) > PAGE_SIZE, page[:PAGE_SIZE]
    path = reverse("dashboard:savings_events")
    context = {
        "whole": shown.whole(savings.totals(filters), filters),
        "entries": [shown.entry(row) for row in page],
        "chips": shown.chips(filters, path),
        "is_first": not before,
        "first_url": f"{path}?{urlencode(filters.query)}",
        "next_url": f"{path}?{urlencode({**filters.query, 'before': page[-1].pk})}" if more else "",
    }
    return render(request, "dashboard/savings/events.html", context)


def _filters(request: HttpRequest) -> Filters:
    try:
        return savings.parse(request.GET.dict())
    except Invalid as error:
        raise Http404(error.detail) from error


def _spans(filters: Filters, path: str) -> list[dict[str, Any]]:
    """Links to the last days, and to all."""
    rest = {name: value for name, value in filters.query.items() if name not in ("since", "until", "day")}
    today = datetime.now(UTC).date()
    begins = [(f"{days} days", (today - timedelta(days=days - 1)).isoformat()) for days in SPANS]
    return [
        {
            "label": label,
            "url": f"{path}?{urlencode({**rest, **({'since': since} if since else {})})}".rstrip("?"),
            "is_chosen": filters.query.get("since", "") == since,
        }
        for label, since in (*begins, ("all", ""))
    ]

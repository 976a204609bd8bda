"""The list of runs, with its filters in the URL."""

from datetime import UTC, datetime, timedelta

from django.db import OperationalError, connection, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from dashboard import runs
from dashboard.access import member_required
from dashboard.pages import Page, page
from memory.models import Segment, Stream

FILTERS = ("q", "agent", "outcome", "type", "since")
SPANS = {"1h": timedelta(hours=1), "24h": timedelta(days=1), "7d": timedelta(days=7), "30d": timedelta(days=30)}
# A text that is nowhere makes PostgreSQL read every payload: it must not take a connection for minutes.
SEARCH_MILLISECONDS = 8000


@member_required
def runs_list(request: HttpRequest) -> HttpResponse:
    """Runs, the most recently active first."""
    filters = {name: request.GET.get(name, "").strip().replace("\x00", "") for name in FILTERS}
    found = Stream.objects.matching(filters["agent"], filters["outcome"], filters["type"], filters["q"])
    if filters["since"] in SPANS:
        found = found.active_since(datetime.now(UTC) - SPANS[filters["since"]])
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT set_config('statement_timeout', %s, true)", [str(SEARCH_MILLISECONDS)])
            shown, is_too_slow = page(found, {**filters, **request.GET.dict()}), False
    except OperationalError:
        shown, is_too_slow = Page([], None, None), True
    address = reverse("dashboard:runs")
    context = {
        "runs": [runs.of(stream) for stream in shown.streams],
        "filters": filters,
        "is_too_slow": is_too_slow,
        "has_archive": Segment.objects.kept().exists(),
        "agents": Stream.objects.agents(),
        "types": Stream.objects.types(),
        "previous_url": shown.previous_query and f"{address}?{shown.previous_query}",
        "next_url": shown.next_query and f"{address}?{shown.next_query}",
    }
    is_fragment = request.headers.get("HX-Request") and not request.headers.get("HX-History-Restore-Request")
    return render(request, "dashboard/runs/list.html#results" if is_fragment else "dashboard/runs/list.html", context)

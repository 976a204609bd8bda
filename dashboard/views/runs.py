"""The list of runs, with its filters in the URL."""

from datetime import UTC, datetime, timedelta

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from dashboard import runs
from dashboard.access import member_required
from dashboard.pages import Page, page
from memory.deadline import bounded
from memory.errors import Unavailable
from memory.models import Segment, Stream, Verification
from memory.models.stream import SEARCH_SECONDS

FILTERS = ("q", "agent", "outcome", "type", "since")
SPANS = {"1h": timedelta(hours=1), "24h": timedelta(days=1), "7d": timedelta(days=7), "30d": timedelta(days=30)}


@member_required
def runs_list(request: HttpRequest) -> HttpResponse:
    """Runs, the most recently active first."""
    filters = {name: request.GET.get(name, "").strip().replace("\x00", "") for name in FILTERS}
    found = Stream.objects.matching(filters["agent"], filters["outcome"], filters["type"], filters["q"])
    if filters["since"] in SPANS:
        found = found.active_since(datetime.now(UTC) - SPANS[filters["since"]])
    try:
        with bounded(SEARCH_SECONDS, "The search"):
            shown, is_too_slow = page(found, {**filters, **request.GET.dict()}), False
    except Unavailable:
        shown, is_too_slow = Page([], None, None), True
    faults = Verification.objects.faults_of(shown.streams)
    address = reverse("dashboard:runs")
    context = {
        "runs": [runs.of(stream, faults.get(stream.pk, 0)) for stream in shown.streams],
        "filters": filters,
        "is_too_slow": is_too_slow,
        "has_archive": Segment.objects.kept().exists(),
        "previous_url": shown.previous_query and f"{address}?{shown.previous_query}",
        "next_url": shown.next_query and f"{address}?{shown.next_query}",
    }
    if request.headers.get("HX-Request"):
        return render(request, "dashboard/runs/list.html#results", context)
    context |= {"agents": Stream.objects.agents(), "types": Stream.objects.types()}
    return render(request, "dashboard/runs/list.html", context)

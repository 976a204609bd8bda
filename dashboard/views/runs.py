"""The list of runs, with its filters in the URL, and the views of it that a member has saved."""

from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from dashboard import run_query, runs
from dashboard.access import member_required
from dashboard.pages import Page, page
from dashboard.run_query import EXAMPLES, RunQuery
from memory.deadline import bounded
from memory.errors import Unavailable
from memory.models import SavedView, Segment, Stream, Verification
from memory.models.saved_view import MOST_VIEWS, VIEW_NAME_LENGTH, VIEW_QUERY_LENGTH
from memory.models.stream import SEARCH_SECONDS, StreamQuerySet
from memory.tenancy import current_tenant_id

FILTERS = ("q", "agent", "outcome", "type", "since")
SPANS = {"1h": timedelta(hours=1), "24h": timedelta(days=1), "7d": timedelta(days=7), "30d": timedelta(days=30)}


@member_required
def runs_list(request: Any) -> HttpResponse:
    """Runs, the most recently active first."""
    filters = {name: request.GET.get(name, "").strip().replace("\x00", "") for name in FILTERS}
    asked = run_query.parse(filters["q"])
    try:
        with bounded(SEARCH_SECONDS, "The search"):
            shown, is_too_slow = page(_found(filters, asked), {**filters, **request.GET.dict()}), False
    except Unavailable:
        shown, is_too_slow = Page([], None, None), True
    faults = Verification.objects.faults_of(shown.streams)
    address = reverse("dashboard:runs")
    context = {
        "runs": [runs.of(stream, faults.get(stream.pk, 0)) for stream in shown.streams],
        "filters": filters,
        "query": urlencode({name: text for name, text in filters.items() if text}),
        "query_faults": asked.faults,
        "is_first_page": shown.previous_query is None,
        "is_too_slow": is_too_slow,
        "has_archive": Segment.objects.kept().exists(),
        "previous_url": shown.previous_query and f"{address}?{shown.previous_query}",
        "next_url": shown.next_query and f"{address}?{shown.next_query}",
    }
    if request.headers.get("HX-Request"):
        return render(request, "dashboard/runs/list.html#results", context)
    context |= {
        "agents": Stream.objects.agents(),
        "types": Stream.objects.types(),
        "examples": EXAMPLES,
        "views": SavedView.objects.filter(user_id=request.user.pk)[:MOST_VIEWS],
    }
    return render(request, "dashboard/runs/list.html", context)


@require_POST
@member_required
def save_view(request: Any) -> HttpResponse:
    """Save the list as it is shown, under a name; one of the same name is replaced."""
    name = request.POST.get("name", "").strip()
    query = request.POST.get("query", "")
    back = f"{reverse('dashboard:runs')}?{query}" if query else reverse("dashboard:runs")
    if not name or len(name) > VIEW_NAME_LENGTH or "\x00" in name or len(query) > VIEW_QUERY_LENGTH or "\x00" in query:
        messages.error(request, f"A view needs a name of at most {VIEW_NAME_LENGTH} characters. Nothing was saved.")
        return redirect(reverse("dashboard:runs"))
    own = SavedView.objects.filter(user_id=request.user.pk)
    if own.exclude(name=name).count() >= MOST_VIEWS:
        messages.error(request, f"You have {MOST_VIEWS} views already. Delete one to save another.")
        return redirect(back)
    made = SavedView(
        tenant_id=current_tenant_id(), user=request.user, name=name, query=query, created_at=datetime.now(UTC)
    )
    SavedView.objects.bulk_create(
        [made],
        update_conflicts=True,
        unique_fields=["tenant", "user", "name"],
        update_fields=["query", "created_at"],
    )
    messages.success(request, f"Saved as {name}.")
    return redirect(back)


@require_POST
@member_required
def delete_view(request: Any, view_id: int) -> HttpResponse:
    """Delete a saved view of one's own; the list stays, and so do the runs."""
    SavedView.objects.filter(user_id=request.user.pk, pk=view_id).delete()
    return redirect(reverse("dashboard:runs"))


def _found(filters: dict[str, str], asked: RunQuery) -> StreamQuerySet:
    """The runs that the form's fields and the keys of its text let through, both."""
    found = Stream.objects.matching(filters["agent"], filters["outcome"], filters["type"])
    found = found.matching(asked.agent, asked.outcome, asked.type, asked.text, asked.user, asked.tag)
    events, tokens = (asked.events.least, asked.events.most), (asked.tokens.least, asked.tokens.most)
    found = found.measuring(events, tokens, asked.error)
    now = datetime.now(UTC)
    for span in (SPANS.get(filters["since"]), asked.since):
        if span is not None:
            found = found.active_since(now - span)
    return found

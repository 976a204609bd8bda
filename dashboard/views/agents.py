"""The list of agents: how each is, and where it worked last."""

from datetime import UTC, datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from dashboard import agents
from dashboard.access import member_required
from dashboard.listing import listing
from memory import conf
from memory.flight.health import span


@member_required
def agents_list(request: HttpRequest) -> HttpResponse:
    """A page of agents, those in trouble first."""
    now = datetime.now(UTC)
    listed = listing(agents.troubled_first(now), request.GET.dict())
    context = {
        "listing": listed,
        "agents": agents.shown(listed.rows, now),
        "address": reverse("dashboard:agents"),
        "flapping_span": span(conf.value("ARES_FLAPPING_SECONDS")),
    }
    return render(request, "dashboard/agents/list.html", context)

"""The list of agents: how each is, and where it worked last."""

from datetime import UTC, datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from dashboard import agents
from dashboard.access import member_required
from memory import conf
from memory.flight.health import span


@member_required
def agents_list(request: HttpRequest) -> HttpResponse:
    """Agents, those in trouble first."""
    context = {
        "agents": agents.shown(datetime.now(UTC)),
        "flapping_span": span(conf.value("ARES_FLAPPING_SECONDS")),
    }
    return render(request, "dashboard/agents/list.html", context)

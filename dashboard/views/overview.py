"""The overview: what is running, what failed, what happened last, what memory made of it."""

from datetime import UTC, datetime
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render

from dashboard import agents, runs, today
from dashboard.access import may, member_required
from memory.models import Stream
from memory.permissions import Permission
from memory.vocabulary import Outcome

LISTED = 8


@member_required
def overview(request: Any) -> HttpResponse:
    """The first page after the log-in; its content alone where it keeps itself new."""
    now = datetime.now(UTC)
    recent = Stream.objects.newest_first()
    everyone = agents.troubled_first(now)
    is_operator = may(request, Permission.OPERATE)
    context = {
        "is_empty": not recent.exists(),
        "readouts": today.readouts(now, everyone, is_operator=is_operator),
        "running": [runs.of(stream) for stream in recent.filter(outcome=Outcome.RUNNING)[:LISTED]],
        "failures": [runs.of(stream) for stream in recent.filter(outcome=Outcome.FAILED)[:LISTED]],
        "agents_in_trouble": agents.shown([agent for agent in everyone if agents.is_trouble(agent)][:LISTED], now),
        "recent": [runs.of(stream) for stream in recent[:LISTED]],
    }
    part = "#results" if request.headers.get("HX-Request") else ""
    return render(request, f"dashboard/overview.html{part}", context)

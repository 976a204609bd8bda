"""The overview: what is running, what failed, what happened last."""

from datetime import UTC, datetime, timedelta

from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from dashboard import agents, runs
from dashboard.access import member_required
from memory.events import history
from memory.models import Stream
from memory.vocabulary import Outcome

LISTED = 8


@member_required
def overview(request: HttpRequest) -> HttpResponse:
    """The first page after the log-in."""
    now = datetime.now(UTC)
    a_day_ago = now - timedelta(days=1)
    everyone = agents.troubled_first(now)
    recent = Stream.objects.newest_first()
    running = recent.filter(outcome=Outcome.RUNNING)
    failed = recent.filter(outcome=Outcome.FAILED)
    counts = Stream.objects.aggregate(
        runs_total=Count("pk"),
        running=Count("pk", filter=Q(outcome=Outcome.RUNNING)),
        failed_today=Count("pk", filter=Q(outcome=Outcome.FAILED, last_event_at__gte=a_day_ago)),
    )
    counts["events_today"] = history.count_since(a_day_ago)
    context = {
        "counts": counts,
        "running": [runs.of(stream) for stream in running[:LISTED]],
        "failures": [runs.of(stream) for stream in failed[:LISTED]],
        "agents_in_trouble": agents.shown([agent for agent in everyone if agents.is_trouble(agent)][:LISTED], now),
        "recent": [runs.of(stream) for stream in recent[:LISTED]],
    }
    return render(request, "dashboard/overview.html", context)

"""Memory as a funnel that one can walk down: its layers, the sessions and tasks in the upper ones, what was decided."""

from datetime import UTC, datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from dashboard import consolidated, decided, experience_map, funnel, layered
from dashboard.access import member_required
from dashboard.listing import given, listing
from memory import jobs
from memory.layers import experience_map as experience_maps
from memory.vocabulary import Action

SESSION_FILTERS = ("q", "state")
TASK_FILTERS = ("q", "status", "path")
DECISION_FILTERS = ("q", "action", "rule")


@member_required
def memory(request: HttpRequest) -> HttpResponse:
    """The three layers, and what was dropped between them and why."""
    now = datetime.now(UTC)
    layers = funnel.layers(now)
    reasons = funnel.reasons(now)
    refined = funnel.refined()
    context = {
        "session": layers[0],
        "task": layers[1],
        "experience": layers[2],
        "slabs": funnel.slabs(refined["input_tokens"], layers[2].facts["tokens"]),
        "is_empty": not any(layer.count for layer in layers) and not refined["runs"],
        "refined": refined,
        "kept": funnel.kept(reasons),
        "dropped": funnel.dropped(reasons),
        "consolidated": consolidated.newest(),
    }
    return render(request, "dashboard/memory/layers.html", context)


@member_required
def sessions(request: HttpRequest) -> HttpResponse:
    """Conversations, the one that was active last first."""
    now = datetime.now(UTC)
    filters = given(request.GET.dict(), SESSION_FILTERS)
    page = listing(layered.sessions(now, filters["q"], filters["state"]), request.GET.dict())
    context = {
        "listing": page,
        "sessions": layered.shown_sessions(page.rows, now),
        "filters": filters,
        "address": reverse("dashboard:memory_sessions"),
    }
    return _page_or_results(request, "dashboard/memory/sessions.html", context)


@member_required
def tasks(request: HttpRequest) -> HttpResponse:
    """Tasks, the one that changed last first, with the path that each took and why."""
    filters = given(request.GET.dict(), TASK_FILTERS)
    page = listing(layered.tasks(filters["q"], filters["status"], filters["path"]), request.GET.dict())
    context = {
        "listing": page,
        "tasks": layered.shown_tasks(page.rows),
        "filters": filters,
        "address": reverse("dashboard:memory_tasks"),
    }
    return _page_or_results(request, "dashboard/memory/tasks.html", context)


@member_required
def decisions(request: HttpRequest) -> HttpResponse:
    """What was decided about candidates, the newest first."""
    filters = given(request.GET.dict(), DECISION_FILTERS)
    page = listing(decided.matching(filters["action"], filters["rule"], filters["q"]), request.GET.dict())
    context = {
        "listing": page,
        "decisions": decided.shown(page.rows),
        "filters": filters,
        "address": reverse("dashboard:decisions"),
        "actions": [str(action) for action in Action],
    }
    if not request.headers.get("HX-Request"):
        context["rules"] = decided.rules()
    return _page_or_results(request, "dashboard/memory/decisions.html", context)


@member_required
def map_of_experiences(request: Any) -> HttpResponse:
    """Experiences in a plane. Where memory has changed since the map was drawn, a worker is asked for a new one."""
    if request.headers.get("HX-Request"):
        drawn = experience_maps.current()
        standing = {"drawn": drawn, "is_stale": experience_maps.is_stale(drawn), "is_news": True}
        return render(request, "dashboard/memory/map.html#standing", standing)
    context = experience_map.context()
    if context["is_stale"]:
        jobs.enqueue(jobs.draw_map, request.membership.tenant_id)
    return render(request, "dashboard/memory/map.html", context)


def _page_or_results(request: HttpRequest, template: str, context: dict[str, object]) -> HttpResponse:
    return render(request, f"{template}#results" if request.headers.get("HX-Request") else template, context)

"""Distilled memory: the list with its filters in the URL, what waits in quarantine, and one experience."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from dashboard import experience_page, experiences
from dashboard.access import member_required
from dashboard.listing import given, listing
from memory.models import Experience
from memory.vocabulary import ExperienceStatus, Kind, Method, WorkStatus

COLUMNS = (
    ("", "Experience", False),
    ("", "Kind and method", False),
    ("confidence", "Confidence", False),
    ("uses", "Used", True),
    ("sources", "Sources", True),
    ("tokens", "Tokens", True),
    ("updated", "Changed", True),
)


@member_required
def experiences_list(request: HttpRequest) -> HttpResponse:
    """Experiences; the active ones, the one that changed last first, unless asked for otherwise."""
    filters = given(request.GET.dict(), experiences.FILTERS)
    page = listing(experiences.matching(filters), request.GET.dict())
    context: dict[str, Any] = {
        "listing": page,
        "experiences": experiences.shown(page.rows),
        "columns": experiences.columns(filters, COLUMNS),
        "filters": filters,
        "is_filtered": any(text for name, text in filters.items() if name != "sort"),
        "address": reverse("dashboard:experiences"),
    }
    if request.headers.get("HX-Request"):
        return render(request, "dashboard/experiences/list.html#results", context)
    context |= {
        "has_any": Experience.objects.exists(),
        "owners": experiences.owners(),
        "kinds": [str(kind) for kind in Kind],
        "methods": [str(method) for method in Method],
        "statuses": [str(status) for status in ExperienceStatus if status != ExperienceStatus.ACTIVE],
        "embeddings": [str(status) for status in WorkStatus],
    }
    return render(request, "dashboard/experiences/list.html", context)


@member_required
def quarantine(request: HttpRequest) -> HttpResponse:
    """What waits for an operator's decision, the one that waits longest first."""
    waiting = experiences.matching({"status": ExperienceStatus.QUARANTINED, "sort": "-created"})
    page = listing(waiting, request.GET.dict())
    context = {
        "listing": page,
        "waiting": experience_page.waiting(page.rows),
        "address": reverse("dashboard:quarantine"),
    }
    return render(request, "dashboard/experiences/quarantine.html", context)


@member_required
def experience(request: HttpRequest, experience_id: str) -> HttpResponse:
    """One experience: its text, where it came from, what was decided about it, and what may be done with it."""
    found = Experience.objects.with_id(experience_id)
    return render(request, "dashboard/experiences/detail.html", experience_page.context(found))

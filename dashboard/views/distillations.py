"""Distillations: the list, and each as a picture of what became of the messages."""

from datetime import UTC, datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from dashboard import distillation_page, distillations
from dashboard.access import member_required
from dashboard.listing import given, listing
from memory.models import Distillation
from memory.vocabulary import DistillationMode, WorkStatus

FILTERS = ("q", "status", "mode", "kind")


@member_required
def distillations_list(request: HttpRequest) -> HttpResponse:
    """Distillations, the newest first. While one of those shown is under way, the list asks again by itself."""
    filters = given(request.GET.dict(), FILTERS)
    page = listing(distillations.matching(*(filters[name] for name in FILTERS)), request.GET.dict())
    shown = distillations.shown(page.rows, datetime.now(UTC))
    context = {
        "listing": page,
        "distillations": shown,
        "is_under_way": any(one.is_under_way for one in shown),
        "filters": filters,
        "address": reverse("dashboard:distillations"),
        "here_url": request.get_full_path(),
        "statuses": [str(status) for status in WorkStatus],
        "modes": [str(mode) for mode in DistillationMode],
    }
    part = "#results" if request.headers.get("HX-Request") else ""
    return render(request, f"dashboard/distillations/list.html{part}", context)


@member_required
def distillation(request: HttpRequest, distillation_id: str) -> HttpResponse:
    """One distillation. While it is under way, the page asks again by itself and is given what is there."""
    found = Distillation.objects.with_id(distillation_id)
    context = distillation_page.context(found, request.GET.dict(), datetime.now(UTC))
    part = "#whole" if request.headers.get("HX-Request") else ""
    return render(request, f"dashboard/distillations/detail.html{part}", context)

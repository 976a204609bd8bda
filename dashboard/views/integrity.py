"""Integrity: whether what is recorded is still as it was recorded, of all runs and of one."""

from typing import Any

from django.contrib import messages
from django.db.models import Count, Max, Q
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from dashboard import runs
from dashboard.access import member_required, permitted
from memory import conf, jobs
from memory.events import verification
from memory.models import Finding, Stream, Verification
from memory.permissions import Permission

LISTED = 200


@member_required
def integrity(request: HttpRequest) -> HttpResponse:
    """What the last verification of each run found; `?run=` shows one run's findings."""
    name = request.GET.get("run", "")
    chosen = Stream.objects.named(name) if name else None
    findings = Finding.objects.in_stream(chosen) if chosen else Finding.objects.newest_first()
    shown = list(findings.select_related("stream")[:LISTED])
    counts = Stream.objects.aggregate(
        runs_total=Count("pk"),
        never=Count("pk", filter=Q(verification=None)),
        faulty=Count("pk", filter=Q(verification__faults__gt=0)),
        last_at=Max("verification__verified_at"),
    )
    counts["verified"] = counts["runs_total"] - counts["never"]
    context = {
        "counts": counts,
        "run": runs.of(chosen) if chosen else None,
        "findings": [_finding(found) for found in shown],
        "more": Verification.objects.faults_in(chosen) - len(shown),
        "hours": conf.value("ARES_VERIFY_HOURS"),
    }
    return render(request, "dashboard/integrity.html", context)


@require_POST
@permitted(Permission.VERIFY)
def verify_run(request: Any, name: str) -> HttpResponseBase:
    """Verify a run: now, or by the worker if it is long."""
    stream = Stream.objects.named(name)
    if stream.version > conf.value("ARES_VERIFY_AT_ONCE"):
        jobs.enqueue(jobs.verify_stream, stream.tenant_id, stream.pk)
        messages.info(request, f"A run of {stream.version:,} events is verified by the worker. Look again in a moment.")
    else:
        _tell(request, verification.verify(stream))
    at = request.POST.get("at", "")
    address = reverse("dashboard:run", args=[stream.name])
    return redirect(f"{address}?at={at}" if at.isascii() and at.isdecimal() and len(at) < 19 else address)


def _tell(request: HttpRequest, result: Verification) -> None:
    if result.faults:
        faults = "1 fault" if result.faults == 1 else f"{result.faults:,} faults"
        messages.error(request, f"This run is not as it was recorded: {faults}.")
    else:
        messages.success(request, f"All {result.version:,} events are as they were recorded.")


def _finding(found: Finding) -> dict[str, Any]:
    """A row of the table; the link leads to the event, or to the nearest one where it is missing."""
    return {
        "run": runs.of(found.stream),
        "version": found.version,
        "fault": found.fault.replace("-", " "),
        "detail": found.detail,
        "found_at": found.found_at,
    }

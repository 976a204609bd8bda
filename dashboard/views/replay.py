"""The replay: a run step by step. One page, and the fragments that it fetches while the viewer moves."""

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone

from dashboard import experience_page, formats, readable, runs
from dashboard.access import may, member_required
from memory.errors import Gone, NotFound
from memory.events import history
from memory.events.state import state_at
from memory.flight import agents, crash, timeline
from memory.models import Session, Stream, Verification
from memory.permissions import Permission

WINDOW = 100


@member_required
def run(request: Any, name: str) -> HttpResponse:
    """The page at the step that `?at=` names, the last one without it; for a page that is open, its head anew."""
    stream = Stream.objects.named(name)
    version = _number(request.GET.get("at"), stream.version)
    version = min(max(version, 1), stream.version)
    context: dict[str, Any] = {
        "run": runs.of(stream),
        "version": version,
        "is_live": runs.is_live(stream, timezone.now()),
        "verification": Verification.objects.of(stream),
        "may_verify": may(request, Permission.VERIFY),
        "has_session": Session.objects.filter(pk=stream.name).exists(),
        "has_crash_story": crash.has_story(stream, agents.health_of_run(stream, timezone.now())),
        "archived_events": history.archived(stream),
        "dropped": history.dropped(stream),
    }
    if request.headers.get("HX-Request"):
        return render(request, "dashboard/runs/detail.html#head", context)
    if stream.version:
        context |= {"rows": _rows(stream, *_around(stream, version)), **_step(stream, version)}
    return render(request, "dashboard/runs/detail.html", context)


@member_required
def run_strip(request: HttpRequest, name: str) -> JsonResponse:
    """`{version, families, errors}`: a letter per event, and the versions of errors."""
    stream = Stream.objects.named(name)
    families, errors = timeline.letters(stream)
    return JsonResponse({"version": len(families), "families": families, "errors": errors})


@member_required
def run_timeline(request: HttpRequest, name: str) -> HttpResponse:
    """Rows of the timeline: up to a hundred `after`, `before` or `around` a version."""
    stream = Stream.objects.named(name)
    if "after" in request.GET:
        first = _number(request.GET["after"], 0) + 1
        last = first + WINDOW - 1
    elif "before" in request.GET:
        last = _number(request.GET["before"], 1) - 1
        first = last - WINDOW + 1
    else:
        first, last = _around(stream, _number(request.GET.get("around"), stream.version))
    context = {"run": runs.of(stream), "rows": _rows(stream, first, last), "version": None}
    return render(request, "dashboard/runs/timeline.html#rows", context)


@member_required
def run_step(request: HttpRequest, name: str, version: int) -> HttpResponse:
    """One event and the state after it."""
    stream = Stream.objects.named(name)
    context = {"run": runs.of(stream), **_step(stream, version)}
    return render(request, context["step_template"], context)


@member_required
def run_payload(request: HttpRequest, name: str, version: int) -> HttpResponse:
    """An event's whole payload, as JSON and nothing else."""
    found = history.read(Stream.objects.named(name), version, version)
    if not found:
        raise NotFound(f"Run {name} has no event {version}.")
    return HttpResponse(found[0].payload_json, content_type="application/json")


def _step(stream: Stream, version: int) -> dict[str, Any]:
    try:
        state = readable.state_context(state_at(stream, version))
    except Gone:
        state = None
    try:
        found = history.read(stream, version, version)
    except Gone as gone:
        return {
            "step_template": "dashboard/runs/gone.html",
            "event": {"version": version},
            "gone": gone,
            "state": state,
        }
    if not found:
        raise NotFound(f"Run {stream.name} has no event {version}.")
    event = found[0]
    cause = history.find([event.causation_id]).get(event.causation_id) if event.causation_id else None
    return {
        "step_template": "dashboard/runs/step.html",
        "event": readable.event_context(event, cause),
        "state": state,
        "experiences": experience_page.from_step(stream.name, version),
    }


def _around(stream: Stream, version: int) -> tuple[int, int]:
    """The first and last version of a window around a version."""
    first = max(1, min(version - WINDOW // 2, stream.version - WINDOW + 1))
    return first, first + WINDOW - 1


def _rows(stream: Stream, first: int, last: int) -> list[dict[str, Any]]:
    return [
        {
            "version": row.version,
            "family": row.family,
            "is_error": row.is_error,
            "kind": row.kind,
            "name": row.name,
            "role": row.role,
            "summary": "(erased)" if row.is_erased else row.summary,
            "tokens": (row.input_tokens or 0) + (row.output_tokens or 0),
            "duration": formats.milliseconds(row.duration_ms),
            "offset": formats.offset(row.offset),
        }
        for row in timeline.window(stream, first, last)
    ]


def _number(text: str | None, default: int) -> int:
    """A version from the URL; the default for what is none."""
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 19 else default

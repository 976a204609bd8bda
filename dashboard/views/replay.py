"""The replay: a run step by step. One page, and the fragments that it fetches while the viewer moves."""

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from dashboard import experience_page, formats, panels, readable, runs
from dashboard.access import may, member_required, permitted
from memory import limits
from memory.errors import Conflict, Gone, Invalid, NotFound
from memory.events import history
from memory.flight import agents, crash, fork, notes, timeline
from memory.models import Hint, Session, Stream, Verification
from memory.permissions import Permission

WINDOW = 100
MOST_FORKS = 20


@member_required
def run(request: Any, name: str) -> HttpResponse:
    """The page at the step that `?at=` names, the last one without it; for a page that is open, its head anew."""
    stream = Stream.objects.named(name)
    return _page(request, stream, _number(request.GET.get("at"), stream.version), {})


def _page(request: Any, stream: Stream, version: int, refused: dict[str, str]) -> HttpResponse:
    version = min(max(version, 1), stream.version)
    context: dict[str, Any] = {
        **refused,
        "run": runs.of(stream),
        "version": version,
        "is_live": runs.is_live(stream, timezone.now()),
        "verification": Verification.objects.of(stream),
        "may_verify": may(request, Permission.VERIFY),
        "has_session": Session.objects.filter(pk=stream.name).exists(),
        "has_crash_story": crash.has_story(stream, agents.health_of_run(stream, timezone.now())),
        "archived_events": history.archived(stream),
        "dropped": history.dropped(stream),
        "hint_count": Hint.objects.in_stream(stream).not_of(limits.names("ARES_HINTS_OFF")).count(),
        "forks": list(Stream.objects.forks_of(stream.name)[:MOST_FORKS]),
    }
    if request.headers.get("HX-Request"):
        return render(request, "dashboard/runs/detail.html#head", context)
    if stream.version:
        context |= {"rows": _rows(stream, *_around(stream, version)), **_step(request, stream, version)}
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
    context = {"run": runs.of(stream), **_step(request, stream, version)}
    return render(request, context["step_template"], context)


@member_required
def run_payload(request: HttpRequest, name: str, version: int) -> HttpResponse:
    """An event's whole payload, as JSON and nothing else."""
    found = history.read(Stream.objects.named(name), version, version)
    if not found:
        raise NotFound(f"Run {name} has no event {version}.")
    return HttpResponse(found[0].payload_json, content_type="application/json")


@member_required
def run_fork(request: HttpRequest, name: str, version: int) -> JsonResponse:
    """What is needed to run on from a step, as a file."""
    told = fork.as_json(fork.fork(Stream.objects.named(name), version))
    answer = JsonResponse(told, json_dumps_params={"ensure_ascii": False, "indent": 2})
    answer["Content-Disposition"] = f'attachment; filename="{told["stream"]}.json"'
    return answer


@require_POST
@permitted(Permission.EDIT)
def add_note(request: Any, name: str, version: int) -> HttpResponse:
    """Write a note to an event. What is refused is given back, to be mended."""
    stream = Stream.objects.named(name)
    text, tags = request.POST.get("text", ""), request.POST.get("tags", "")
    try:
        notes.add(stream, version, text, tags, request.user)
    except (Invalid, Conflict) as error:
        refused = {"note_refusal": error.detail, "note_text": text, "note_tags": tags}
        return _page(request, stream, version, refused)
    return redirect(_address(stream, version))


@require_POST
@permitted(Permission.EDIT)
def delete_note(request: HttpRequest, name: str, version: int, note_id: int) -> HttpResponse:
    """Delete a note."""
    stream = Stream.objects.named(name)
    notes.remove(stream, note_id)
    return redirect(_address(stream, version))


def _address(stream: Stream, version: int) -> str:
    return f"{reverse('dashboard:run', args=[stream.name])}?at={version}"


def _step(request: Any, stream: Stream, version: int) -> dict[str, Any]:
    try:
        found = history.read(stream, version, version)
    except Gone as gone:
        return {
            "step_template": "dashboard/runs/gone.html",
            "event": {"version": version},
            "dropped_before": gone,
            **panels.context(stream, version, request.GET),
        }
    if not found:
        raise NotFound(f"Run {stream.name} has no event {version}.")
    event = found[0]
    cause = history.find([event.causation_id]).get(event.causation_id) if event.causation_id else None
    return {
        "step_template": "dashboard/runs/step.html",
        "event": readable.event_context(event, cause),
        **panels.context(stream, version, request.GET),
        "notes": notes.of_step(stream, version),
        "may_note": may(request, Permission.EDIT),
        "step_url": _address(stream, version),
        "curl": _curl(request, stream, version),
        "experiences": experience_page.from_step(stream.name, version),
    }


def _curl(request: HttpRequest, stream: Stream, version: int) -> str:
    """The command that reads the event by the API."""
    address = request.build_absolute_uri(f"/api/v1/streams/{stream.name}/events?from_version={version}&limit=1")
    return f'curl -H "Authorization: Bearer $ARES_API_KEY" "{address}"'


def _around(stream: Stream, version: int) -> tuple[int, int]:
    """The first and last version of a window around a version."""
    first = max(1, min(version - WINDOW // 2, stream.version - WINDOW + 1))
    return first, first + WINDOW - 1


def _rows(stream: Stream, first: int, last: int) -> list[dict[str, Any]]:
    window = timeline.window(stream, first, last)
    noted = notes.within(stream, [row.version for row in window])
    return [
        {
            "version": row.version,
            "notes": noted[row.version],
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
        for row in window
    ]


def _number(text: str | None, default: int) -> int:
    """A version from the URL; the default for what is none."""
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 19 else default

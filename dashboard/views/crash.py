"""The crash story of a run."""

from datetime import UTC, datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from dashboard import compare, runs
from dashboard.access import member_required
from memory.events import facts
from memory.flight import crash, timeline
from memory.models import Event, Stream


@member_required
def run_crash(request: HttpRequest, name: str) -> HttpResponse:
    """The newest break of a run, or the one at the event that `?break=` names."""
    stream = Stream.objects.named(name)
    asked = request.GET.get("break", "")
    version = int(asked) if asked.isascii() and asked.isdecimal() and len(asked) < 19 else None
    story = crash.story(stream, datetime.now(UTC), version)
    context: dict[str, Any] = {"run": runs.of(stream), "story": story}
    if story:
        context |= {
            "crashed": story.told.crashed and _event(story.told.crashed),
            "last_good": story.last_good and _event(story.last_good),
            "open_things": compare.open_things(story.before),
            "recoveries": [
                {**_event(event), "pairs": compare.proof_pairs(event.payload)} for event in story.told.recoveries
            ],
            "parts": compare.parts(story.sections),
            "differences": sum(section.differences for section in story.sections if section.name != "version"),
        }
    return render(request, "dashboard/runs/crash.html", context)


def _event(event: Event) -> dict[str, Any]:
    return {
        "version": event.version,
        "family": facts.FAMILY_NAMES[facts.family(event.type)],
        "kind": timeline.kind(event.type),
        "name": timeline.name(event.type, event.payload),
        "summary": timeline.summary(event.type, event.payload),
        "at": event.recorded_at,
    }

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

# Of what was open, how much is not folded away.
OPEN_SHOWN = 10


@member_required
def run_crash(request: HttpRequest, name: str) -> HttpResponse:
    """The newest break of a run, or the one at the event that `?break=` names."""
    stream = Stream.objects.named(name)
    asked = request.GET.get("break", "")
    version = int(asked) if asked.isascii() and asked.isdecimal() and len(asked) < 19 else None
    story = crash.story(stream, datetime.now(UTC), version)
    context: dict[str, Any] = {"run": runs.of(stream), "story": story}
    if story:
        work = [section for section in story.sections if section.name not in crash.MARKS]
        marks = [section for section in story.sections if section.name in crash.MARKS]
        open_things = compare.open_things(story.before) if story.before is not None else []
        newest_first = [
            {**_event(event), "pairs": compare.proof_pairs(event.payload)} for event in reversed(story.told.recoveries)
        ]
        context |= {
            "crashed": story.told.crashed and _event(story.told.crashed),
            "last_good": story.last_good and _event(story.last_good),
            "open_things": open_things[:OPEN_SHOWN],
            "more_open_things": open_things[OPEN_SHOWN:],
            "recovery": newest_first[0] if newest_first else None,
            "earlier_recoveries": newest_first[1:],
            "work": compare.parts(work),
            "marks": compare.parts(marks),
            "differences": sum(section.differences for section in work),
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

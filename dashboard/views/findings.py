"""What looks wrong in a run: the steps that most likely decided it, and the hints of the rules."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from dashboard import panels, runs
from dashboard.access import member_required
from memory import limits
from memory.flight import analysis, first_bad_step
from memory.models import Hint, Stream

MOST_HINTS = 200


@member_required
def run_findings(request: HttpRequest, name: str) -> HttpResponse:
    """The suspects, the likeliest first, and the hints in the order of the run."""
    stream = Stream.objects.named(name)
    off = limits.names("ARES_HINTS_OFF")
    progress = analysis.catch_up(stream)
    judged = first_bad_step.judge(stream, off)
    hints = list(Hint.objects.in_stream(stream).not_of(off)[: MOST_HINTS + 1])
    context = {
        "run": runs.of(stream),
        "suspects": [
            {
                "version": suspect.version,
                "speaker": suspect.speaker,
                "reason": suspect.reason,
                "percent": round(suspect.score * 100),
            }
            for suspect in judged.suspects
        ],
        "read_to": judged.read_to,
        "hints": [panels.shown_hint(hint, stream) for hint in hints[:MOST_HINTS]],
        "more": len(hints) > MOST_HINTS,
        "analysed_to": progress.analysed_to,
    }
    return render(request, "dashboard/runs/findings.html", context)

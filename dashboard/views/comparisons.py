"""Two runs of the same task beside each other."""

from typing import Any

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from dashboard import compared, runs
from dashboard.access import member_required
from memory.errors import NotFound
from memory.flight import comparison
from memory.models import Stream

MOST_OTHERS = 20


@member_required
def run_compare(request: HttpRequest, name: str) -> HttpResponse:
    """The run beside the one that `?with=` names, from the line that `?line=` names or where they part; without one,
    runs that it could be compared with."""
    stream = Stream.objects.named(name)
    asked = request.GET.get("with", "").strip()
    context: dict[str, Any] = {"run": runs.of(stream), "with": asked}
    if asked:
        try:
            other = Stream.objects.named(asked)
        except NotFound as error:
            context["refusal"] = str(error)
        else:
            context |= {"other": runs.of(other)}
            context |= compared.context(comparison.compare(stream, other), request.GET.get("line", ""))
    context["others"] = [] if "told" in context else _others(stream)
    return render(request, "dashboard/runs/compare.html", context)


def _others(stream: Stream) -> list[runs.Run]:
    """Runs of the same task: what it was forked from, its forks, those of the same title; then others of its agent."""
    kin = Q(name=stream.forked_from) if stream.forked_from else Q(forked_from=stream.name)
    if stream.title:
        kin |= Q(title=stream.title)
    rest = Stream.objects.exclude(pk=stream.pk).newest_first()
    found = list(rest.filter(kin)[:MOST_OTHERS])
    if stream.agent_id and len(found) < MOST_OTHERS:
        found += rest.filter(agent_id=stream.agent_id).exclude(kin)[: MOST_OTHERS - len(found)]
    return [runs.of(each) for each in found]

"""Searching what was kept, and asking why something was not found."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render

from dashboard import search as page
from dashboard.access import MemberRequest, member_required
from dashboard.search import Asked
from memory.errors import AresError
from memory.retrieval import search, why
from memory.vocabulary import Kind


@member_required
def search_memory(request: MemberRequest) -> HttpResponse:
    """The search, its results and, for one item, why it is not among them. The address holds all of it."""
    asked = page.asked(request.GET.dict())
    context: dict[str, Any] = {
        "asked": asked,
        "asked_fields": asked.fields,
        "sources": page.SOURCES,
        "kinds": [*Kind],
        "limits": page.LIMITS,
        "results": None,
        "problem": "",
    }
    if asked.q:
        context |= _found(asked)
    return render(request, "dashboard/search/page.html", context)


def _found(asked: Asked) -> dict[str, Any]:
    limit = int(asked.limit)
    try:
        found = search.search(asked.q, limit, plan=asked.plan, allowed=asked.filters)
    except AresError as error:
        return {"problem": error.detail}
    context: dict[str, Any] = {"results": page.shown(list(found.hits)), "missing": found.missing}
    if asked.why:
        try:
            explanation = why.explain(asked.why, asked.q, limit, asked.plan, asked.filters)
        except AresError as error:
            return {**context, "why_problem": error.detail}
        context |= {"explanation": explanation, "compared": page.compared(explanation)}
    return context

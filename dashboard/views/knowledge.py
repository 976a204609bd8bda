"""Browsing documents and tools."""

import json
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render

from dashboard.access import MemberRequest, member_required
from dashboard.listing import listing
from memory.models import Knowledge, Passage, Tool
from memory.vocabulary import WorkStatus

Q_MAX_LENGTH = 500


@member_required
def knowledge_list(request: MemberRequest) -> HttpResponse:
    """Documents, the newest first."""
    filters = _filters(request)
    found = Knowledge.objects.matching(filters["embedding_status"], filters["q"])
    context = {
        "page": listing(found.order_by("-created_at", "-pk"), request.GET.dict()),
        "filters": filters,
        "statuses": [*WorkStatus],
    }
    return render(request, "dashboard/knowledge/list.html", context)


@member_required
def document(request: MemberRequest, knowledge_id: str) -> HttpResponse:
    """A document, passage by passage."""
    found = Knowledge.objects.with_id(knowledge_id)
    passages = Passage.objects.filter(knowledge=found).order_by("number")
    context = {"document": found, "passages": passages, "metadata": _indented(found.metadata)}
    return render(request, "dashboard/knowledge/detail.html", context)


@member_required
def tools_list(request: MemberRequest) -> HttpResponse:
    """Tools, the newest first."""
    filters = _filters(request)
    found = Tool.objects.matching(filters["embedding_status"], filters["q"])
    context = {
        "page": listing(found.order_by("-created_at", "-pk"), request.GET.dict()),
        "filters": filters,
        "statuses": [*WorkStatus],
    }
    return render(request, "dashboard/tools/list.html", context)


@member_required
def tool(request: MemberRequest, tool_id: str) -> HttpResponse:
    """A tool with its arguments."""
    found = Tool.objects.with_id(tool_id)
    return render(request, "dashboard/tools/detail.html", {"tool": found, "schema": _indented(found.schema)})


def _filters(request: MemberRequest) -> dict[str, str]:
    status = request.GET.get("embedding_status", "")
    return {
        "q": request.GET.get("q", "").replace("\0", "").strip()[:Q_MAX_LENGTH],
        "embedding_status": status if status in set(WorkStatus) else "",
    }


def _indented(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) if value else ""

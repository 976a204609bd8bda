"""The audit log: who did what to what, when and from where; searched, and exported with its hashes."""

import json
from datetime import UTC, datetime, time, timedelta
from typing import Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.urls import reverse

from dashboard.access import permitted
from dashboard.listing import given, listing
from memory import audit
from memory.models import AuditEntry
from memory.permissions import Permission
from memory.tenancy import current_tenant_id

FILTERS = ("q", "action", "since", "until")


@permitted(Permission.AUDIT)
def audit_log(request: HttpRequest) -> HttpResponse:
    """The entries, the newest first, and a form to look for some."""
    asked = given(request.GET.dict(), FILTERS)
    until = _day(asked["until"])
    found = AuditEntry.objects.matching(
        asked["q"], asked["action"], _day(asked["since"]), until and until + timedelta(days=1)
    )
    page = listing(found, request.GET.dict())
    context = {
        "listing": page,
        "entries": [{"entry": entry, "detail": _told(entry.detail)} for entry in page.rows],
        "asked": asked,
        "is_filtered": any(asked.values()),
        "actions": AuditEntry.objects.order_by("action").values_list("action", flat=True).distinct()[:200],
        "address": reverse("dashboard:audit"),
    }
    return render(request, "dashboard/settings/audit.html", context)


@permitted(Permission.AUDIT)
def export(request: HttpRequest) -> StreamingHttpResponse:
    """The whole log as JSON Lines."""
    answer = StreamingHttpResponse(audit.lines(current_tenant_id()), content_type="application/x-ndjson")
    answer["Content-Disposition"] = 'attachment; filename="audit.jsonl"'
    return answer


def _day(text: str) -> datetime | None:
    """The beginning of a day that a date names, in UTC; None for what names none."""
    try:
        return datetime.combine(datetime.strptime(text, "%Y-%m-%d").date(), time(), UTC)  # noqa: DTZ007  a date
    except ValueError:
        return None


def _told(detail: str) -> list[tuple[str, Any]]:
    """The parts of an entry's detail that say something."""
    parts = json.loads(detail)
    return [
        (name.replace("_", " "), ", ".join(map(str, value)) if isinstance(value, list) else value)
        for name, value in parts.items()
        if value not in ("", None, [], {})
    ]

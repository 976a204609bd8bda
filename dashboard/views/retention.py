"""How long the tenant keeps archived events: a form that first counts what would go."""

from datetime import UTC, datetime
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from dashboard.access import MemberRequest, permitted
from memory import limits
from memory import retention as aged
from memory.events import retention
from memory.models import Tenant
from memory.permissions import Permission

LONGEST_DAYS = 36_500
# The settings by which the rest is kept.
KEPT_BY = ("ARES_SESSION_DAYS", "ARES_EXPERIENCE_DAYS", "ARES_AUDIT_DAYS")


class RetentionForm(forms.Form):
    """A number of days; none is for ever."""

    days = forms.IntegerField(required=False, min_value=1, max_value=LONGEST_DAYS)


@permitted(Permission.SETTINGS)
def settings(request: HttpRequest) -> HttpResponse:
    """The form; with `?days=` what such a retention would drop; by POST it is set."""
    tenant = Tenant.objects.get(pk=cast(MemberRequest, request).membership.tenant_id)
    given = request.POST if request.method == "POST" else request.GET if "days" in request.GET else None
    form = RetentionForm(given)
    context: dict[str, Any] = {"form": form, "retention_days": tenant.retention_days}
    if form.is_valid():
        days: int | None = form.cleaned_data["days"]
        if request.method == "POST" and request.POST.get("sure"):
            tenant.retention_days = days
            tenant.save(update_fields=["retention_days"])
            kept = f"for {days:,} days" if days else "for ever"
            messages.success(request, f"Archived events are kept {kept}.")
            return redirect("dashboard:retention")
        context |= {"is_counted": True, "days": days, "due": retention.preview(days) if days else None}
    sessions, experiences, audit_entries = map(limits.value, KEPT_BY)
    context["old"] = aged.count(sessions, experiences, audit_entries, datetime.now(UTC))
    return render(request, "dashboard/settings/retention.html", context)

"""The settings: each effective value, what it means and where it comes from; a tenant's admin sets the tenant's own."""

from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from dashboard import settings_page
from dashboard import thresholds as thresholds_page
from dashboard.access import may, member_required, permitted
from memory import conf
from memory.permissions import Permission


@require_http_methods(["GET", "HEAD", "POST"])
@permitted(Permission.SEE, change=Permission.SETTINGS)
def settings(request: Any) -> HttpResponseBase:
    """Shows them, or takes the tenant's own; what was typed stands there again where something is wrong with it."""
    may_set = may(request, Permission.SETTINGS)
    if request.method != "POST":
        return _page(request, settings_page.rows(), may_set)
    name = request.POST.get("reset", "")
    if name:
        settings_page.save({name: ""})
        messages.success(request, f"{name} is the installation's again.")
        return redirect("dashboard:settings")
    errors = settings_page.save(request.POST.dict())
    if errors:
        rows = settings_page.rows(request.POST.dict(), errors)
        return _page(request, rows, may_set, HTTPStatus.UNPROCESSABLE_ENTITY)
    messages.success(request, "Saved. New work is done by these values.")
    return redirect("dashboard:settings")


@member_required
def thresholds(request: Any) -> HttpResponse:
    """What other thresholds would have decided on recent candidates. Nothing is set by it."""
    return render(request, "dashboard/settings/thresholds.html", thresholds_page.context(request.GET.dict()))


def _page(request: Any, rows: list[settings_page.Row], may_set: bool, status: int = HTTPStatus.OK) -> HttpResponse:
    context = {
        "own": [row for row in rows if row.is_settable],
        "others": [row for row in rows if not row.is_settable],
        "may_set": may_set,
        "faults": sum(1 for row in rows if row.error),
        "installation": [{**variable, "origin": conf.origin(variable["name"])} for variable in conf.installation()]
        if request.user.is_superuser
        else [],
    }
    return render(request, "dashboard/settings.html", context, status=status)

"""Tenants, for the installation's admins: opened, bounded, suspended, resumed, joined, erased; without a look inside.

What they do to a tenant stands in that tenant's audit log.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from dashboard import limits_page
from dashboard.access import SESSION_TENANT, permitted
from dashboard.actor import actor
from memory import audit, conf, limits, tenants
from memory.errors import Conflict, Invalid
from memory.models import Membership, Tenant
from memory.permissions import Permission
from memory.tenancy import tenant_scope
from memory.vocabulary import Role

CEILINGS = tuple(setting for setting in conf.SETTINGS.values() if setting.ceiling)


@require_http_methods(["GET", "HEAD", "POST"])
@permitted(Permission.TENANTS)
def tenants_list(request: Any) -> HttpResponseBase:
    """All tenants, and a form that opens one."""
    error, typed = "", request.POST.dict()
    if request.method == "POST":
        slug, name = typed.get("slug", "").strip(), typed.get("name", "").strip().replace("\x00", "")
        try:
            made = tenants.create(slug, name, *_who(request))
        except (Invalid, Conflict) as refused:
            error = refused.detail
        else:
            messages.success(request, f"{made.name} is open. Nobody belongs to it yet.")
            return redirect("dashboard:tenant", made.slug)
    found = list(Tenant.objects.order_by("name", "pk"))
    own = {member.tenant_id for member in request.memberships}
    context = {
        "rows": [{"tenant": each, "is_member": each.pk in own} for each in found],
        "typed": typed,
        "error": error,
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if error else HTTPStatus.OK
    return render(request, "dashboard/settings/tenants.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@permitted(Permission.TENANTS)
def tenant(request: Any, slug: str) -> HttpResponseBase:
    """One tenant: its limits and what it uses of them, and what can be done to it."""
    found = Tenant.objects.named(slug.replace("\x00", ""))
    if request.method != "POST":
        return _page(request, found)
    done = VERBS.get(request.POST.get("do", ""))
    if done is None:
        raise Http404
    try:
        return done(request, found)
    except (Invalid, Conflict) as refused:
        return _page(request, found, error=refused.detail, typed=request.POST.dict())


def _suspend(request: Any, found: Tenant) -> HttpResponseBase:
    tenants.suspend(found, *_who(request))
    messages.success(request, f"{found.name} is suspended. Its admins can still look.")
    return redirect("dashboard:tenant", found.slug)


def _resume(request: Any, found: Tenant) -> HttpResponseBase:
    tenants.resume(found, *_who(request))
    messages.success(request, f"{found.name} goes on. What waited is worked off from now on.")
    return redirect("dashboard:tenant", found.slug)


def _limit(request: Any, found: Tenant) -> HttpResponseBase:
    values = {setting.name: request.POST.get(setting.name, "").strip() for setting in CEILINGS}
    tenants.set_ceilings(found, values, *_who(request))
    messages.success(request, "Saved. Within a minute the limits hold in every process.")
    return redirect("dashboard:tenant", found.slug)


def _join(request: Any, found: Tenant) -> HttpResponseBase:
    tenants.join(request.user, found, Role.ADMIN, *_who(request))
    request.session[SESSION_TENANT] = found.slug
    messages.success(request, f"You are an admin of {found.name} now, as its members can see.")
    return redirect("dashboard:tenant", found.slug)


def _erase(request: Any, found: Tenant) -> HttpResponseBase:
    if request.POST.get("typed", "") != found.slug:
        raise Invalid(f"Type {found.slug} to erase it. Nothing was erased.")
    receipt = tenants.erase(found)
    request.memberships = Membership.objects.of(request.user)
    rows = sorted(receipt["rows"].items())
    context = {"receipt": receipt, "rows": rows, "total": sum(number for _, number in rows)}
    return render(request, "dashboard/settings/tenant_erased.html", context)


VERBS: Mapping[str, Callable[[Any, Tenant], HttpResponseBase]] = {
    "suspend": _suspend,
    "resume": _resume,
    "limit": _limit,
    "join": _join,
    "erase": _erase,
}


def _page(request: Any, found: Tenant, error: str = "", typed: Mapping[str, str] | None = None) -> HttpResponse:
    with tenant_scope(found.pk):
        uses = limits_page.rows(datetime.now(UTC))
        own = limits.own()
        members = Membership.objects.count()
    context = {
        "shown": found,
        "uses": uses,
        "members": members,
        "is_member": any(member.tenant_id == found.pk for member in request.memberships),
        "ceilings": [
            {
                "setting": setting,
                "typed": typed.get(setting.name, "") if typed else own.get(setting.name, ""),
                "installation": conf.value(setting.name),
            }
            for setting in CEILINGS
        ],
        "counts": sorted(tenants.count(found).items()) if found.suspended_at else [],
        "error": error,
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if error else HTTPStatus.OK
    return render(request, "dashboard/settings/tenant.html", context, status=status)


def _who(request: Any) -> tuple[str, str]:
    return actor(request), audit.address_of(request.META)

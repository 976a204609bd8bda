"""API keys: the list, a new one, and rotating or revoking one. A key's text is shown once, where it was made."""

from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from dashboard import changed
from dashboard.access import permitted
from memory.errors import Invalid
from memory.models import ApiKey, Tenant
from memory.permissions import Permission
from memory.vocabulary import Scope

LONGEST_DAYS = 3650
# How long a key may open on after it was rotated.
OVERLAP_HOURS = (0, 1, 24, 168)
MOST_A_MINUTE = 10_000_000
REVOKE, ROTATE = "revoke", "rotate"
MEANINGS = {
    Scope.INGEST: "record events, sessions, messages and tasks",
    Scope.READ: "read and search everything, build contexts",
    Scope.MANAGE: "change and delete what is remembered",
}


class KeyForm(forms.Form):
    """What a new key is for, and what it may do."""

    name = forms.CharField(max_length=200)
    scopes = forms.MultipleChoiceField(choices=[(str(scope), MEANINGS[scope]) for scope in Scope])
    days = forms.IntegerField(required=False, min_value=1, max_value=LONGEST_DAYS)
    agent_id = forms.CharField(required=False, max_length=200)
    user_id = forms.CharField(required=False, max_length=200)
    requests_a_minute = forms.IntegerField(required=False, min_value=1, max_value=MOST_A_MINUTE)
    events_a_minute = forms.IntegerField(required=False, min_value=1, max_value=MOST_A_MINUTE)


@permitted(Permission.KEYS)
def keys_list(request: HttpRequest) -> HttpResponse:
    """Every key of the tenant, the newest first; those that open nothing any more stand behind."""
    now = datetime.now(UTC)
    rows = [{"key": key, "state": _state(key, now)} for key in ApiKey.objects.order_by("-created_at", "-pk")]
    rows.sort(key=lambda row: row["state"] != "usable")
    return render(request, "dashboard/settings/keys.html", {"rows": rows})


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@permitted(Permission.KEYS)
def new(request: Any) -> HttpResponseBase:
    """The form of a new key; by POST it is made and its text shown."""
    form = KeyForm(request.POST if request.method == "POST" else None, initial={"scopes": [Scope.INGEST, Scope.READ]})
    error = ""
    if request.method == "POST" and form.is_valid():
        try:
            return _made(request, *_issue(request, form.cleaned_data))
        except Invalid as refused:
            error = refused.detail
    status = HTTPStatus.UNPROCESSABLE_ENTITY if error or form.errors else HTTPStatus.OK
    return render(request, "dashboard/settings/key_new.html", {"form": form, "error": error}, status=status)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@permitted(Permission.KEYS)
def key_change(request: Any, prefix: str, change: str) -> HttpResponseBase:
    """Asks whether to revoke or rotate a key; by POST it is done."""
    now = datetime.now(UTC)
    key = ApiKey.objects.filter(prefix=prefix.replace("\x00", "")).select_related("tenant").first()
    if key is None or change not in (REVOKE, ROTATE):
        raise Http404
    if not key.is_usable(now):
        messages.info(request, f"{key.name} opens nothing any more.")
        changed.tell_nothing(request)
        return redirect("dashboard:keys")
    if request.method != "POST":
        return render(request, f"dashboard/settings/key_{change}.html", {"key": key, "hours": OVERLAP_HOURS})
    if change == REVOKE:
        key.revoke(now)
        changed.tell(request, "key.revoked", str(key))
        messages.success(request, f"{key.name} is revoked: it opens nothing any more.")
        return redirect("dashboard:keys")
    hours = request.POST.get("hours", "")
    overlap = timedelta(hours=int(hours)) if hours in map(str, OVERLAP_HOURS) else timedelta(0)
    made, text = key.rotate(now, overlap)
    return _made(request, made, text, "key.rotated", replaces=key.prefix, until=key.expires_at)


def _issue(request: Any, given: dict[str, Any]) -> tuple[ApiKey, str]:
    days = given.pop("days")
    expires_at = datetime.now(UTC) + timedelta(days=days) if days else None
    tenant = Tenant.objects.get(pk=request.membership.tenant_id)
    return ApiKey.objects.issue(tenant, given.pop("name"), expires_at, **given)


def _made(request: Any, key: ApiKey, text: str, action: str = "key.created", **detail: Any) -> HttpResponse:
    bounds = {"scopes": key.scopes, "agent_id": key.agent_id, "user_id": key.user_id, "expires_at": key.expires_at}
    changed.tell(request, action, str(key), **bounds, **detail)
    context = {"key": key, "text": text, "is_rotated": action == "key.rotated", **detail}
    return render(request, "dashboard/settings/key_made.html", context, status=HTTPStatus.CREATED)


def _state(key: ApiKey, now: datetime) -> str:
    if key.is_usable(now):
        return "usable"
    return "revoked" if key.revoked_at else "expired"

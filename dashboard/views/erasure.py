"""Erasing a session or a user: what would go is counted first, and its name must be typed. (A tenant: `tenants`.)"""

from http import HTTPStatus
from typing import Any

from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from dashboard import changed
from dashboard.access import permitted
from dashboard.actor import manager
from memory import audit
from memory.errors import NotFound
from memory.permissions import Permission

SESSION, USER = "session", "user"
KINDS = {SESSION: "a session", USER: "a user"}
NAME_MAX_LENGTH = 200


@require_http_methods(["GET", "HEAD", "POST"])
@permitted(Permission.ERASE)
def erasure(request: Any) -> HttpResponseBase:
    """The form; with `?kind=&name=` what would go, counted; by POST, with the name typed again, it goes."""
    asked = request.POST if request.method == "POST" else request.GET
    kind, name = asked.get("kind", SESSION), asked.get("name", "").strip().replace("\x00", "")[:NAME_MAX_LENGTH]
    context: dict[str, Any] = {"kinds": KINDS, "kind": kind, "name": name}
    if not name or kind not in KINDS:
        return _page(request, context)
    try:
        counted = _count(request, kind, name)
    except NotFound as error:
        return _page(request, {**context, "error": error.detail}, HTTPStatus.NOT_FOUND)
    if request.method != "POST":
        return _page(request, {**context, **counted})
    if asked.get("typed", "") != name:
        return _page(request, {**context, **counted, "is_mistyped": True}, HTTPStatus.UNPROCESSABLE_ENTITY)
    return _page(request, {"kinds": KINDS, "kind": kind, "erased": name, **_erase(request, kind, name)})


def _count(request: Any, kind: str, name: str) -> dict[str, Any]:
    front = manager(request)
    return _shown(front.count_session(name) if kind == SESSION else front.count_user(name), "count")


def _erase(request: Any, kind: str, name: str) -> dict[str, Any]:
    front = manager(request)
    receipt = front.delete_session(name) if kind == SESSION else front.erase_user(name)
    subject = name if kind == SESSION else audit.digest_of(name)
    changed.tell(request, f"{kind}.erased", subject, rows=receipt["rows"])
    return _shown(receipt, "receipt")


def _shown(receipt: dict[str, Any], as_name: str) -> dict[str, Any]:
    """A receipt by table, what did not go left out."""
    rows = [(table.replace("_", " "), rows) for table, rows in receipt["rows"].items() if rows]
    return {
        as_name: rows,
        "total": sum(number for _, number in rows),
        "sessions": len(receipt.get("sessions", [])),
        "streams": len(receipt.get("streams", [])),
    }


def _page(request: Any, context: dict[str, Any], status: int = HTTPStatus.OK) -> HttpResponse:
    return render(request, "dashboard/settings/erasure.html", context, status=status)

"""What a member has changed, for the audit log: a view says it, or its address does."""

from typing import Any

from django.http import HttpResponseBase

from dashboard.actor import actor
from memory import audit
from memory.permissions import RULES, Permission

SEPARATOR = " / "


def tell(request: Any, action: str, subject: str = "", **detail: Any) -> None:
    """Say what this request has changed, where its address does not say it well; see `memory.audit.record`."""
    request.changed = (action, subject, detail)


def tell_nothing(request: Any) -> None:
    """Say that this request has changed nothing after all."""
    request.changed = None


def keep(request: Any, response: HttpResponseBase, permission: Permission) -> None:
    """Keep in the audit log what a request has changed: what was told, else what its address says if it led on to
    another page. Needs the tenant's scope."""
    if request.method in ("GET", "HEAD", "OPTIONS") or not RULES[permission].is_kept:
        return
    told = getattr(request, "changed", _by_address(request) if 300 <= response.status_code < 400 else None)
    if told is not None:
        action, subject, detail = told
        audit.record(actor(request), action, subject, audit.address_of(request.META), **detail)


def _by_address(request: Any) -> tuple[str, str, dict[str, Any]]:
    match = request.resolver_match
    return match.url_name.replace("_", "-"), SEPARATOR.join(map(str, match.kwargs.values())), {}

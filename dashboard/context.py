"""What every page shows around its content."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest

from dashboard import navigation
from dashboard.access import may
from memory.permissions import Permission


def shell(request: HttpRequest) -> dict[str, Any]:
    """The tenant that is shown, the others that the viewer may switch to, what the viewer may do, and the map."""
    membership = getattr(request, "membership", None)
    at = request.resolver_match.url_name if request.resolver_match else None
    permitted = {permission for permission in Permission if may(request, permission)}
    groups = navigation.links(at or "", permitted)
    return {
        "oidc": settings.ARES_OIDC,
        "tenant": membership.tenant if membership else None,
        "tenants": [other.tenant for other in getattr(request, "memberships", [])],
        "may_change": Permission.EDIT in permitted,
        "navigation": groups,
        "here": next((group for group in groups if group.current), None),
    }

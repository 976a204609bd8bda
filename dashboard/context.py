"""What every page shows around its content."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest

from dashboard import navigation
from dashboard.access import is_admin
from memory.vocabulary import Role


def shell(request: HttpRequest) -> dict[str, Any]:
    """The tenant that is shown, the others that the viewer may switch to, what the viewer may do, and the map."""
    membership = getattr(request, "membership", None)
    at = request.resolver_match.url_name if request.resolver_match else None
    may_change = membership is not None and membership.is_at_least(Role.OPERATOR)
    groups = navigation.links(at or "", is_operator=may_change)
    return {
        "oidc": settings.ARES_OIDC,
        "tenant": membership.tenant if membership else None,
        "is_admin": is_admin(request),
        "tenants": [other.tenant for other in getattr(request, "memberships", [])],
        "may_change": may_change,
        "navigation": groups,
        "here": next((group for group in groups if group.current), None),
    }

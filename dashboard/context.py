"""What every page shows around its content."""

from typing import Any

from django.http import HttpRequest

from dashboard.access import is_admin


def shell(request: HttpRequest) -> dict[str, Any]:
    """The tenant that is shown, and the others that the viewer may switch to."""
    membership = getattr(request, "membership", None)
    return {
        "tenant": membership.tenant if membership else None,
        "is_admin": is_admin(request),
        "tenants": [other.tenant for other in getattr(request, "memberships", [])],
    }

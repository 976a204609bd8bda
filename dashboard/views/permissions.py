"""The table of permissions, for everybody to see."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from dashboard.access import member_required
from memory.permissions import RULES, may_role
from memory.vocabulary import Role


@member_required
def permissions_table(request: HttpRequest) -> HttpResponse:
    """What each role and scope may do; the viewer's own role stands out."""
    rows = [
        {
            "name": permission,
            "meaning": rule.meaning,
            "roles": [may_role(role, permission) for role in Role],
            "for_installation": rule.for_installation,
            "scope": rule.scope,
        }
        for permission, rule in RULES.items()
    ]
    return render(request, "dashboard/settings/permissions.html", {"rows": rows, "roles": list(Role)})

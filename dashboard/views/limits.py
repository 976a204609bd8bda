"""What the tenant and its keys use of their limits."""

from datetime import UTC, datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from dashboard import limits_page
from dashboard.access import permitted
from memory import conf
from memory.permissions import Permission


@permitted(Permission.LIMITS)
def limits_list(request: HttpRequest) -> HttpResponse:
    """Each limit with what is used of it."""
    now = datetime.now(UTC)
    context = {
        "rows": limits_page.rows(now),
        "keys": limits_page.key_rows(now),
        "at_once": conf.value("ARES_REQUESTS_AT_ONCE"),
    }
    return render(request, "dashboard/settings/limits.html", context)

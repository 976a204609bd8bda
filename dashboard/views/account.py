"""Logging in and out, and choosing the tenant that is shown."""

from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from dashboard.access import SESSION_TENANT, member_required, public

login = public(LoginView.as_view(template_name="dashboard/login.html", redirect_authenticated_user=True))
logout = public(LogoutView.as_view())


@require_POST
@member_required
def switch_tenant(request: HttpRequest) -> HttpResponse:
    """Show another tenant; only one that the viewer belongs to can be shown."""
    request.session[SESSION_TENANT] = request.POST.get("tenant", "")
    return redirect("dashboard:overview")

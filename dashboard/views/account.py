"""One's account, its sessions, and choosing the tenant that is shown. Logging in is django-allauth's."""

from typing import Any

from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.contrib import messages
from django.contrib.auth import logout
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from dashboard.access import SESSION_TENANT, member_required, personal
from dashboard.pages import row_number

NAME_LENGTH = 200


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@personal
def account(request: Any) -> HttpResponse:
    """Who one is, how one logs in, and where one is logged in; by POST one's name is set."""
    if request.method == "POST":
        request.user.name = " ".join(request.POST.get("name", "").replace("\x00", "").split())[:NAME_LENGTH]
        request.user.save(update_fields=["name"])
        messages.success(request, "Your name was saved.")
        return redirect("dashboard:account")
    sessions = sorted(UserSession.objects.purge_and_list(request.user), key=lambda one: one.created_at, reverse=True)
    context = {
        "has_two_step": Authenticator.objects.filter(user=request.user, type=Authenticator.Type.TOTP).exists(),
        "sessions": [(one, one.session_key == request.session.session_key) for one in sessions],
        "connections": SocialAccount.objects.filter(user=request.user).count(),
    }
    return render(request, "dashboard/account.html", context)


@require_POST
@personal
def end_session(request: Any, session_id: str) -> HttpResponse:
    """End one of one's own sessions."""
    session = UserSession.objects.filter(pk=row_number(session_id), user=request.user).first()
    if session is None:
        raise Http404
    session.end()
    messages.success(request, "The session was ended.")
    return redirect("dashboard:account")


@require_POST
@personal
def log_out_everywhere(request: Any) -> HttpResponse:
    """End all of one's sessions, this one too."""
    request.user.end_sessions()
    logout(request)
    messages.success(request, "You are logged out everywhere.")
    return redirect("account_login")


@require_POST
@member_required
def switch_tenant(request: HttpRequest) -> HttpResponse:
    """Show another tenant; only one that the viewer belongs to can be shown."""
    request.session[SESSION_TENANT] = request.POST.get("tenant", "")
    return redirect("dashboard:overview")

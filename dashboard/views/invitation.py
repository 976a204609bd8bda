"""Where the link of an invitation leads: whoever it is for makes an account, or joins with the one there is."""

from http import HTTPStatus
from typing import Any

from allauth.account.internal.flows.login import perform_login, record_authentication
from allauth.account.models import EmailAddress, Login
from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from dashboard.access import SESSION_TENANT, public
from dashboard.accounts.adapters import SESSION_INVITATION
from dashboard.accounts.forms import NewAccountForm
from memory import invitations
from memory.audit import address_of
from memory.errors import Conflict, NotFound
from memory.models import Invitation, User
from memory.vocabulary import InvitationState

TEMPLATE = "dashboard/invitation.html"


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@public
def invitation(request: Any, token: str) -> HttpResponse:
    """Shows what the invitation is to; by POST it is accepted."""
    try:
        found = invitations.presented(token)
    except NotFound as error:
        raise Http404 from error
    state = found.state(timezone.now())
    if state is not InvitationState.OPEN:
        return render(request, TEMPLATE, {"state": state}, status=HTTPStatus.GONE)
    if request.user.is_authenticated:
        return _by_member_of_another(request, found)
    if User.objects.filter(email=found.email).exists():
        return render(request, TEMPLATE, {"invitation": found, "has_account": True})
    request.session[SESSION_INVITATION] = token
    return _by_somebody_new(request, found)


def _by_member_of_another(request: Any, found: Invitation) -> HttpResponse:
    """Somebody who is logged in joins with one press, if the invitation is theirs."""
    if request.method != "POST" or request.user.email != found.email:
        context = {"invitation": found, "is_theirs": request.user.email == found.email}
        status = HTTPStatus.FORBIDDEN if request.method == "POST" else HTTPStatus.OK
        return render(request, TEMPLATE, context, status=status)
    try:
        invitations.accept(found, request.user, address_of(request.META))
    except Conflict as error:
        return render(request, TEMPLATE, {"problem": error.detail}, status=HTTPStatus.GONE)
    return _welcome(request, found)


def _by_somebody_new(request: Any, found: Invitation) -> HttpResponse:
    form = NewAccountForm(found.email, request.POST if request.method == "POST" else None)
    if not form.is_valid():
        status = HTTPStatus.UNPROCESSABLE_ENTITY if form.is_bound else HTTPStatus.OK
        return render(request, TEMPLATE, {"invitation": found, "form": form}, status=status)
    try:
        user = invitations.accept_as_new(
            found, form.cleaned_data["name"].strip(), form.cleaned_data["password"], address_of(request.META)
        )
    except Conflict as error:
        return render(request, TEMPLATE, {"problem": error.detail}, status=HTTPStatus.GONE)
    # A link that came by mail shows whose address it is; one that an admin was shown does not.
    EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=bool(settings.MAIL))
    record_authentication(request, user, method="password", email=user.email)
    perform_login(request, Login(user=user, email=user.email))
    return _welcome(request, found)


def _welcome(request: Any, found: Invitation) -> HttpResponse:
    request.session.pop(SESSION_INVITATION, None)
    request.session[SESSION_TENANT] = found.tenant.slug
    messages.success(request, f"Welcome to {found.tenant.name}.")
    return redirect("dashboard:overview")

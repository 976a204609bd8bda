"""The people of a tenant: its members, for everybody in it, and invitations, for its admins."""

from http import HTTPStatus
from typing import Any

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from dashboard import changed
from dashboard.access import may, permitted
from dashboard.accounts import mail
from dashboard.accounts.forms import InvitationForm
from dashboard.pages import row_number
from memory import invitations
from memory.errors import AresError, Conflict
from memory.models import Invitation, Membership
from memory.permissions import Permission
from memory.vocabulary import InvitationState, Role

# A tenant with more members finds them by the field above the list.
SHOWN = 200


@require_http_methods(["GET", "HEAD"])
@never_cache
@permitted(Permission.SEE)
def people(request: Any) -> HttpResponse:
    """Who belongs to the tenant, and who is invited."""
    return _page(request)


@never_cache
@require_POST
@permitted(Permission.MEMBERS)
def invite(request: Any) -> HttpResponse:
    """Invite somebody. Without a mail server the link is shown, this once: the worker alone would print it."""
    form = InvitationForm(request.POST)
    if not form.is_valid():
        return _page(request, form=form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    try:
        invitation = invitations.invite(form.cleaned_data["email"], Role(form.cleaned_data["role"]), request.user)
    except AresError as error:
        form.add_error("email", error.detail)
        return _page(request, form=form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    changed.tell(request, "member.invited", invitation.email, role=invitation.role)
    if settings.MAIL:
        mail.enqueue(mail.send_invitation, invitation.tenant_id, invitation.pk, mail.origin(request))
        messages.success(request, f"The invitation is on its way to {invitation.email}.")
        return redirect("dashboard:people")
    path = reverse("dashboard:invitation", args=[invitations.token(invitation)])
    return _page(request, made=invitation, link=mail.origin(request) + path, status=HTTPStatus.CREATED)


@require_POST
@permitted(Permission.MEMBERS)
def revoke_invitation(request: Any, invitation_id: str) -> HttpResponse:
    """From now on the link opens nothing."""
    try:
        invitation = invitations.revoke(row_number(invitation_id))
    except Conflict as error:
        changed.tell_nothing(request)
        messages.error(request, error.detail)
    else:
        changed.tell(request, "member.uninvited", invitation.email)
        messages.success(request, f"The invitation of {invitation.email} was revoked.")
    return redirect("dashboard:people")


def _page(
    request: Any,
    form: InvitationForm | None = None,
    made: Invitation | None = None,
    link: str = "",
    status: int = HTTPStatus.OK,
) -> HttpResponse:
    wanted = request.GET.get("q", "").strip().replace("\x00", "")
    found = Membership.objects.select_related("user").order_by("user__email")
    members = list((found.filter(user__email__icontains=wanted) if wanted else found)[: SHOWN + 1])
    may_invite = may(request, Permission.MEMBERS)
    now = timezone.now()
    invited = [(one, one.state(now)) for one in invitations.newest()] if may_invite else []
    with_two_step = Authenticator.objects.filter(
        user__in=[member.user_id for member in members], type=Authenticator.Type.TOTP
    )
    context = {
        "members": members[:SHOWN],
        "more": len(members) > SHOWN,
        "q": wanted,
        "with_two_step": set(with_two_step.values_list("user_id", flat=True)) if may_invite else set(),
        "may_invite": may_invite,
        "open": [one for one, state in invited if state is InvitationState.OPEN],
        "over": [pair for pair in invited if pair[1] is not InvitationState.OPEN],
        "form": form or InvitationForm(initial={"role": Role.VIEWER}),
        "made": made,
        "link": link,
        "roles": list(Role),
    }
    return render(request, "dashboard/settings/people.html", context, status=status)

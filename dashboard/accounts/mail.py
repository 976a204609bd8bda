"""Mails to people. The worker looks up whom they are for, makes the links and sends them: no link is in the queue."""

from collections.abc import Callable
from functools import partial
from typing import Any

from allauth.account.forms import default_token_generator
from allauth.account.utils import user_pk_to_url_str
from django.core.mail import EmailMessage
from django.db import transaction
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django_q.tasks import async_task

from memory import conf, invitations
from memory.models import Invitation, User
from memory.tenancy import tenant_scope
from memory.vocabulary import InvitationState

# What happened to an account, by the name that django-allauth gives to the mail about it.
NOTICES = {
    "password_changed": "Your password was changed",
    "password_set": "A password was set for your account",
    "password_reset": "Your password was set anew by a link from a mail",
    "totp_activated": "Two-step log-in was turned on",
    "totp_deactivated": "Two-step log-in was turned off",
    "recovery_codes_generated": "New recovery codes were made; the old ones are void",
    "account_connected": "A single sign-on was connected to your account",
    "account_disconnected": "A single sign-on was disconnected from your account",
}


def enqueue(job: Callable[..., Any], *arguments: Any) -> None:
    """Let the worker do this, once the transaction around the caller is committed; no record of it stays."""
    path = f"{job.__module__}.{job.__name__}"
    transaction.on_commit(partial(async_task, path, *arguments, save=False))


def origin(request: HttpRequest) -> str:
    """Where links of mails begin, like `https://ares.example.com`: the name under which this request came."""
    return f"{request.scheme}://{request.get_host()}"


def send_reset(email: str, begins: str) -> None:
    """A link that sets a new password, to the account with this address; nothing, where there is none."""
    user = User.objects.filter(email=email, is_active=True).first()
    if user is None:
        return
    uid, key = user_pk_to_url_str(user), default_token_generator.make_token(user)
    path = reverse("account_reset_password_from_key", kwargs={"uidb36": uid, "key": key})
    _send("reset", "Set a new password", email, {"url": begins + path})


def send_invitation(tenant_id: int, invitation_id: int, begins: str) -> None:
    """The link of an invitation, to whom it is for; nothing, where it is no longer open."""
    with tenant_scope(tenant_id):
        invitation = Invitation.objects.select_related("tenant", "invited_by").filter(pk=invitation_id).first()
    if invitation is None or invitation.state(timezone.now()) is not InvitationState.OPEN:
        return
    told = {
        "invitation": invitation,
        "days": conf.value("ARES_INVITATION_DAYS"),
        "url": begins + reverse("dashboard:invitation", args=[invitations.token(invitation)]),
    }
    _send("invitation", f"Invitation to {invitation.tenant.name}", invitation.email, told)


def send_notice(user_id: int, what: str, client: str) -> None:
    """Tell somebody what happened to their account, and from which address."""
    user = User.objects.filter(pk=user_id).first()
    if user is not None and what in NOTICES:
        _send("notice", NOTICES[what], user.email, {"what": NOTICES[what], "client": client, "at": timezone.now()})


def _send(template: str, subject: str, to: str, told: dict[str, Any]) -> None:
    text = render_to_string(f"mail/{template}.txt", told)
    EmailMessage(f"aresweb: {' '.join(subject.split())}", text, to=[to]).send()

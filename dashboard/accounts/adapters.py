"""What django-allauth asks this project: who may come in, where one may be sent, how secrets are kept."""

import base64
import hashlib
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import context
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.totp.internal.auth import generate_totp_secret
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme

from dashboard.accounts import mail
from memory import invitations
from memory.errors import NotFound
from memory.models import User
from memory.vocabulary import InvitationState

# Where the link of an invitation is kept while somebody goes to the issuer and back.
SESSION_INVITATION = "invitation"


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # django-allauth has no types
    """Accounts with a password."""

    error_messages = DefaultAccountAdapter.error_messages | {
        "email_password_mismatch": "The email or the password is wrong.",
        "too_many_login_attempts": "Too many tries. Wait five minutes, or set a new password.",
        "incorrect_password": "The password is wrong.",
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """People come by invitation."""
        return False

    def is_safe_url(self, url: str) -> bool:
        """Only addresses of this site are gone to after logging in, even where the server answers to other names."""
        request = context.request
        return url_has_allowed_host_and_scheme(url, {request.get_host()}, require_https=request.is_secure())

    def send_notification_mail(
        self, template_prefix: str, user: User, context: dict[str, Any] | None = None, email: str | None = None
    ) -> None:
        """Have the worker tell somebody of a change of their account, so that no mail server holds it up."""
        mail.enqueue(mail.send_notice, user.pk, template_prefix.rpartition("/")[2], self.get_client_ip(self.request))

    def is_reauthentication_required(self, *, app: str, **kwargs: Any) -> bool:
        """Whoever changes how an account is logged in to proves once more to be its owner: a session may be stolen."""
        return True

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        """Back to where it began."""
        return reverse("dashboard:account")


class MFAAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    """Codes of an app. What they are computed from is kept encrypted with the installation's secret key."""

    error_messages = DefaultMFAAdapter.error_messages | {
        "incorrect_code": "This code is wrong, or was used already. Wait for the next one.",
    }

    def get_totp_label(self, user: User) -> str:
        """Under which name an app keeps it."""
        return user.email

    def encrypt(self, text: str) -> str:
        """See `DefaultMFAAdapter`."""
        return _cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """What was encrypted; after the secret key was lost, something random, whose codes nobody can know."""
        try:
            return _cipher().decrypt(encrypted_text.encode()).decode()
        except InvalidToken:
            return str(generate_totp_secret())


class SocialAccountAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]
    """Accounts by OpenID Connect."""

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        """Somebody new comes in with an open invitation to an address that the issuer vouches for."""
        try:
            invitation = invitations.presented(request.session.get(SESSION_INVITATION, ""))
        except NotFound:
            return False
        vouched = {address.email.lower() for address in sociallogin.email_addresses if address.verified}
        return (
            invitation.email in vouched
            and invitation.state(timezone.now()) is InvitationState.OPEN
            and not User.objects.filter(email=invitation.email).exists()
        )

    def populate_user(self, request: HttpRequest, sociallogin: SocialLogin, data: dict[str, Any]) -> User:
        """Whom the issuer tells of."""
        user: User = super().populate_user(request, sociallogin, data)
        user.name = str(data.get("name") or "")[:200]
        return user

    def get_connect_redirect_url(self, request: HttpRequest, socialaccount: Any) -> str:
        """Back to where it began."""
        return reverse("dashboard:account")


def _cipher() -> MultiFernet:
    keys = [str(settings.SECRET_KEY), *map(str, settings.SECRET_KEY_FALLBACKS)]
    digests = (hashlib.sha256(b"aresweb.mfa" + key.encode()).digest() for key in keys)
    return MultiFernet([Fernet(base64.urlsafe_b64encode(digest)) for digest in digests])

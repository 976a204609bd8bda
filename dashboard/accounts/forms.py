"""Forms of accounts."""

from allauth.mfa.adapter import get_adapter
from allauth.mfa.models import Authenticator
from allauth.mfa.totp import forms as totp
from allauth.mfa.totp.internal.auth import TOTP
from django import forms
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from dashboard.accounts import mail
from memory.models import User
from memory.vocabulary import Role


class ResetPasswordForm(forms.Form):
    """Asks for a link by mail. Nothing is looked up before the worker does, so an answer tells nobody who has an
    account, neither by its text nor by its time."""

    email = forms.EmailField(max_length=254)

    def save(self, request: HttpRequest) -> str:
        """Have the worker send the link, if there is somebody to send it to."""
        email: str = self.cleaned_data["email"]
        mail.enqueue(mail.send_reset, email.lower(), mail.origin(request))
        return email


class ActivateTOTPForm(totp.ActivateTOTPForm):  # type: ignore[misc]
    """Turns two-step log-in on. The code that does it is used up: it does not log in as well."""

    def clean_code(self) -> str:
        """The code, once."""
        code: str = super().clean_code()
        if not TOTP(Authenticator(user=self.user))._mark_code_used(code):
            raise get_adapter().validation_error("incorrect_code")
        return code


class NewAccountForm(forms.Form):
    """Name and password of somebody who was invited."""

    name = forms.CharField(max_length=200, required=False)
    password = forms.CharField(max_length=1000, strip=False)

    def __init__(self, email: str, data: object = None) -> None:
        super().__init__(data)  # type: ignore[arg-type]
        self.email = email

    def clean(self) -> dict[str, object]:
        """The password must not be like the person, common or short."""
        cleaned = self.cleaned_data
        if "password" in cleaned:
            try:
                validate_password(cleaned["password"], User(email=self.email, name=cleaned.get("name", "")))
            except ValidationError as error:
                self.add_error("password", error)
        return cleaned


class InvitationForm(forms.Form):
    """Whom to invite, and as what."""

    email = forms.EmailField(max_length=254)
    role = forms.ChoiceField(choices=[(str(role), str(role)) for role in Role])

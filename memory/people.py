"""People by their e-mail address."""

import secrets

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction

from memory.errors import Invalid
from memory.models import User


def address(text: str) -> str:
    """An e-mail address as it is kept: in lower case.

    Raises:
        Invalid: it is none.
    """
    email = text.strip().lower()
    try:
        validate_email(email)
    except ValidationError:
        raise Invalid(f"{email!r} is no e-mail address.") from None
    return email


def get_or_create(email: str) -> tuple[User, str | None]:
    """The person with this address; somebody new gets a random password, which is returned and kept nowhere.

    Raises:
        Invalid: it is no address.
    """
    email = address(email)
    password = secrets.token_urlsafe(12)
    try:
        with transaction.atomic():
            known = User.objects.filter(email=email).first()
            return (known, None) if known else (User.objects.create_user(email, password), password)
    except IntegrityError:  # somebody else was quicker
        return User.objects.get(email=email), None

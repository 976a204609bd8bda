"""People who log in. Their e-mail address is their name; what they may see follows from their memberships."""

from typing import Any, ClassVar

from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.db import models
from django.db.models import F
from django.utils.crypto import salted_hmac


class UserManager(BaseUserManager["User"]):
    """Creates users with a normalised e-mail address."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """A user who can log in with this password, or not at all without one."""
        user = self.model(email=self.normalize_email(email).lower(), **fields)
        user.set_password(password)
        user.save()
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """An administrator of the installation."""
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)

    def get_by_natural_key(self, username: str | None) -> "User":
        return self.get(email=(username or "").lower())


class User(AbstractBaseUser, PermissionsMixin):
    """A person. The only thing that belongs to no tenant.

    `session_epoch` is part of what every log-in is checked against: counting it up ends all of them.
    """

    email = models.EmailField(unique=True)
    name = models.CharField(max_length=200, blank=True)
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    session_epoch = models.PositiveIntegerField(default=0)

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    objects = UserManager()

    def __str__(self) -> str:
        return self.name or self.email

    def end_sessions(self) -> None:
        """Log the person out everywhere: no session that was opened before is valid at its next request."""
        type(self).objects.filter(pk=self.pk).update(session_epoch=F("session_epoch") + 1)
        self.refresh_from_db(fields=["session_epoch"])

    def _get_session_auth_hash(self, secret: str | bytes | None = None) -> str:
        """What Django keeps in a session and compares at each request: it covers the epoch besides the password."""
        covered = f"{self.password}:{self.session_epoch}"
        return salted_hmac("aresweb.session", covered, secret=secret, algorithm="sha256").hexdigest()

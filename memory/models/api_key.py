"""API keys: how agents and REST clients prove which tenant they write for."""

import hashlib
import hmac
import re
import secrets
from datetime import datetime, timedelta
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from memory import sql
from memory.errors import Invalid
from memory.models.tenant import Tenant
from memory.vocabulary import Measure, Scope

KEY_MARK = "ares"
KEY_PATTERN = re.compile(KEY_MARK + r"_([0-9a-f]{12})_([A-Za-z0-9_-]{43})", re.ASCII)
# The time of last use is told to the minute: a write for every request would cost more than the request.
LAST_USE_RESOLUTION = timedelta(minutes=1)


def every_scope() -> list[str]:
    """What a key may do that was made without saying what."""
    return [str(scope) for scope in Scope]


class ApiKeyQuerySet(models.QuerySet["ApiKey"]):
    """Keys are made by tenants and found by the text that a client presents."""

    def issue(
        self, tenant: Tenant, name: str, expires_at: datetime | None = None, **bounds: Any
    ) -> tuple["ApiKey", str]:
        """A new key of a tenant, and its text: `ares_<12 hex>_<43 characters>`. The text is not kept: show it now.

        Needs the tenant's scope.

        Args:
            bounds: `scopes`, every one without it; `agent_id` or `user_id`, the one that the key speaks for;
                `requests_a_minute` and `events_a_minute`.

        Raises:
            Invalid: there is no scope, or a key that speaks for one agent or user would manage the tenant.
        """
        prefix, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
        key = ApiKey(
            tenant=tenant, name=name, prefix=prefix, secret_hash=hash_secret(secret), expires_at=expires_at, **bounds
        )
        key.check_bounds()
        key.save(force_insert=True)
        return key, f"{KEY_MARK}_{prefix}_{secret}"

    def presented(self, text: str) -> "ApiKey | None":
        """The usable key whose text this is; needs no tenant's scope. None for anything else."""
        match = KEY_PATTERN.fullmatch(text)
        if match is None:
            return None
        prefix, secret = match.groups()
        for *row, suspended_at in sql.run("keys_with_prefix", {"prefix": prefix}):
            key = ApiKey(*row)
            if hmac.compare_digest(key.secret_hash, hash_secret(secret)) and key.is_usable(timezone.now()):
                key.is_suspended = suspended_at is not None
                return key
        return None


class ApiKey(models.Model):
    """One key. Only a hash of its secret is kept; the secret has 256 random bits, so a fast hash is enough.

    A key with an `agent_id` or a `user_id` speaks for that one alone. `requests_a_minute` and `events_a_minute` bound
    it beside what bounds its tenant; null does not. `replaces` is the prefix of the key in whose place it was made.
    """

    tenant = models.ForeignKey(Tenant, models.CASCADE)
    name = models.CharField(max_length=200)
    prefix = models.CharField(max_length=12, db_index=True)
    secret_hash = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    # `sql/keys_with_prefix.sql` has these in the same order.
    scopes = ArrayField(models.CharField(max_length=20), default=every_scope)
    agent_id = models.CharField(max_length=200, blank=True)
    user_id = models.CharField(max_length=200, blank=True)
    requests_a_minute = models.PositiveIntegerField(null=True)
    events_a_minute = models.PositiveIntegerField(null=True)
    last_used_from = models.CharField(max_length=64, blank=True)
    replaces = models.CharField(max_length=12, blank=True)

    # What the REST framework asks of whoever is authenticated.
    is_authenticated = True
    # Of the tenant, as it was when the key was presented.
    is_suspended = False

    objects = ApiKeyQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant", "prefix"], name="api_key_prefix_once")]

    def __str__(self) -> str:
        return f"{self.name} ({KEY_MARK}_{self.prefix}_…)"

    @property
    def is_bound(self) -> bool:
        """Whether the key speaks for one agent or user alone."""
        return bool(self.agent_id or self.user_id)

    def check_bounds(self) -> None:
        """Refuse scopes that are none, and a key that speaks for one agent or user but would manage the whole tenant.

        Raises:
            Invalid: it is so.
        """
        if not self.scopes or not set(self.scopes) <= set(Scope):
            raise Invalid(f"A key needs one or more of the scopes {', '.join(Scope)}.")
        if self.is_bound and Scope.MANAGE in self.scopes:
            raise Invalid("A key that speaks for one agent or user cannot have the scope manage.")

    def is_usable(self, now: datetime) -> bool:
        """Whether the key still opens anything at this time."""
        return self.revoked_at is None and (self.expires_at is None or self.expires_at > now)

    def most_a_minute(self, measure: Measure) -> int | None:
        """How much of a measure the key may take in a minute; None where only its tenant is bounded."""
        return self.requests_a_minute if measure == Measure.REQUESTS else self.events_a_minute

    def note_use(self, now: datetime, address: str) -> bool:
        """Remember that the key was used, unless another request did so just now; needs the tenant's scope.

        Returns whether it was used from another address than the last time that was noted.
        """
        if self.last_used_at is not None and now - self.last_used_at < LAST_USE_RESOLUTION:
            return False
        # Not waiting for each other: the row stays locked until the request that noted its use is answered.
        free = type(self).objects.select_for_update(skip_locked=True).filter(pk=self.pk)
        noted = type(self).objects.filter(pk__in=free.values("pk")).update(last_used_at=now, last_used_from=address)
        return bool(noted) and self.last_used_from not in ("", address)

    def rotate(self, now: datetime, overlap: timedelta) -> tuple["ApiKey", str]:
        """A key in the place of this one, which opens for `overlap` more, and the new one's text; needs the tenant's
        scope. A time at which this one ends anyway holds for the new one too.

        Raises:
            Invalid: this one opens nothing any more.
        """
        if not self.is_usable(now):
            raise Invalid("A key that opens nothing cannot be rotated: make a new one.")
        bounds = {
            name: getattr(self, name)
            for name in ("scopes", "agent_id", "user_id", "requests_a_minute", "events_a_minute")
        }
        made = type(self).objects.issue(self.tenant, self.name, self.expires_at, replaces=self.prefix, **bounds)
        until = now + overlap
        self.expires_at = min(until, self.expires_at) if self.expires_at else until
        self.save(update_fields=["expires_at"])
        return made

    def revoke(self, now: datetime) -> None:
        """From now on the key opens nothing; needs the tenant's scope."""
        self.revoked_at = self.revoked_at or now
        self.save(update_fields=["revoked_at"])


def hash_secret(secret: str) -> str:
    """SHA-256 of the secret, in hexadecimal digits."""
    return hashlib.sha256(secret.encode()).hexdigest()

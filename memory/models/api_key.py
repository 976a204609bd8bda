"""API keys: how agents and REST clients prove which tenant they write for."""

import hashlib
import hmac
import re
import secrets
from datetime import datetime, timedelta

from django.db import models
from django.utils import timezone

from memory import sql
from memory.models.tenant import Tenant

KEY_MARK = "ares"
KEY_PATTERN = re.compile(KEY_MARK + r"_([0-9a-f]{12})_([A-Za-z0-9_-]{43})", re.ASCII)
# The time of last use is told to the minute: a write for every request would cost more than the request.
LAST_USE_RESOLUTION = timedelta(minutes=1)


class ApiKeyQuerySet(models.QuerySet["ApiKey"]):
    """Keys are made by tenants and found by the text that a client presents."""

    def issue(self, tenant: Tenant, name: str, expires_at: datetime | None = None) -> tuple["ApiKey", str]:
        """A new key of a tenant, and its text: `ares_<12 hex>_<43 characters>`. The text is not kept: show it now.

        Needs the tenant's scope.
        """
        prefix, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
        key = self.create(
            tenant=tenant, name=name, prefix=prefix, secret_hash=hash_secret(secret), expires_at=expires_at
        )
        return key, f"{KEY_MARK}_{prefix}_{secret}"

    def presented(self, text: str) -> "ApiKey | None":
        """The usable key whose text this is; needs no tenant's scope. None for anything else."""
        match = KEY_PATTERN.fullmatch(text)
        if match is None:
            return None
        prefix, secret = match.groups()
        for row in sql.run("keys_with_prefix", {"prefix": prefix}):
            key = ApiKey(*row)
            if hmac.compare_digest(key.secret_hash, hash_secret(secret)) and key.is_usable(timezone.now()):
                return key
        return None


class ApiKey(models.Model):
    """One key. Only a hash of its secret is kept; the secret has 256 random bits, so a fast hash is enough."""

    tenant = models.ForeignKey(Tenant, models.CASCADE)
    name = models.CharField(max_length=200)
    prefix = models.CharField(max_length=12, db_index=True)
    secret_hash = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    # What the REST framework asks of whoever is authenticated.
    is_authenticated = True

    objects = ApiKeyQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant", "prefix"], name="api_key_prefix_once")]

    def __str__(self) -> str:
        return f"{self.name} ({KEY_MARK}_{self.prefix}_…)"

    def is_usable(self, now: datetime) -> bool:
        """Whether the key still opens anything at this time."""
        return self.revoked_at is None and (self.expires_at is None or self.expires_at > now)

    def note_use(self, now: datetime) -> None:
        """Remember that the key was used, unless another request does so just now; needs the tenant's scope."""
        if self.last_used_at is None or now - self.last_used_at >= LAST_USE_RESOLUTION:
            # Not waiting for each other: the row stays locked until the request that noted its use is answered.
            free = type(self).objects.select_for_update(skip_locked=True).filter(pk=self.pk)
            type(self).objects.filter(pk__in=free.values("pk")).update(last_used_at=now)

    def revoke(self, now: datetime) -> None:
        """From now on the key opens nothing; needs the tenant's scope."""
        self.revoked_at = self.revoked_at or now
        self.save(update_fields=["revoked_at"])


def hash_secret(secret: str) -> str:
    """SHA-256 of the secret, in hexadecimal digits."""
    return hashlib.sha256(secret.encode()).hexdigest()

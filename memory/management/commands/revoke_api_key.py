"""`manage.py revoke_api_key PREFIX --tenant T`: from now on the key opens nothing."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from memory import audit
from memory.errors import NotFound
from memory.models import ApiKey, Tenant
from memory.tenancy import tenant_scope


class Command(BaseCommand):
    """Revokes an API key; without a prefix it lists the tenant's keys."""

    help = "Revoke an API key by its prefix, the twelve digits behind `ares_`; without one, list the tenant's keys."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("prefix", nargs="?", help="the twelve digits of the key")
        parser.add_argument("--tenant", required=True, help="the tenant's slug")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            tenant = Tenant.objects.named(options["tenant"])
        except NotFound as error:
            raise CommandError(error.detail) from error
        with tenant_scope(tenant.pk):
            if options["prefix"]:
                self._revoke(options["prefix"])
            else:
                self._list()

    def _revoke(self, prefix: str) -> None:
        key = ApiKey.objects.filter(prefix=prefix).first()
        if key is None:
            raise CommandError(f"There is no key with the prefix {prefix!r}. Without a prefix all keys are listed.")
        key.revoke(timezone.now())
        audit.record("command:revoke_api_key", "key.revoked", str(key))
        self.stdout.write(f"Revoked {key}.")

    def _list(self) -> None:
        for key in ApiKey.objects.order_by("created_at"):
            usable = "usable" if key.is_usable(timezone.now()) else "revoked" if key.revoked_at else "expired"
            used = f"last used {key.last_used_at:%Y-%m-%d %H:%M} UTC" if key.last_used_at else "never used"
            self.stdout.write(f"{key.prefix}  {usable:8} {used:32} {key.name}")

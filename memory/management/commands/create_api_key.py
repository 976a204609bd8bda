"""`manage.py create_api_key --tenant T --name N`: prints the key alone, for scripts."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from memory import audit, tenants
from memory.errors import AresError
from memory.models import ApiKey
from memory.models.api_key import every_scope
from memory.tenancy import tenant_scope
from memory.vocabulary import Scope

MOST_DAYS = 36_500


class Command(BaseCommand):
    """Makes an API key; a tenant that does not exist yet is opened."""

    help = "Make an API key for a tenant (opened if it is new) and print it. It is shown this once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--tenant", required=True, help="the tenant's slug: lower-case letters, digits, dashes")
        parser.add_argument("--name", required=True, help="what the key is for")
        parser.add_argument(
            "--scope", action="append", choices=list(Scope), help="what the key may do, once for each; all without it"
        )
        whom = parser.add_mutually_exclusive_group()
        whom.add_argument("--agent", default="", help="the key speaks for this agent alone")
        whom.add_argument("--user", default="", help="the key speaks for this user alone")
        parser.add_argument("--expires-in", type=int, metavar="DAYS", help="the key opens nothing after so many days")

    def handle(self, *args: Any, **options: Any) -> None:
        days = options["expires_in"]
        if days is not None and not 1 <= days <= MOST_DAYS:
            raise CommandError(f"--expires-in must be a whole number of days from 1 to {MOST_DAYS}.")
        expires_at = timezone.now() + timedelta(days=days) if days else None
        try:
            tenant, opened = tenants.get_or_open(options["tenant"])
        except AresError as error:
            raise CommandError(error.detail) from error
        if opened:
            self.stderr.write(f"Opened tenant {tenant.slug}.")
        with tenant_scope(tenant.pk):
            try:
                key, text = ApiKey.objects.issue(
                    tenant,
                    options["name"],
                    expires_at,
                    scopes=options["scope"] or every_scope(),
                    agent_id=options["agent"],
                    user_id=options["user"],
                )
            except AresError as error:
                raise CommandError(error.detail) from error
            audit.record("command:create_api_key", "key.created", str(key), scopes=key.scopes)
        self.stdout.write(text)

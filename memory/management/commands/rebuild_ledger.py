"""`manage.py rebuild_ledger [--tenant T]`: the token ledger made again from the events."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memory import jobs
from memory.models import Tenant


class Command(BaseCommand):
    """Makes every stream's entries again, a transaction each. Agents may go on meanwhile."""

    help = "Make the token ledger again from the recorded events: after an update, or when prices were corrected."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--tenant", help="only this tenant's streams")

    def handle(self, *args: Any, **options: Any) -> None:
        tenants = Tenant.objects.order_by("slug")
        if options["tenant"]:
            tenants = tenants.filter(slug=options["tenant"])
            if not tenants:
                raise CommandError(f"There is no tenant {options['tenant']!r}.")
        for tenant in tenants:
            self.stdout.write(f"{tenant.slug}: {jobs.rebuild_ledger(tenant.pk):,} entries")

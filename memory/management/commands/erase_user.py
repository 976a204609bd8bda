"""`manage.py erase_user USER_ID --tenant T [--dry-run]`: erases a user's content and prints a receipt."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memory import audit
from memory.errors import AresError
from memory.manager import MemoryManager
from memory.models import Tenant
from memory.tenancy import tenant_scope

ACTOR = "command:erase_user"
_MANAGER = MemoryManager(ACTOR, lambda _: None)


class Command(BaseCommand):
    """Erases what is recorded of one user of the tenant's agents."""

    help = (
        "Erase a user's sessions and the content of the user's other streams. The receipt, as JSON, counts what went."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user_id", metavar="USER_ID", help="the user's id, as the agents gave it")
        parser.add_argument("--tenant", required=True, help="the tenant's slug")
        parser.add_argument("--dry-run", action="store_true", help="count what would go, and change nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with tenant_scope(Tenant.objects.named(options["tenant"]).pk):
                if options["dry_run"]:
                    receipt = _MANAGER.count_user(options["user_id"])
                else:
                    receipt = _MANAGER.erase_user(options["user_id"])
                    audit.record(ACTOR, "user.erased", audit.digest_of(options["user_id"]), rows=receipt["rows"])
        except AresError as error:
            raise CommandError(error.detail) from error
        if options["dry_run"]:
            receipt = {**receipt, "erased_at": None}
        self.stdout.write(json.dumps(receipt, indent=2, default=str, ensure_ascii=False))

"""`manage.py add_member EMAIL --tenant T [--role R]`: lets a person see a tenant."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memory import people, tenants
from memory.errors import AresError
from memory.models import Tenant
from memory.vocabulary import Role


class Command(BaseCommand):
    """Makes a person a member of a tenant; one who is new gets a random password, which is printed."""

    help = "Make a person a member of a tenant. Somebody new gets a random password, printed this once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email")
        parser.add_argument("--tenant", required=True, help="the tenant's slug")
        parser.add_argument("--role", choices=list(Role), default=Role.VIEWER)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            tenant = Tenant.objects.named(options["tenant"])
            user, password = people.get_or_create(options["email"])
        except AresError as error:
            raise CommandError(error.detail) from error
        if password:
            self.stdout.write(f"{user.email}  {password}")
        tenants.join(user, tenant, options["role"], "command:add_member")
        self.stdout.write(f"{user.email} is {options['role']} of {tenant.slug}.")

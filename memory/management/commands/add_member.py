"""`manage.py add_member EMAIL --tenant T [--role R]`: lets a person see a tenant."""

import secrets
from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.core.validators import validate_email

from memory import tenants
from memory.errors import NotFound
from memory.models import Tenant, User
from memory.vocabulary import Role


class Command(BaseCommand):
    """Makes a person a member of a tenant; one who is new gets a random password, which is printed."""

    help = "Make a person a member of a tenant. Somebody new gets a random password, printed this once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email")
        parser.add_argument("--tenant", required=True, help="the tenant's slug")
        parser.add_argument("--role", choices=list(Role), default=Role.VIEWER)

    def handle(self, *args: Any, **options: Any) -> None:
        email = options["email"].lower()
        try:
            validate_email(email)
            tenant = Tenant.objects.named(options["tenant"])
        except ValidationError as error:
            raise CommandError(f"{email!r} is no e-mail address.") from error
        except NotFound as error:
            raise CommandError(error.detail) from error
        user = User.objects.filter(email=email).first()
        if user is None:
            password = secrets.token_urlsafe(12)
            user = User.objects.create_user(email, password)
            self.stdout.write(f"{email}  {password}")
        tenants.join(user, tenant, options["role"], "command:add_member")
        self.stdout.write(f"{email} is {options['role']} of {tenant.slug}.")

"""`manage.py create_admin EMAIL`: makes an administrator of the installation."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memory import people
from memory.errors import AresError


class Command(BaseCommand):
    """Makes somebody an administrator; one who is new gets a random password, which is printed."""

    help = "Make somebody an administrator of the installation. Somebody new gets a random password, printed this once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            user, password = people.get_or_create(options["email"])
        except AresError as error:
            raise CommandError(error.detail) from error
        user.is_superuser = user.is_staff = True
        user.save(update_fields=["is_superuser", "is_staff"])
        if password:
            self.stdout.write(f"{user.email}  {password}")
        self.stdout.write(f"{user.email} is an administrator of the installation.")

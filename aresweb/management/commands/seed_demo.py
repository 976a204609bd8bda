"""`manage.py seed_demo`: lets the demo agent work and records it through the API of a running server."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from aresweb import bootstrap
from aresweb.demo import DemoError, run_each


class Command(BaseCommand):
    """Records the demo runs; those that are recorded already stay as they are."""

    help = "Record the demo runs through the API of a running server. Running it again records nothing twice."

    def add_arguments(self, parser: ArgumentParser) -> None:
        address = f"http://127.0.0.1:{settings.ARES_PORT}"
        parser.add_argument("--url", default=address, help=f"where the server listens ({address})")
        parser.add_argument("--key", help="an API key (the one that `make run` announced)")

    def handle(self, *args: Any, **options: Any) -> None:
        key = options["key"] or bootstrap.kept_api_key(settings.HOME, bootstrap.DEMO_TENANT)
        if not key:
            raise CommandError("Give an API key: --key ares_…")
        try:
            for seeded in run_each(options["url"], key):
                self.stdout.write(f"  {'recorded' if seeded.new else 'known   '}  {seeded.title}")
                self.stdout.flush()
        except DemoError as error:
            raise CommandError(str(error)) from error

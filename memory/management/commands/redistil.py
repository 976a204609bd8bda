"""Runs past sessions through the refinery again with other settings, into drafts that an operator accepts or drops."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memory import worker
from memory.distillation import redistil
from memory.errors import AresError
from memory.models import Distillation, Stream, Tenant
from memory.tenancy import tenant_scope
from memory.vocabulary import Queue

ACTOR = "command:redistil"


class Command(BaseCommand):
    """Try other rules on past sessions, and tell what they would change."""

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        """The arguments."""
        parser.add_argument("streams", nargs="+", metavar="SESSION", help="ids of sessions, or names of streams")
        parser.add_argument("--tenant", required=True)
        told = "a setting to try, or ARES_LLM_MODEL"
        parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help=told)

    def handle(self, *args: Any, **options: Any) -> None:
        """Draft each session anew, and print the difference."""
        rules = dict(each.partition("=")[::2] for each in options["set"])
        try:
            tenant = Tenant.objects.named(options["tenant"])
            with tenant_scope(tenant.pk):
                started = [redistil.start(Stream.objects.named(name), rules, ACTOR).pk for name in options["streams"]]
            while worker.work(tenant.pk, Queue.DISTILLATION):
                pass
            for distillation_id in started:
                with tenant_scope(tenant.pk):
                    self._tell(Distillation.objects.with_id(distillation_id))
        except AresError as error:
            raise CommandError(error.detail) from error

    def _tell(self, made: Distillation) -> None:
        self.stdout.write(f"{made.pk} ({made.stream_name}): {made.status} {made.error}".rstrip())
        told = redistil.difference(made)
        for sign, experiences in (("+", told.added), ("-", told.gone)):
            for each in experiences:
                self.stdout.write(f"  {sign} {each.text!r}")
        for now, then in told.changed:
            self.stdout.write(f"  ~ {now.text!r} -> {then.text!r}")

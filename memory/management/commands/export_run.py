"""`manage.py export_run STREAM --tenant T [--output FILE]`: writes a run as JSON Lines that verify elsewhere."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memory.errors import AresError
from memory.events import export
from memory.models import Stream, Tenant
from memory.tenancy import tenant_scope


class Command(BaseCommand):
    """Exports one run to a file or to the standard output."""

    help = "Write a run with its hashes as JSON Lines, which import_runs records elsewhere."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("stream", help="the name of the run's stream")
        parser.add_argument("--tenant", required=True, help="the tenant that the run belongs to")
        parser.add_argument("--output", type=Path, metavar="FILE", help="a file that is not there yet; else the output")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            tenant = Tenant.objects.named(options["tenant"])
            with tenant_scope(tenant.pk):
                stream = Stream.objects.named(options["stream"])
            lines = export.lines(stream)
        except AresError as error:
            raise CommandError(error.detail) from error
        if options["output"] is None:
            sys.stdout.buffer.writelines(lines)
            return
        try:
            with options["output"].open("xb") as file:
                file.writelines(lines)
        except OSError as error:
            raise CommandError(f"{options['output']} cannot be written: {error.strerror}.") from error
        self.stderr.write(f"Wrote {stream.version} events to {options['output']}.")

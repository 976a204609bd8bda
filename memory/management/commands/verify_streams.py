"""`manage.py verify_streams [--tenant T] [--stream NAME] [--json FILE|-]`: whether streams are as recorded."""

import json
import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from memory import audit
from memory.errors import AresError, NotFound
from memory.events import verification
from memory.models import Finding, Stream, Tenant
from memory.tenancy import tenant_scope

FAULTY, FAILED = 1, 2
# What findings about a tenant's audit log name in the place of a stream.
AUDIT_LOG = "audit log"


@dataclass(frozen=True, slots=True)
class Told:
    """A finding with where it is."""

    tenant: str
    stream: str
    version: int
    fault: str
    detail: str


@dataclass(slots=True)
class Report:
    """What a run of the command found. `seconds` is how long it took."""

    started_at: str
    seconds: float
    streams: int
    events: int
    audit_entries: int
    faults: int
    findings: list[Told]


class Command(BaseCommand):
    """Verifies streams and audit logs, with a progress bar, an exit code and a report for machines."""

    help = (
        "Verify that streams and audit logs are as they were recorded. Exit code 0: all are; 1: there are faults; "
        "2: it failed."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--tenant", help="only this tenant's streams")
        parser.add_argument("--stream", help="only the stream of this name")
        parser.add_argument("--json", metavar="FILE", help="write a report as JSON; - is the standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            chosen = list(_chosen(options["tenant"], options["stream"]))
            report = verify(chosen, Console(stderr=True))
            if options["stream"] is None:
                verify_logs(report, options["tenant"])
            if options["json"]:
                self._write(json.dumps(asdict(report), indent=2), options["json"])
        except AresError as error:
            raise CommandError(error.detail, returncode=FAILED) from error
        except (DatabaseError, OSError) as error:
            raise CommandError(f"Verification failed: {error}", returncode=FAILED) from error
        if options["json"] != "-":
            self._tell(report)
        if report.faults:
            sys.exit(FAULTY)

    def _write(self, text: str, where: str) -> None:
        if where == "-":
            self.stdout.write(text)
        else:
            Path(where).write_text(text + "\n")

    def _tell(self, report: Report) -> None:
        for found in report.findings:
            kind = "entry" if found.stream == AUDIT_LOG else "event"
            where = f"{found.tenant}: {found.stream}, {kind} {found.version}"
            self.stdout.write(f"{where}: {found.fault}. {found.detail}")
        result = f"{report.faults:,} fault{'s' * (report.faults > 1)}" if report.faults else "all in order"
        self.stdout.write(
            f"{report.streams:,} streams with {report.events:,} events in {report.seconds:,.1f} s, "
            f"and {report.audit_entries:,} entries of audit logs: {result}."
        )


def verify(chosen: list[tuple[Tenant, int]], console: Console) -> Report:
    """Verify these streams, each in a transaction of its own, and show progress on the console."""
    began = time.monotonic()
    report = Report(datetime.now(UTC).isoformat(timespec="seconds"), 0.0, 0, 0, 0, 0, [])
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console) as progress:
        for tenant, stream_id in progress.track(chosen, description="Verifying"):
            with tenant_scope(tenant.pk):
                stream = Stream.objects.get(pk=stream_id)
                result = verification.verify(stream)
                found = Finding.objects.in_stream(stream)
                report.findings += [
                    Told(tenant.slug, stream.name, each.version, each.fault, each.detail) for each in found
                ]
            report.streams += 1
            report.events += result.version
            report.faults += result.faults
    report.seconds = round(time.monotonic() - began, 3)
    return report


def verify_logs(report: Report, slug: str | None) -> None:
    """Verify the tenants' audit logs, or that of one, and add to the report."""
    for tenant in [Tenant.objects.named(slug)] if slug else list(Tenant.objects.order_by("slug")):
        with tenant_scope(tenant.pk):
            verified = audit.verify()
        report.audit_entries += verified.entries
        report.faults += len(verified.faults)
        report.findings += [
            Told(tenant.slug, AUDIT_LOG, each.number, each.fault, each.detail) for each in verified.faults
        ]


def _chosen(slug: str | None, name: str | None) -> Iterator[tuple[Tenant, int]]:
    """The streams to verify, each with its tenant.

    Raises:
        NotFound: there is no such tenant, or no such stream anywhere.
    """
    tenants = [Tenant.objects.named(slug)] if slug else list(Tenant.objects.order_by("slug"))
    is_there = name is None
    for tenant in tenants:
        with tenant_scope(tenant.pk):
            streams = Stream.objects.order_by("pk") if name is None else Stream.objects.filter(name=name)
            rows = list(streams.values_list("pk", flat=True))
        is_there = is_there or bool(rows)
        yield from ((tenant, row) for row in rows)
    if not is_there:
        raise NotFound(f"There is no stream {name!r}.")

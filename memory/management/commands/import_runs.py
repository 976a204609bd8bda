"""`manage.py import_runs PATH... --tenant T [--format F]`: records agent runs that were made elsewhere."""

from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any, cast

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from memory import tenants
from memory.errors import AresError
from memory.imports import formats, recorder
from memory.imports.report import Report
from memory.imports.run import Format, Run, Skipped
from memory.tenancy import tenant_scope

# More lines than that would push the summary out of sight.
MOST_SKIPPED = 40


class Command(BaseCommand):
    """Imports files and folders, with a progress bar and a summary."""

    help = "Record agent runs from files or folders. Running it again records nothing twice."

    def add_arguments(self, parser: ArgumentParser) -> None:
        names = ", ".join(known.NAME for known in formats.FORMATS)
        parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="files, or folders to look through")
        parser.add_argument("--tenant", required=True, help="the tenant that the runs belong to; opened if it is new")
        parser.add_argument("--format", help=f"read every file as this format ({names}) instead of detecting it")

    def handle(self, *args: Any, **options: Any) -> None:
        named = None
        if options["format"]:
            named = formats.by_name(options["format"])
            if named is None:
                names = ", ".join(known.NAME for known in formats.FORMATS)
                raise CommandError(f"There is no format {options['format']!r}. There are: {names}.")
        missing = [str(path) for path in options["paths"] if not path.exists()]
        if missing:
            raise CommandError(f"No such file or folder: {', '.join(missing)}")
        try:
            tenant, opened = tenants.get_or_open(options["tenant"])
        except AresError as error:
            raise CommandError(error.detail) from error
        if opened:
            self.stderr.write(f"Opened tenant {tenant.slug}.")
        report = Report()
        try:
            import_files(report, list(_files(options["paths"])), tenant.pk, named, Console(stderr=True))
        except KeyboardInterrupt:
            self.stderr.write("Interrupted: what is counted here is recorded; run it again for the rest.")
        _print(report, Console(file=cast(IO[str], self.stdout)))
        if not report.runs:
            raise CommandError("No run was read.")


def import_files(report: Report, paths: list[Path], tenant_id: int, named: Format | None, console: Console) -> None:
    """Import the files, each run in a transaction of its own, count it, and show progress on the console."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console) as progress:
        bar = progress.add_task("Reading", total=len(paths))
        for path in paths:
            progress.update(bar, description=f"Reading {path.name}")
            for item, name in _items(path, named):
                _take(item, name, tenant_id, report)
            progress.advance(bar)


def _items(path: Path, named: Format | None) -> Iterator[tuple[Run | Skipped, str]]:
    """What a file holds, each with the name of its format."""
    try:
        known = named or formats.detect(path)
        if known is None:
            yield Skipped(str(path), "of no known format"), ""
            return
        for item in known.read(path):
            yield item, known.NAME
    except OSError as error:
        yield Skipped(str(path), f"cannot be read: {error.strerror}"), ""


def _take(item: Run | Skipped, format_name: str, tenant_id: int, report: Report) -> None:
    if isinstance(item, Skipped):
        report.skipped.append(item)
        return
    report.files[format_name] += 1
    try:
        with tenant_scope(tenant_id):
            recorded = recorder.record(item, format_name)
    except AresError as error:
        report.skipped.append(Skipped(item.key, f"{error.title}: {error.detail}"))
    except DatabaseError as error:
        report.skipped.append(Skipped(item.key, f"PostgreSQL refused it: {error}"))
    else:
        report.add(item, recorded)


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    """The files themselves, and those in the folders, in the order of their names; hidden ones are left out."""
    for path in paths:
        if path.is_dir():
            inner = (file for file in path.rglob("*") if file.is_file() and not file.name.startswith("."))
            yield from sorted(inner)
        else:
            yield path


def _print(report: Report, console: Console) -> None:
    table = Table(title="Imported", title_justify="left", show_header=False)
    table.add_column(justify="left")
    table.add_column(justify="right")
    sections = (
        ("runs read, by format", report.files),
        ("read, in the origin's units", report.units),
        ("events in the runs", report.events),
        ("runs", report.results),
    )
    for title, counts in sections:
        table.add_row(f"[bold]{title}[/]", "")
        for name, count in counts.items():
            table.add_row(f"  {name}", f"{count:,}")
        table.add_section()
    table.add_row("events newly recorded", f"{report.new_events:,}")
    table.add_row("skipped", f"{len(report.skipped):,}")
    console.print(table)
    for skipped in report.skipped[:MOST_SKIPPED]:
        console.print(f"skipped {skipped.where}: {skipped.reason}", highlight=False, markup=False)
    if len(report.skipped) > MOST_SKIPPED:
        console.print(f"… and {len(report.skipped) - MOST_SKIPPED:,} more")

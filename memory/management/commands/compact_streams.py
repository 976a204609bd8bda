"""`manage.py compact_streams [--tenant T] [--stream S] [--keep N]`: moves older events into compressed segments."""

from argparse import ArgumentParser
from collections.abc import Iterable
from typing import IO, Any, cast

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from memory.errors import AresError, Damaged
from memory.events import compaction
from memory.events.compaction import Moved
from memory.models import Stream, Tenant
from memory.tenancy import tenant_scope


class Command(BaseCommand):
    """Compacts the streams that have grown long, or those named."""

    help = "Move the older events of streams into compressed segments. Nothing is lost; it may be interrupted."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--tenant", help="the tenant's slug; every tenant without it")
        parser.add_argument("--stream", help="this stream alone; needs --tenant")
        parser.add_argument(
            "--keep",
            type=int,
            help="how many of the newest events stay where they are; ARES_HOT_EVENTS without it, and then only "
            "streams that have ARES_SEGMENT_EVENTS more are compacted",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["stream"] and not options["tenant"]:
            raise CommandError("--stream needs --tenant.")
        if options["keep"] is not None and options["keep"] < 0:
            raise CommandError("--keep must not be negative.")
        try:
            tenants = [Tenant.objects.named(options["tenant"])] if options["tenant"] else list(Tenant.objects.all())
            found = [
                (tenant.pk, stream)
                for tenant in tenants
                for stream in _streams(tenant.pk, options["stream"], options["keep"])
            ]
        except AresError as error:
            raise CommandError(error.detail) from error
        moved, damaged = _compact(found, options["keep"], Console(stderr=True))
        Console(file=cast(IO[str], self.stdout)).print(_summary(moved))
        for detail in damaged:
            self.stderr.write(detail)
        if damaged:
            raise CommandError(f"{len(damaged)} streams are damaged; from there on nothing of them was moved.")


def _streams(tenant_id: int, name: str | None, keep: int | None) -> list[Stream]:
    with tenant_scope(tenant_id):
        if name:
            return [Stream.objects.named(name)]
        if keep is not None:
            return list(Stream.objects.with_hot_events(keep + 1).order_by("pk"))
    return compaction.due(tenant_id)


def _compact(found: Iterable[tuple[int, Stream]], keep: int | None, console: Console) -> tuple[Moved, list[str]]:
    """What was moved, and what is wrong with the streams of which not everything could be."""
    found = list(found)
    moved, damaged = Moved(), []
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console) as progress:
        bar = progress.add_task("Compacting", total=len(found))
        for tenant_id, stream in found:
            progress.update(bar, description=f"Compacting {stream.name}")
            try:
                for step in compaction.moves(tenant_id, stream, keep):
                    moved += step
            except Damaged as error:
                damaged.append(error.detail)
            progress.advance(bar)
    return moved, damaged


def _summary(moved: Moved) -> Table:
    table = Table(title="Compacted", title_justify="left", show_header=False)
    table.add_column(justify="left")
    table.add_column(justify="right")
    table.add_row("events moved", f"{moved.events:,}")
    table.add_row("segments made", f"{moved.segments:,}")
    table.add_row("bytes before, as text", f"{moved.raw_bytes:,}")
    table.add_row("bytes after, compressed", f"{moved.stored_bytes:,}")
    return table

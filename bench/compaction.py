"""What compaction saves and what it costs: bytes before and after, and the time of reading hot and cold events.

Bytes are what PostgreSQL gives the tables, their indexes and TOAST (`pg_total_relation_size`) after VACUUM FULL: of
`memory_event` before, of `memory_event`, `memory_segment` and `memory_archivedid` after. Sample runs are read from
ARES_SAMPLE_DATA where it is set. Every event is archived, to see the whole effect.
"""

import os
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

from rich.console import Console

from bench.report import publish, seconds
from bench.samples import events
from bench.server import Client, Installation

LENGTH = 100_000
BATCH = 1000
VERSION = 50_499
TIMES = 41


def run(place: Installation) -> None:
    """Measure a made-up stream and, where there are some, sample runs; publish sizes and times."""
    sizes = []
    times = _made_up(place, sizes)
    samples = os.environ.get("ARES_SAMPLE_DATA")
    if samples:
        sizes.append(_measured("sample runs", place, lambda: _import(place, Path(samples))))
    publish(
        "compaction",
        "Bytes in PostgreSQL before and after archiving every event",
        ("what", "events", "before", "after", "ratio", "events/s"),
        sizes,
    )
    publish(
        "compaction-reading",
        f"Reading around event {VERSION:,} of {LENGTH:,}, median ms",
        ("what", "hot", "cold", "cold / hot"),
        [(name, *pair, pair[1] / pair[0]) for name, pair in times.items()],
    )


def _made_up(place: Installation, sizes: list[tuple[Any, ...]]) -> dict[str, tuple[float, float]]:
    hot: dict[str, float] = {}

    def fill() -> None:
        client = Client(place)
        batch = events(BATCH)
        for _ in range(LENGTH // BATCH):
            client.append("compacted", batch)

    def read_hot() -> None:
        hot.update(_reading(place))

    sizes.append(_measured("made-up stream", place, fill, read_hot))
    cold = _reading(place)
    return {name: (span, cold[name]) for name, span in hot.items()}


def _measured(
    name: str, place: Installation, fill: Callable[[], None], before_archiving: Callable[[], None] = lambda: None
) -> tuple[Any, ...]:
    from memory.events import compaction
    from memory.models import Stream
    from memory.tenancy import tenant_scope

    with tenant_scope(place.tenant_id):
        there = set(Stream.objects.values_list("pk", flat=True))
    empty = _bytes()
    fill()
    before = _bytes() - empty
    before_archiving()
    with tenant_scope(place.tenant_id):
        streams = list(Stream.objects.exclude(pk__in=there))
    began = perf_counter()
    moved = sum(compaction.compact(place.tenant_id, stream, keep=0).events for stream in streams)
    rate = moved / (perf_counter() - began)
    after = _bytes() - empty
    return name, moved, before, after, before / after, rate


def _bytes() -> int:
    from django.db import connection

    from aresweb.database.base import as_owner

    with as_owner(connection) as cursor:
        total = 0
        for table in ("memory_event", "memory_segment", "memory_archivedid"):
            cursor.execute(f"VACUUM FULL {table}")
            cursor.execute("SELECT pg_total_relation_size(%s::regclass)", [table])
            total += cursor.fetchone()[0]
        return total


def _reading(place: Installation) -> dict[str, float]:
    """Median milliseconds of what the replay asks for."""
    from memory.events import history, state
    from memory.flight import timeline
    from memory.models import Stream
    from memory.tenancy import tenant_scope

    with tenant_scope(place.tenant_id):
        stream = Stream.objects.named("compacted")
        state.take_snapshots(stream)
        works: dict[str, Callable[[], Any]] = {
            "one event": lambda: history.read(stream, VERSION, VERSION),
            "100 rows of the timeline": lambda: timeline.window(stream, VERSION - 50, VERSION + 49),
            "state, 499 events behind a snapshot": lambda: state.state_at(stream, VERSION),
            "the whole strip": lambda: timeline.letters(stream),
        }
        return {name: seconds(work, TIMES) * 1000 for name, work in works.items()}


def _import(place: Installation, folder: Path) -> None:
    from memory.management.commands.import_runs import Report, import_files

    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    import_files(Report(), paths, place.tenant_id, None, Console(stderr=True))

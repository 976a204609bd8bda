"""Tables on the terminal and JSON in `bench/results/`."""

import json
import os
import platform
import statistics
import subprocess
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

RESULTS = Path(__file__).parent / "results"


class Chart(NamedTuple):
    """How a table is drawn as curves: the column along the bottom, those of the curves, and what these are."""

    x: str
    y: tuple[str, ...]
    label: str


def publish(
    name: str, title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], chart: Chart | None = None
) -> None:
    """Print a table and write it as `<name>.json`: `{title, measured_at, commit, machine, chart, rows: [{column:
    value}]}`. The dashboard shows it."""
    table = Table(title=title, title_justify="left")
    for index, column in enumerate(columns):
        table.add_column(column, justify="right" if index else "left")
    for row in rows:
        table.add_row(*map(_cell, row))
    Console(width=110).print(table)
    RESULTS.mkdir(exist_ok=True)
    content = {
        "title": title,
        "measured_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": COMMIT,
        "machine": _machine(),
        "chart": chart._asdict() if chart else None,
        "rows": [dict(zip(columns, row, strict=True)) for row in rows],
    }
    (RESULTS / f"{name}.json").write_text(json.dumps(content, indent=2) + "\n")


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _commit() -> str:
    """The commit that was measured, with a plus where files were changed since, but for results; empty outside of a
    repository."""
    try:
        changed = _git("status", "--porcelain", "--untracked-files=no", "--", ".", ":(exclude)bench/results")
        return _git("rev-parse", "--short=12", "HEAD") + ("+" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return ""


def _git(*arguments: str) -> str:
    root = Path(__file__).parents[1]
    return subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=True).stdout.strip()


def _machine() -> str:
    """Processor, its cores, memory, system and Python; nothing that names the machine."""
    model = platform.processor() or platform.machine()
    if (cpu := Path("/proc/cpuinfo")).exists():
        named = [line.partition(":")[2].strip() for line in cpu.read_text().splitlines() if "model name" in line]
        model = named[0] if named else model
    gibibytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    system = f"{platform.system()}, Python {platform.python_version()}"
    return f"{model}, {os.cpu_count()} cores, {gibibytes:.0f} GiB, {system}"


# As the benchmark begins: what is committed while it runs is not what it measures.
COMMIT = _commit()


def seconds(work: Callable[[], Any], times: int) -> float:
    """The median time of one call, after one that does not count."""
    work()
    spans = []
    for _ in range(times):
        began = perf_counter()
        work()
        spans.append(perf_counter() - began)
    return statistics.median(spans)

"""Tables on the terminal and JSON in `bench/results/`."""

import json
import statistics
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.table import Table

RESULTS = Path(__file__).parent / "results"


def publish(name: str, title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print a table and write it as `<name>.json`: `{title, measured_at, rows: [{column: value}]}`."""
    table = Table(title=title, title_justify="left")
    for index, column in enumerate(columns):
        table.add_column(column, justify="right" if index else "left")
    for row in rows:
        table.add_row(
            *(
                f"{cell:,.3g}" if isinstance(cell, float) else f"{cell:,}" if isinstance(cell, int) else str(cell)
                for cell in row
            )
        )
    Console(width=110).print(table)
    RESULTS.mkdir(exist_ok=True)
    content = {
        "title": title,
        "measured_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "rows": [dict(zip(columns, row, strict=True)) for row in rows],
    }
    (RESULTS / f"{name}.json").write_text(json.dumps(content, indent=2) + "\n")


def seconds(work: Callable[[], Any], times: int) -> float:
    """The median time of one call, after one that does not count."""
    work()
    spans = []
    for _ in range(times):
        began = perf_counter()
        work()
        spans.append(perf_counter() - began)
    return statistics.median(spans)

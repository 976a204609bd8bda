"""What `make bench` measured, read from the files that it wrote, as the page shows it."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, NoReturn

from django.conf import settings

from dashboard.charts.benchmarks import Chart, Figure, curves

FOLDER = Path(settings.BASE_DIR) / "bench" / "results"
# A larger file is none that a benchmark wrote.
MOST_BYTES = 1_000_000
MOST_ROWS = 200
# "19/20" is read like a number.
_SHARE = re.compile(r"\d+/\d+")


@dataclass(frozen=True, slots=True)
class Result:
    """One benchmark's table. `numeric` says of each column whether it holds numbers; `command` measures it again."""

    name: str
    title: str
    command: str
    measured_at: datetime
    commit: str
    machine: str
    columns: Sequence[str]
    numeric: Sequence[bool]
    rows: Sequence[Sequence[str]]
    figure: Figure | None

    @property
    def lines(self) -> list[list[tuple[str, bool]]]:
        """The heads and then the rows: each cell, and whether its column holds numbers."""
        return [list(zip(row, self.numeric, strict=True)) for row in (self.columns, *self.rows)]


@dataclass(frozen=True, slots=True)
class Measured:
    """All results, those of one benchmark in the order in which they were measured, and the names of files that hold
    none."""

    results: Sequence[Result]
    unreadable: Sequence[str]


def read(folder: Path) -> Measured:
    """The results in a folder; of each benchmark the newest, since measuring again writes it anew."""
    results, unreadable = [], []
    for path in sorted(folder.glob("*.json")):
        try:
            results.append(_result(path))
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            unreadable.append(path.name)
    return Measured(sorted(results, key=lambda each: (each.command, each.measured_at)), unreadable)


def _result(path: Path) -> Result:
    if path.stat().st_size > MOST_BYTES:
        raise ValueError(path.name)
    told = json.loads(path.read_text(encoding="utf-8"), parse_constant=_refused)
    rows = told["rows"][:MOST_ROWS]
    columns = list(dict.fromkeys(str(name) for row in rows for name in row))
    return Result(
        name=path.stem,
        title=str(told["title"]),
        command=f"make bench ARGS={path.stem.partition('-')[0]}",
        measured_at=_instant(told["measured_at"]),
        commit=str(told.get("commit") or ""),
        machine=str(told.get("machine") or ""),
        columns=columns,
        numeric=[all(_reads_as_number(row.get(name, 0)) for row in rows) for name in columns],
        rows=[[_text(row.get(name, "")) for name in columns] for row in rows],
        figure=_figure(told.get("chart"), rows),
    )


def _figure(told: Any, rows: Sequence[Mapping[str, Any]]) -> Figure | None:
    if not isinstance(told, Mapping):
        return None
    return curves(Chart(str(told["x"]), tuple(map(str, told["y"])), str(told.get("label", ""))), rows)


def _refused(constant: str) -> NoReturn:
    raise ValueError(constant)


def _instant(text: Any) -> datetime:
    at = datetime.fromisoformat(text)
    if at.tzinfo is None:
        raise ValueError(text)
    return at


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _reads_as_number(value: Any) -> bool:
    return _is_number(value) or (isinstance(value, str) and bool(_SHARE.fullmatch(value)))


def _text(value: Any) -> str:
    """A cell: whole numbers with their thousands, others with as many places as tell something."""
    if not _is_number(value):
        return "" if value is None else str(value)
    if isinstance(value, int):
        return f"{value:,}"
    size = abs(value)
    return f"{value:,.0f}" if size >= 1000 else f"{value:.1f}" if size >= 10 else f"{value:.3g}"

"""Curves of what was measured, and of what a tenant's own contexts saved, as figures of Plotly. Pure.

Colours are the names of the dashboard's own; the browser puts in the theme's.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from memory.tokens.savings import Row

Figure = dict[str, Any]

# One after the other; the first is what the product does, and stands out.
STROKES = (("--family-memory", "solid"), ("--ink-faint", "dash"), ("--family-llm", "dot"), ("--family-tool", "dashdot"))


class Chart(NamedTuple):
    """How a table is drawn: the column along the bottom, those of the curves, and what these are."""

    x: str
    y: tuple[str, ...]
    label: str


def curves(chart: Chart, rows: Sequence[Mapping[str, Any]]) -> Figure | None:
    """The curves of a table; None where a column is missing or holds anything but numbers."""
    for name in (chart.x, *chart.y):
        if not rows or not all(isinstance(row.get(name), int | float) for row in rows):
            return None
    along = [row[chart.x] for row in rows]
    data = [
        _line(name, along, [row[name] for row in rows], *STROKES[place % len(STROKES)])
        for place, name in enumerate(chart.y)
    ]
    return _figure(data, {"title": {"text": chart.x}, "tickvals": along}, chart.label)


def saved_by_day(days: Sequence[Row]) -> Figure | None:
    """What share of the tokens was not sent, a point a day; None where there was nothing to send."""
    shares = [(row.key.isoformat(), 100 * row.sums.saved_share) for row in days if row.sums.saved_share is not None]
    if not shares:
        return None
    dates = [date for date, _ in shares]
    line = _line("saved %", dates, [share for _, share in shares], *STROKES[0])
    ticks: Figure = {"tickvals": dates} if len(dates) <= 8 else {}
    return _figure([line], {"type": "date", "tickformat": "%b %-d", **ticks}, "tokens not sent, %")


def _figure(data: list[Figure], along: Figure, label: str) -> Figure:
    return {
        "data": data,
        "layout": {
            "height": 260,
            "margin": {"l": 56, "r": 12, "t": 12, "b": 44},
            "showlegend": len(data) > 1,
            "legend": {"orientation": "h", "y": 1.15},
            "hovermode": "x unified",
            "xaxis": {"fixedrange": True, **along},
            "yaxis": {"title": {"text": label}, "fixedrange": True, "nticks": 6},
        },
    }


def _line(name: str, along: Sequence[Any], values: Sequence[Any], color: str, dash: str) -> Figure:
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "x": list(along),
        "y": list(values),
        "line": {"color": color, "dash": dash, "width": 2},
        "marker": {"color": color, "size": 5},
        "hovertemplate": "%{y:.1f} " + name + "<extra></extra>",
    }

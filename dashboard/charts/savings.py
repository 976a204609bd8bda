"""Raw against sent tokens over time, as a figure of Plotly. Pure.

Colours are the names of the dashboard's own (`--ink-faint`); the browser puts in the theme's, and changes them with it.
"""

from collections.abc import Sequence
from typing import Any

from memory.tokens.savings import Row

Figure = dict[str, Any]


def raw_against_sent(days: Sequence[Row]) -> Figure:
    """Two bars a day, the sent one before the raw one, so that what stands out above is what was saved."""
    with_contexts = [row for row in days if row.sums.contexts]
    dates = [row.key.isoformat() for row in with_contexts]
    return {
        "data": [
            _bars("raw", dates, [row.sums.raw for row in with_contexts], "--line-strong"),
            _bars("sent", dates, [row.sums.sent for row in with_contexts], "--family-memory"),
        ],
        "layout": {
            "barmode": "overlay",
            "bargap": 0.35,
            "height": 260,
            "margin": {"l": 56, "r": 12, "t": 12, "b": 36},
            "showlegend": False,
            "hovermode": "x unified",
            "xaxis": {"type": "date", "tickformat": "%b %-d", "fixedrange": True, **_ticks(dates)},
            "yaxis": {"rangemode": "tozero", "tickformat": ",d", "fixedrange": True, "nticks": 5},
        },
    }


def _bars(name: str, dates: list[str], tokens: list[int], color: str) -> dict[str, Any]:
    return {
        "type": "bar",
        "name": name,
        "x": dates,
        "y": tokens,
        "marker": {"color": color},
        "width": 20 * 3600 * 1000,  # milliseconds
        "hovertemplate": "%{y:,d} " + name + "<extra></extra>",
    }


def _ticks(dates: list[str]) -> dict[str, Any]:
    """A tick for each day where they are few; Plotly would put hours between them."""
    return {"tickvals": dates} if len(dates) <= 8 else {}

"""The map of experiences, as a figure of Plotly: a mark an experience, its form by its kind. Pure.

The plane has no units: only what is near what means something, so that the axes are left out and keep their ratio.
"""

import textwrap
from collections.abc import Sequence
from html import escape
from typing import Any

from django.urls import reverse

from memory.layers.experience_map import Point
from memory.models import Experience
from memory.vocabulary import Kind

Figure = dict[str, Any]

SYMBOLS = {
    Kind.SOLUTION: "circle",
    Kind.FACT: "square",
    Kind.PREFERENCE: "diamond",
    Kind.PROFILE: "cross",
    Kind.PROCEDURE: "triangle-up",
    Kind.ABSTRACTION: "star",
}
# Of an experience, so much is read in passing.
HOVER_LENGTH = 200
HOVER_WIDTH = 48


def experience_map(points: Sequence[Point]) -> Figure:
    """A trace a kind, so that the legend tells the forms; `customdata` is the address of each experience."""
    traces = []
    for kind, symbol in SYMBOLS.items():
        of_kind = [point for point in points if point.experience.kind == kind]
        if of_kind:
            traces.append(_trace(kind, symbol, of_kind))
    bare = {"visible": False, "range": [-1.08, 1.08], "fixedrange": False}
    return {
        "data": traces,
        "layout": {
            "height": 560,
            "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
            "hovermode": "closest",
            "dragmode": "pan",
            "legend": {"orientation": "h", "x": 0, "y": -0.02},
            "xaxis": bare,
            "yaxis": {**bare, "scaleanchor": "x"},
        },
    }


def _trace(kind: str, symbol: str, points: Sequence[Point]) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": str(kind),
        "x": [point.x for point in points],
        "y": [point.y for point in points],
        "customdata": [reverse("dashboard:experience", args=[point.experience.pk]) for point in points],
        "text": [_hover(point.experience) for point in points],
        "marker": {"symbol": symbol, "size": 9, "color": "--family-memory", "line": {"width": 1, "color": "--paper"}},
        "hovertemplate": "%{text}<extra></extra>",
    }


def _hover(experience: Experience) -> str:
    """The beginning of its text, as Plotly's little HTML: what the text has of it is escaped."""
    said = experience.problem or experience.solution
    said = said if len(said) <= HOVER_LENGTH else said[: HOVER_LENGTH - 1] + "…"
    return "<br>".join(escape(line) for line in textwrap.wrap(said, HOVER_WIDTH)) or experience.pk

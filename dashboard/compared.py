"""Two runs line by line, as `runs/compare.html` shows them. Needs a tenant's scope."""

from typing import Any

from dashboard import difference
from dashboard.readable import cut
from memory.events import facts, history
from memory.flight import comparison
from memory.flight.alignment import Beside, Fate
from memory.flight.comparison import Comparison
from memory.models import Stream

LINES = 100
# What stands before the point of divergence, so that one sees what led there.
BEFORE = 5


def context(told: Comparison, line: str) -> dict[str, Any]:
    """The lines from `line` on, or around the point where the runs part."""
    total = len(told.alignment.lines)
    parts_at = told.alignment.parts_at
    default = max((parts_at or 0) - BEFORE, 0)
    first = int(line) if line.isascii() and line.isdecimal() and len(line) < 12 else default
    first = min(first, max(total - 1, 0))
    shown = told.alignment.lines[first : first + LINES]
    ones = comparison.rows(told.a, [each.a for each in shown])
    others = comparison.rows(told.b, [each.b for each in shown])
    parting = told.parting
    return {
        "told": told,
        "most_events": comparison.MOST_EVENTS,
        "total": total,
        "first": first,
        "last": first + len(shown),
        "earlier": max(first - LINES, 0) if first else None,
        "later": first + LINES if first + LINES < total else None,
        "lines": [
            {
                "fate": each.fate,
                "is_parting": index == parts_at,
                "a": ones.get(each.a or 0),
                "b": others.get(each.b or 0),
            }
            for index, each in enumerate(shown, start=first)
        ],
        "meets": told.alignment.lines[told.alignment.meets_at] if told.alignment.meets_at is not None else None,
        "pieces": _pieces(told, parting) if parting and parting.fate is Fate.CHANGED else [],
    }


def _pieces(told: Comparison, parting: Beside) -> list[difference.Piece]:
    """What the two events say, word by word."""
    return difference.around(difference.pieces(_text(told.a, parting.a), _text(told.b, parting.b)))


def _text(stream: Stream, version: int | None) -> str:
    found = history.at(stream, [version]) if version else []
    if not found:
        return ""
    payload = found[0].payload
    said = (payload.get(name) for name in ("content", "output", "arguments", "input", "tool_calls"))
    return cut(facts.error_text(payload) or next((text for each in said if (text := facts.text_of(each)).strip()), ""))

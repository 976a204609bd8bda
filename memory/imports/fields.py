"""Reading somebody else's data without trusting its types: what is not of the expected type counts as absent."""

import math
from datetime import UTC, datetime
from typing import Any

Fields = dict[str, Any]


def mapping(value: Any) -> Fields:
    """The object, or an empty one."""
    return value if isinstance(value, dict) else {}


def sequence(value: Any) -> list[Any]:
    """The array, or an empty one."""
    return value if isinstance(value, list) else []


def string(value: Any) -> str:
    """The text, or the empty one."""
    return value if isinstance(value, str) else ""


def number(value: Any) -> float | int | None:
    """The finite number, or None. A truth value is no number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if isinstance(value, int) or math.isfinite(value) else None


def milliseconds(seconds: Any) -> float | None:
    """Seconds as milliseconds, or None where there is no number that can be converted."""
    given = number(seconds)
    if given is None or not 0 <= given < 10**9:
        return None
    return round(given * 1000, 3)


def present(fields: Fields) -> Fields:
    """The fields that say something: neither None, nor an empty text, array or object."""
    return {name: value for name, value in fields.items() if value is not None and value not in ("", [], {})}


def moment(value: Any) -> datetime | None:
    """The time that an ISO 8601 text names, in UTC. A text without a zone is taken as UTC: see `lacks_zone`."""
    try:
        parsed = datetime.fromisoformat(string(value))
        return parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else parsed.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def lacks_zone(value: Any) -> bool:
    """Whether the value is a time that does not say its zone."""
    try:
        return datetime.fromisoformat(string(value)).tzinfo is None
    except ValueError:
        return False

"""An event before it is recorded: validated, canonical, not yet placed in a stream. Pure."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from memory.errors import Invalid, TooLarge
from memory.events.canonical import canonical_json, check_text
from memory.vocabulary import (
    EVENT_PREFIX,
    EVENT_TYPE_MAX_LENGTH,
    EVENT_TYPE_PATTERN,
    IDENTIFIER_MAX_LENGTH,
    is_identifier,
    new_id,
)

# In another time zone, a moment in these may lie in a year that Python does not have.
OUTERMOST_YEARS = (1, 9999)
# How much of a client's unknown field names an error repeats.
NAMES_LENGTH = 200
FIELDS = frozenset({"id", "type", "payload", "metadata", "occurred_at", "causation_id", "correlation_id"})


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on one event: bytes of canonical JSON for payload and for metadata, and nesting depth."""

    payload_bytes: int
    depth: int


@dataclass(frozen=True, slots=True)
class Draft:
    """One event to append. `payload_json` and `metadata_json` are canonical; `digest` covers both (32 bytes).

    `given_id` tells whether the client chose the id, which is what makes a retry recognisable.
    """

    id: str
    given_id: bool
    type: str
    payload: dict[str, Any]
    payload_json: str
    metadata_json: str
    digest: bytes
    occurred_at: datetime | None
    causation_id: str
    correlation_id: str


def draft(raw: Any, limits: Limits, where: str = "event") -> Draft:
    """A client's event, checked.

    Args:
        raw: `{id?, type, payload?, metadata?, occurred_at?, causation_id?, correlation_id?}`.
        where: the place in the request, for errors: `events[3]`.

    Raises:
        Invalid: something is missing, of a wrong type or form, or unknown.
        TooLarge: payload or metadata exceed the limit.
    """
    if not isinstance(raw, dict):
        raise Invalid(f"{where} must be an object.")
    unknown = raw.keys() - FIELDS
    if unknown:
        names = ", ".join(sorted(map(repr, unknown)))[:NAMES_LENGTH]
        raise Invalid(f"{where} has unknown fields: {names}. Put your own data into payload or metadata.")
    given_id = raw.get("id") is not None
    payload = _object(raw, "payload", where)
    payload_json = _canonical(payload, limits, f"{where}.payload")
    metadata_json = _canonical(_object(raw, "metadata", where), limits, f"{where}.metadata")
    return Draft(
        id=identifier(raw["id"], f"{where}.id") if given_id else new_id(EVENT_PREFIX),
        given_id=given_id,
        type=event_type(raw.get("type"), f"{where}.type"),
        payload=payload,
        payload_json=payload_json,
        metadata_json=metadata_json,
        digest=content_digest(payload_json, metadata_json),
        occurred_at=instant(raw.get("occurred_at"), f"{where}.occurred_at"),
        causation_id=_link(raw, "causation_id", where),
        correlation_id=_link(raw, "correlation_id", where),
    )


def content_digest(payload_json: str, metadata_json: str) -> bytes:
    """SHA-256 (32 bytes) of the canonical object of the two: what erasure may blank and the hash chain still covers."""
    return hashlib.sha256(f'{{"metadata":{metadata_json},"payload":{payload_json}}}'.encode()).digest()


def event_type(value: Any, where: str) -> str:
    """A `noun.verb` of at most 100 characters.

    Raises:
        Invalid: it is not one.
    """
    if not isinstance(value, str) or len(value) > EVENT_TYPE_MAX_LENGTH or not EVENT_TYPE_PATTERN.fullmatch(value):
        raise Invalid(
            f"{where} must be words joined by dots, like tool.call, of at most {EVENT_TYPE_MAX_LENGTH} characters."
        )
    return str(value)  # a plain string of a member of EventType


def identifier(value: Any, where: str) -> str:
    """A client's identifier: 1 to 200 visible ASCII characters.

    Raises:
        Invalid: it is not one.
    """
    if not isinstance(value, str) or not is_identifier(value):
        raise Invalid(f"{where} must be 1 to {IDENTIFIER_MAX_LENGTH} visible ASCII characters without a space.")
    return value


def instant(value: Any, where: str) -> datetime | None:
    """An ISO 8601 time with its zone, in UTC; None for None. A client's clock is kept, and never trusted for order.

    Raises:
        Invalid: it is no such time, or has no zone.
    """
    if value is None:
        return None
    try:
        # Python reads some times with a NUL behind them, or a surrogate in the middle.
        moment = datetime.fromisoformat(value if value.isprintable() else "")
        if moment.tzinfo is None:
            raise Invalid(f"{where} must say its time zone, like 2026-05-01T09:30:00Z.")
        moment = moment.astimezone(UTC)
    except (AttributeError, ValueError, OverflowError):
        raise Invalid(f"{where} must be an ISO 8601 time with a zone, like 2026-05-01T09:30:00Z.") from None
    if moment.year in OUTERMOST_YEARS:
        raise Invalid(f"{where} must lie in the years 2 to 9998.")
    return moment


def text(value: Any, where: str, max_length: int) -> str:
    """A text of at most `max_length` characters; the empty text for None.

    Raises:
        Invalid: it is none, too long, or holds what cannot be stored.
    """
    if value is None:
        return ""
    if not isinstance(value, str):
        raise Invalid(f"{where} must be a text.")
    if len(value) > max_length:
        raise Invalid(f"{where} must have at most {max_length} characters, not {len(value)}.")
    check_text(value, where)
    return value


def _object(raw: dict[str, Any], name: str, where: str) -> dict[str, Any]:
    value = raw.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise Invalid(f"{where}.{name} must be an object.")
    return value


def _link(raw: dict[str, Any], name: str, where: str) -> str:
    value = raw.get(name)
    return "" if value is None else identifier(value, f"{where}.{name}")


def _canonical(value: dict[str, Any], limits: Limits, where: str) -> str:
    if not value:
        return "{}"
    canonical = canonical_json(value, max_depth=limits.depth, where=where)
    if len(canonical) * 4 > limits.payload_bytes and len(canonical.encode()) > limits.payload_bytes:
        raise TooLarge(f"{where} has more than {limits.payload_bytes} bytes.")
    return canonical

"""Filters from what a client sent. Pure."""

from typing import Any

from memory.errors import Invalid
from memory.events.canonical import canonical_json
from memory.events.draft import instant, text
from memory.retrieval.filters import Filters
from memory.vocabulary import ExperienceStatus, Kind

NAME_MAX_LENGTH = 200
# Deepest nesting of the metadata asked for.
MAX_DEPTH = 20
FIELDS = (
    "user_id",
    "all_users",
    "kind",
    "status",
    "agent_id",
    "min_confidence",
    "since",
    "until",
    "as_of",
    "metadata",
)


def filters(raw: Any) -> Filters:
    """Filters from an object with some of FIELDS; None lets through what holds now and is shared.

    `user_id` lets through what this user may see: the user's own and what is shared. Without it only what is shared is
    let through; `all_users` asks for everybody's. `kind` and `status` are one or a
    list of them.

    Raises:
        Invalid: a field is unknown, or its value is not what it must be.
    """
    if raw is None:
        return Filters()
    if not isinstance(raw, dict):
        raise Invalid("filters must be an object.")
    unknown = ", ".join(sorted(map(repr, raw.keys() - set(FIELDS))))
    if unknown:
        raise Invalid(f"filters has unknown fields: {unknown[:200]}. There are: {', '.join(FIELDS)}.")
    user, agent = _name(raw, "user_id"), _name(raw, "agent_id")
    everybody = raw.get("all_users") or False
    if not isinstance(everybody, bool):
        raise Invalid("filters.all_users must be true or false.")
    if everybody and user is not None:
        raise Invalid("filters.all_users and filters.user_id cannot both be set.")
    return Filters(
        user_ids=None if user is None else tuple({"": None, user: None}),
        agent_ids=None if agent is None else (agent,),
        kinds=_some_of(raw, "kind", tuple(Kind)),
        statuses=_some_of(raw, "status", tuple(ExperienceStatus)),
        min_confidence=_confidence(raw.get("min_confidence")),
        since=instant(raw.get("since"), "filters.since"),
        until=instant(raw.get("until"), "filters.until"),
        as_of=instant(raw.get("as_of"), "filters.as_of"),
        metadata=_object(raw.get("metadata")),
        all_users=everybody,
    )


def _name(raw: dict[str, Any], name: str) -> str | None:
    return None if raw.get(name) is None else text(raw[name], f"filters.{name}", NAME_MAX_LENGTH)


def _some_of(raw: dict[str, Any], name: str, known: tuple[str, ...]) -> tuple[str, ...] | None:
    value = raw.get(name)
    if value is None:
        return None
    asked = value if isinstance(value, list) else [value]
    if not asked or not all(isinstance(each, str) and each in known for each in asked):
        raise Invalid(f"filters.{name} must be one or a list of: {', '.join(known)}.")
    return tuple(dict.fromkeys(asked))


def _confidence(value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise Invalid("filters.min_confidence must be a number from 0 to 1.")
    return float(value)


def _object(value: Any) -> dict[str, Any] | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        raise Invalid("filters.metadata must be an object.")
    canonical_json(value, max_depth=MAX_DEPTH, where="filters.metadata")
    return value

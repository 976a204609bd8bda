"""What an item must be to be found, as plain data and as conditions in SQL. Pure.

The conditions are written here, whole; what a client asked for goes into them as parameters only.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any

from memory.vocabulary import Collection


@dataclass(frozen=True, slots=True)
class Filters:
    """What an item must be to be found; None lets all through.

    `user_ids` are owners: "" stands for what is shared. `all_users` says that None is meant: see `for_agent`.
    `as_of` asks for what held at that time, though something newer may have taken its place. `since` and `until` bound
    when it was first true (documents, tools: when they were added).
    `metadata` must be part of the item's. What documents and tools do not have (owner, kind, agent, status, confidence)
    does not keep them out.
    """

    user_ids: Sequence[str] | None = None
    kinds: Sequence[str] | None = None
    statuses: Sequence[str] | None = None
    agent_ids: Sequence[str] | None = None
    min_confidence: float | None = None
    since: datetime | None = None
    until: datetime | None = None
    as_of: datetime | None = None
    metadata: Mapping[str, Any] | None = None
    all_users: bool = False


def for_agent(asked: Filters) -> Filters:
    """The filters of somebody who may have forgotten to name a user: then nothing personal is let through, unless all
    users are asked for."""
    return asked if asked.user_ids is not None or asked.all_users else replace(asked, user_ids=("",))


# By collection: the table of the items under the name `item`, and the condition of each filter on it.
TABLES = {
    Collection.EXPERIENCE: "memory_experience AS item",
    Collection.KNOWLEDGE: "memory_passage AS item JOIN memory_knowledge AS document "
    "ON document.tenant_id = item.tenant_id AND document.id = item.knowledge_id",
    Collection.TOOL: "memory_tool AS item",
}
CONDITIONS: Mapping[Collection, Mapping[str, str]] = {
    Collection.EXPERIENCE: {
        "user_ids": "item.user_id = ANY (%(user_ids)s::text[])",
        "kinds": "item.kind = ANY (%(kinds)s::text[])",
        "statuses": "item.status = ANY (%(statuses)s::text[])",
        "agent_ids": "item.agent_id = ANY (%(agent_ids)s::text[])",
        "min_confidence": "item.confidence >= %(min_confidence)s",
        "since": "item.valid_from >= %(since)s",
        "until": "item.valid_from < %(until)s",
        "as_of": "item.valid_from <= %(as_of)s AND (item.valid_to IS NULL OR item.valid_to > %(as_of)s)",
        "metadata": "item.metadata @> %(metadata)s::jsonb",
    },
    Collection.KNOWLEDGE: {
        "since": "document.created_at >= %(since)s",
        "until": "document.created_at < %(until)s",
        "as_of": "document.created_at <= %(as_of)s",
        "metadata": "document.metadata @> %(metadata)s::jsonb",
    },
    Collection.TOOL: {
        "since": "item.created_at >= %(since)s",
        "until": "item.created_at < %(until)s",
        "as_of": "item.created_at <= %(as_of)s",
        # A tool has no metadata, so it has none of what is asked for.
        "metadata": "%(metadata)s::jsonb = '{}'",
    },
}


def conditions(collection: Collection, filters: Filters) -> dict[str, str]:
    """The conditions on `item` that these filters set in this collection, by the filter's name."""
    known = CONDITIONS[collection]
    return {name: known[name] for name, asked in parameters(filters).items() if asked is not None and name in known}


def parameters(filters: Filters) -> dict[str, Any]:
    """The values of the conditions, as psycopg takes them."""
    values: dict[str, Any] = {field.name: getattr(filters, field.name) for field in fields(filters)}
    for name in ("user_ids", "kinds", "statuses", "agent_ids"):
        values[name] = None if values[name] is None else list(values[name])
    if filters.metadata is not None:
        values["metadata"] = json.dumps(filters.metadata)
    return values


def exists(collection: Collection, filters: Filters, item_id: str, *, each: bool = False) -> str:
    """A condition in SQL: the item of which the column `item_id` holds the id passes.

    Args:
        each: let PostgreSQL look at one item at a time, instead of joining all of them: right where few will be looked
            at, in an order that must be kept.
    """
    passing = " AND ".join(conditions(collection, filters).values())
    if not passing:
        return "TRUE"
    lazily = " OFFSET 0" if each else ""
    return (
        f"EXISTS (SELECT FROM {TABLES[collection]} WHERE item.tenant_id = aresweb_tenant_id() "
        f"AND item.id = {item_id} AND {passing}{lazily})"
    )

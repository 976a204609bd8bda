"""Tools that agents can call, kept so that the fitting one is found. Needs a tenant's scope."""

from datetime import UTC, datetime
from typing import Any, NamedTuple

from memory import queue
from memory.errors import Invalid
from memory.events.draft import text
from memory.layers.metadata import checked
from memory.models import Tool
from memory.retrieval import items, lexical
from memory.tenancy import current_tenant_id
from memory.vocabulary import TOOL_PREFIX, Queue, WorkStatus, new_id

NAME_MAX_LENGTH = 200
DESCRIPTION_MAX_LENGTH = 20_000


class Kept(NamedTuple):
    """A tool, and whether it is new."""

    tool: Tool
    is_new: bool


def keep(name: Any, description: Any, schema: Any = None) -> Kept:
    """Keep a tool. One of that name is replaced: agents tell of their tools each time they start.

    Raises:
        Invalid, TooLarge: name, description or schema are not what they must be.
    """
    called = text(name, "name", NAME_MAX_LENGTH).strip()
    if not called:
        raise Invalid("name must say what the tool is called.")
    described = text(description, "description", DESCRIPTION_MAX_LENGTH).strip()
    if not described:
        raise Invalid("description must say what the tool is for.")
    arguments = None if schema is None else checked(schema, "schema")
    now = datetime.now(UTC)
    tool, is_new = Tool.objects.select_for_update().get_or_create(
        tenant_id=current_tenant_id(),
        name=called,
        defaults={
            "id": new_id(TOOL_PREFIX),
            "description": described,
            "schema": arguments,
            "created_at": now,
            "updated_at": now,
        },
    )
    if is_new or (tool.description, tool.schema) != (described, arguments):
        tool.description, tool.schema, tool.updated_at = described, arguments, now
        tool.embedding_status = WorkStatus.PENDING
        tool.save()
        lexical.index([items.of_tool(tool)])
        queue.put(Queue.EMBEDDING, [tool.pk])
    return Kept(tool, is_new)


def delete(tool_id: str) -> None:
    """Delete a tool with its vectors and terms.

    Raises:
        NotFound: there is no such tool.
    """
    tool = Tool.objects.with_id(tool_id)
    queue.forget([tool.pk])
    tool.delete()

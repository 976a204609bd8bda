"""A conversation is cut where it can be: a tool's result never stands without the message that asked for it. Pure."""

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

from memory.vocabulary import MessageRole


class Said(Protocol):
    """What the rule reads of a message."""

    @property
    def role(self) -> str: ...
    @property
    def tool_calls(self) -> Any: ...
    @property
    def tool_call_id(self) -> str: ...


M = TypeVar("M", bound=Said)


def without_orphans(messages: Sequence[M]) -> list[M]:
    """The end of a conversation, without the results at its beginning whose call lies before it.

    Calls that wait for their result stay: they are what the agent was about to do. A result that names no known call
    belongs to the message before it.
    """
    asked: dict[str, int] = {}
    first = 0
    for index, message in enumerate(messages):
        if message.role == MessageRole.TOOL:
            asker = asked.get(message.tool_call_id, -1 if index == first else first)
            first = index + 1 if asker < first else first
        else:
            asked |= dict.fromkeys(call_ids(message.tool_calls), index)
    return list(messages[first:])


def call_ids(calls: Any) -> list[str]:
    """The ids of the calls that a message asks for; what is of another type is passed over."""
    ids = [call.get("id") for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    return [call_id for call_id in ids if isinstance(call_id, str)]

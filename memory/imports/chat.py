"""Plain chat messages in the OpenAI style, the format that is tried last.

A conversation is an array of messages, or `{"messages": […]}` with `id`, `title`, `agent_id`, `user_id`, `metadata` and
`tools` where they are known. A file holds one conversation, an array of such objects, or JSON Lines: a conversation a
line, or a message a line, which together are one conversation.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memory.events.facts import text_of
from memory.imports import usage
from memory.imports.fields import Fields, lacks_zone, mapping, moment, sequence, string
from memory.imports.files import records
from memory.imports.outline import outline
from memory.imports.run import Run, Skipped
from memory.imports.transcript import Transcript, run_key
from memory.vocabulary import MessageRole

NAME = "chat"

_TIME_FIELDS = ("occurred_at", "created_at", "timestamp")


def matches(path: Path, head: bytes) -> bool:
    """See `Format.matches`."""
    keys = outline(head)
    return any(
        f"{prefix}role" in keys and not keys.isdisjoint({f"{prefix}content", f"{prefix}tool_calls"})
        for prefix in ("", "[].", "messages[].")
    )


def read(path: Path) -> Iterator[Run | Skipped]:
    """See `Format.read`."""
    messages: list[Any] = []  # those that stand alone in an array or on a line
    for record in records(path):
        if isinstance(record, Skipped):
            yield record
        elif isinstance(record.value, list):
            yield from _run(record.where, {"messages": record.value})
        elif isinstance(mapping(record.value).get("messages"), list):
            yield from _run(record.where, record.value)
        elif string(mapping(record.value).get("role")):
            messages.append(record.value)
        else:
            yield Skipped(record.where, "is neither a conversation nor a message with a role")
    if messages:
        yield from _run(str(path), {"messages": messages})


def _run(where: str, conversation: Fields) -> Iterator[Run | Skipped]:
    transcript = Transcript(where)
    messages = [_modern(message) for message in conversation["messages"]]
    told = 0
    for place, message in enumerate(messages, start=1):
        if not message:
            transcript.skip(f"message {place}", "is no message: it has no role")
            continue
        _tell(transcript, message)
        told += 1
    asked = (text_of(message["content"]) for message in messages if message.get("role") == MessageRole.USER)
    models = (string(message.get("model")) for message in messages)
    yield from transcript.finish(
        key=run_key("chat", conversation.get("id"), content=conversation),
        title=string(conversation.get("title")) or next(filter(None, asked), "Conversation"),
        agent_id=string(conversation.get("agent_id")) or next(filter(None, models), "chat"),
        user_id=string(conversation.get("user_id")),
        counts={"messages": told},
        metadata={
            **mapping(conversation.get("metadata")),
            "id": conversation.get("id"),
            "tools": sequence(conversation.get("tools")),
            "time_zone": "assumed UTC where the origin names none" if _any_lacks_zone(messages) else None,
        },
    )


def _modern(value: Any) -> Fields:
    """The message with its usage in our form, and `tool_calls` in place of a `function_call`; {} if it is none."""
    message = dict(mapping(value))
    if not string(message.get("role")):
        return {}
    call = mapping(message.get("function_call"))
    if call and not message.get("tool_calls"):
        message["tool_calls"] = [{"function": call}]
    if message["role"] == "function":
        message["role"] = MessageRole.TOOL
    return {**message, "content": message.get("content"), "usage": usage.from_chat(message.get("usage"))}


def _tell(transcript: Transcript, message: Fields) -> None:
    error = message.get("error")
    if not isinstance(error, str | dict):
        failed = error is True or message.get("is_error") is True
        error = text_of(message["content"]) or "error" if failed else None
    transcript.say(message, at=_time(message), error=error)


def _time(message: Fields) -> Any:
    return next((at for name in _TIME_FIELDS if (at := moment(message.get(name)))), None)


def _any_lacks_zone(messages: list[Fields]) -> bool:
    return any(lacks_zone(message.get(name)) for message in messages for name in _TIME_FIELDS)

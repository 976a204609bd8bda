"""Builds one imported run: its events in the order and with the links that docs/events.md describes."""

import json
import re
from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

from memory.events.facts import text_of
from memory.imports.cleaning import Cleaner
from memory.imports.decoding import UndecodableError, decode, digest
from memory.imports.fields import Fields, mapping, present, sequence, string
from memory.imports.run import ImportedEvent, Payload, Run, Skipped
from memory.vocabulary import EVENT_TYPE_MAX_LENGTH, EventType, MessageRole

TITLE_LENGTH = 120
NAME_LENGTH = 200
ROLE_LENGTH = 50
# Marks in an event's metadata what the origin did not say.
BORROWED_TIME = {"occurred_at": "borrowed from the nearest event: the origin has none"}


class Transcript:
    """The events of one run as they are told, in order.

    Every method that tells something returns the index of its event, for `causes` of later ones. `where` names the
    run's place in its file, for what has to be left out.
    """

    def __init__(self, where: str) -> None:
        self.where = where
        self.events: list[ImportedEvent] = []
        self._skipped: list[Skipped] = []
        self._cleaner = Cleaner()
        self._invented = 0
        # Calls without a result so far: index → tool_call_id, and the other way round. Origins repeat ids in one run.
        self._unanswered: OrderedDict[int, str] = OrderedDict()
        self._by_call_id: defaultdict[str, deque[int]] = defaultdict(deque)

    def skip(self, place: str, reason: str) -> None:
        """Note that something in this run is left out; `place` is the part's place inside of the run."""
        self._skipped.append(Skipped(f"{self.where}: {place}", reason))

    def add(
        self,
        event_type: str,
        payload: Payload,
        *,
        at: datetime | None = None,
        causes: int | None = None,
        metadata: Payload | None = None,
    ) -> int:
        """Tell any event."""
        self.events.append(
            ImportedEvent(event_type, self._cleaner.value(payload), at, causes, self._cleaner.value(metadata or {}))
        )
        return len(self.events) - 1

    def message(
        self,
        role: str,
        content: Any,
        *,
        at: datetime | None = None,
        causes: int | None = None,
        metadata: Payload | None = None,
        **fields: Any,
    ) -> int:
        """Tell that a message enters the conversation. `fields` are further ones of the payload; empty ones go."""
        told = content_of(content)
        if told is None and not fields.get("tool_calls"):
            told = ""  # null is for messages that only ask for tools
        payload = {"role": role[:ROLE_LENGTH], "content": told, **present(fields)}
        return self.add(EventType.MESSAGE_ADDED, payload, at=at, causes=causes, metadata=metadata)

    def call(
        self,
        tool_call_id: str,
        name: str,
        arguments: Any,
        *,
        at: datetime | None = None,
        causes: int | None = None,
        metadata: Payload | None = None,
    ) -> int:
        """Tell that a tool is called. Without an id, one is invented; arguments that are JSON text become an object."""
        payload = {
            "tool_call_id": shortened(tool_call_id) or self.invent_id(),
            "name": name[:NAME_LENGTH],
            "arguments": arguments_of(arguments),
        }
        index = self.add(EventType.TOOL_CALL, payload, at=at, causes=causes, metadata=metadata)
        self._unanswered[index] = payload["tool_call_id"]
        self._by_call_id[payload["tool_call_id"]].append(index)
        return index

    def result(
        self,
        tool_call_id: str,
        name: str,
        content: Any,
        *,
        at: datetime | None = None,
        metadata: Payload | None = None,
        **fields: Any,
    ) -> int:
        """Tell that a tool returns. Without an id it answers the oldest call that has no result yet.

        `fields` are `error` and `duration_ms`; empty ones are left out.
        """
        tool_call_id, caller = self._take_call(shortened(tool_call_id))
        if caller is not None:
            name = name or string(self.events[caller].payload["name"])
        payload = {
            "tool_call_id": tool_call_id or self.invent_id(),
            "name": name[:NAME_LENGTH],
            "content": content_of(content),
            **present(fields),
        }
        return self.add(EventType.TOOL_RESULT, payload, at=at, causes=caller, metadata=metadata)

    def answer(self, result: int, content: Any, *, at: datetime | None = None, metadata: Payload | None = None) -> int:
        """Tell the message of role tool by which a result enters the conversation."""
        payload = self.events[result].payload
        names = {"tool_call_id": payload["tool_call_id"], "name": payload["name"]}
        return self.message(MessageRole.TOOL, content, at=at, causes=result, metadata=metadata, **names)

    def say(
        self,
        message: Fields,
        *,
        at: datetime | None = None,
        causes: int | None = None,
        metadata: Payload | None = None,
        error: Any = None,
    ) -> int:
        """Tell one message in the chat style with all that it implies: calls it asks for, or the result it brings.

        Args:
            message: `role`, `content` and, where given, `name`, `tool_calls`, `tool_call_id`, `model`, `usage`.
            error: what a tool's message reports, where the format says so.
        """
        role, name = string(message.get("role")), string(message.get("name"))[:NAME_LENGTH]
        if role == MessageRole.TOOL:
            call_id = string(message.get("tool_call_id"))
            result = self.result(call_id, name, message.get("content"), at=at, error=error)
            return self.answer(result, message.get("content"), at=at, metadata=metadata)
        calls = self.chat_calls(message.get("tool_calls"))
        fields: Fields = {"name": name, "tool_calls": calls, "model": string(message.get("model"))}
        fields["usage"] = mapping(message.get("usage"))
        index = self.message(role, message.get("content"), at=at, causes=causes, metadata=metadata, **fields)
        for call in calls:
            self.ask(call, at=at, causes=index)
        return index

    def ask(self, call: Fields, *, at: datetime | None = None, causes: int | None = None) -> int:
        """Tell that a call of a message, as `chat_calls` gives it, is made."""
        function = mapping(call.get("function"))
        return self.call(call["id"], string(function.get("name")), function.get("arguments"), at=at, causes=causes)

    def chat_calls(self, value: Any) -> list[Fields]:
        """A message's tool calls in the chat style, each with an id, a name and its arguments as text."""
        return [self._chat_call(call) for call in sequence(value) if isinstance(call, dict)]

    def invent_id(self) -> str:
        """An id for a call that has none: the same whenever the same run is read."""
        self._invented += 1
        return f"imported_{self._invented}"

    def finish(
        self,
        *,
        key: str,
        title: str,
        agent_id: str,
        user_id: str = "",
        counts: dict[str, int],
        metadata: Payload,
    ) -> Iterator[Run | Skipped]:
        """What was left out, and then the run; only the former if there is nothing to tell."""
        yield from self._skipped
        if not self.events:
            yield Skipped(self.where, "holds no message and no event")
            return
        names = [self._cleaner.text(name) for name in (key, first_words(title), agent_id, user_id)]
        kept = self._cleaner.value(present(metadata))
        yield Run(
            key=names[0],
            title=names[1],
            agent_id=shortened(names[2]),
            user_id=shortened(names[3]),
            events=_with_times(self.events),
            counts=counts,
            metadata={**kept, **self._cleaner.report()},
        )

    def _take_call(self, tool_call_id: str) -> tuple[str, int | None]:
        """The id and index of the call that a result answers; the index is None if no call waits for it."""
        if not tool_call_id:
            if not self._unanswered:
                return "", None
            index, tool_call_id = self._unanswered.popitem(last=False)
            self._by_call_id[tool_call_id].popleft()  # the oldest of all is the oldest of its id
            return tool_call_id, index
        waiting = self._by_call_id.get(tool_call_id)
        if not waiting:
            return tool_call_id, None
        index = waiting.popleft()
        del self._unanswered[index]
        return tool_call_id, index

    def _chat_call(self, call: Fields) -> Fields:
        function = mapping(call.get("function"))
        arguments = function.get("arguments")
        if not isinstance(arguments, str):
            arguments = json.dumps(arguments, ensure_ascii=False) if arguments is not None else ""
        return {
            **call,
            "id": shortened(string(call.get("id"))) or self.invent_id(),
            "type": string(call.get("type")) or "function",
            "function": {**function, "name": string(function.get("name")), "arguments": arguments},
        }


def content_of(value: Any) -> Any:
    """A content as docs/events.md has it: a text, None, or a list of parts, each an object."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list):
        return [part if isinstance(part, dict) else {"type": "text", "text": text_of(part)} for part in value]
    return [value] if isinstance(value, dict) else json.dumps(value)


def arguments_of(value: Any) -> Any:
    """A call's arguments: the object, or what the model gave where it is none."""
    if value is None or isinstance(value, dict):
        return value or {}
    if not isinstance(value, str):
        return json.dumps(value)
    try:
        decoded = decode(value)
    except UndecodableError:
        return value
    return decoded if isinstance(decoded, dict) else value


def own_type(noun: str, verb: str) -> str:
    """An event type for what only the origin knows: `own_type("action", "Recall")` is `action.recall`."""
    word = re.sub(r"[^a-z0-9_-]+", "_", verb.lower()).strip("_") or "unnamed"
    return f"{noun}.{word}"[:EVENT_TYPE_MAX_LENGTH]


def run_key(origin: str, *ids: Any, content: Any = None) -> str:
    """A run's key from its origin's ids (what is neither text nor number is passed over) and a digest of `content`."""
    parts = [str(part) for part in ids if isinstance(part, str | int) and part != ""]
    if content is not None:
        parts.append(digest(content))
    return shortened("/".join([origin, *parts]))


def shortened(text: str) -> str:
    """The text, or, where it has more than `NAME_LENGTH` characters, its beginning with a digest of the whole."""
    return text if len(text) <= NAME_LENGTH else f"{text[: NAME_LENGTH - 25]}~{digest(text)}"


def first_words(text: str) -> str:
    """The text on one line, cut at `TITLE_LENGTH` characters."""
    words = " ".join(text[: TITLE_LENGTH * 10].split())
    return words if len(words) <= TITLE_LENGTH else words[: TITLE_LENGTH - 1].rstrip() + "…"


def _with_times(events: list[ImportedEvent]) -> list[ImportedEvent]:
    """The events, those without a time in a run that has times borrowing the one before (the first one at the start).

    Without it they would count as having happened on the day of the import, and the run as lasting until then.
    """
    last = next((event.occurred_at for event in events if event.occurred_at), None)
    if last is None:
        return events
    timed = []
    for event in events:
        if event.occurred_at is None:
            timed.append(replace(event, occurred_at=last, metadata={**event.metadata, **BORROWED_TIME}))
        else:
            last = event.occurred_at
            timed.append(event)
    return timed

"""The events of one sample of an Inspect log, its attachments resolved."""

from collections.abc import Iterator
from datetime import UTC, datetime
from heapq import heappop, heappush
from typing import Any

from memory.events.facts import text_of
from memory.imports import usage
from memory.imports.decoding import digest
from memory.imports.fields import Fields, lacks_zone, mapping, milliseconds, moment, present, sequence, string
from memory.imports.run import Payload
from memory.imports.transcript import Transcript, own_type, shortened
from memory.vocabulary import EventType, MessageRole

# Events that tell in other words what others tell: the sample's input, and how a state changes, as JSON patches.
_RETOLD = frozenset({"sample_init", "state", "store"})
_NAMES = {"span_begin": "span.started", "span_end": "span.ended", "score": "score.given"}
# Told otherwise, or of use only to Inspect. `events` are those inside of an event, which are told after it.
_ENVELOPE = frozenset({"event", "timestamp", "working_start", "pending", "uuid", "events"})

# Stands for a time that is not known.
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


class Sample:
    """Tells one sample. `message_count` and `lacks_zone` are known once that is done."""

    def __init__(self, transcript: Transcript, sample: Fields) -> None:
        self.transcript = transcript
        self.sample = sample
        self.message_count = 0
        self.events = list(_flattened(sample.get("events")))
        self.lacks_zone = any(lacks_zone(event.get("timestamp")) for event in self.events)
        self._seen: set[Any] = set()  # messages that are told, by `_identity`
        # Tool events whose result is not told yet, a heap by when they returned.
        self._results: list[tuple[datetime, int, Fields]] = []
        self._asked: dict[str, int] = {}  # id of a call that a tool event is going to tell → the message asking for it
        self._made = {shortened(string(event.get("id"))) for event in self.events if event.get("event") == "tool"}
        self._answers = self._tool_messages()

    def tell(self) -> None:
        """Tell everything, in order."""
        retold = 0
        for number, event in enumerate(self.events, start=1):
            kind, at = string(event.get("event")), moment(event.get("timestamp"))
            self._tell_results(at)
            if kind == "model":
                self._tell_model(event, at, f"model_{number}")
            elif kind == "tool":
                self._tell_tool(event, at)
            elif kind in _RETOLD:
                retold += 1
            else:
                self._tell_other(kind, event, at)
        self._tell_results(None)
        # Without model events the sample's output is all that reports tokens: those of the last answer.
        modelled = any(event.get("event") == "model" for event in self.events)
        self._tell_messages(self.sample.get("messages"), None, {} if modelled else mapping(self.sample.get("output")))
        if retold:
            self.transcript.skip("events", f"{retold} of {', '.join(sorted(_RETOLD))} only retell what others tell")

    def _tool_messages(self) -> dict[str, dict[Any, Fields]]:
        """Of each tool call's id, the messages by which its results entered the conversation, by `_identity`."""
        answers: dict[str, dict[Any, Fields]] = {}
        inputs = (event.get("input") for event in self.events if event.get("event") == "model")
        for messages in (*inputs, self.sample.get("messages")):
            for place, message in enumerate(map(mapping, sequence(messages))):
                if message.get("role") == MessageRole.TOOL:
                    told = answers.setdefault(shortened(string(message.get("tool_call_id"))), {})
                    told.setdefault(_identity(message, place), message)
        return answers

    def _tell_model(self, event: Fields, at: datetime | None, call_id: str) -> None:
        self._tell_results(None)
        asked = sequence(event.get("input"))
        self._tell_messages(asked, at, {})
        output = mapping(event.get("output"))
        choice = mapping(next(iter(sequence(output.get("choices"))), None))
        message = mapping(choice.get("message"))
        model = string(output.get("model")) or string(event.get("model"))
        # What is sent is the conversation told so far; repeating it in every call would make a run's size quadratic.
        tools = [string(mapping(tool).get("name")) for tool in sequence(event.get("tools"))]
        sent = {"call_id": call_id, "model": string(event.get("model")), "message_count": len(asked), "tools": tools}
        calling = self.transcript.add(EventType.LLM_CALL, present(sent), at=at)
        calls = self.transcript.chat_calls(list(map(_chat_call, sequence(message.get("tool_calls")))))
        # An answer out of Inspect's cache repeats the tokens of the one that was paid for.
        reported = {} if event.get("cache") == "read" else usage.from_inspect(mapping(output.get("usage")))
        received = {
            "call_id": call_id,
            "model": model,
            "content": message.get("content"),
            "tool_calls": calls,
            "usage": reported,
            "finish_reason": string(choice.get("stop_reason")),
            "duration_ms": milliseconds(output.get("time")),
            "error": event.get("error") or output.get("error"),
        }
        done = moment(event.get("completed")) or at
        answered = self.transcript.add(EventType.LLM_RESPONSE, present(received), at=done, causes=calling)
        if message:
            self._tell_answer(message, calls, done, answered, len(asked))

    def _tell_answer(
        self, message: Fields, calls: list[Fields], at: datetime | None, answered: int | None, position: int
    ) -> None:
        self._seen.add(_identity(message, position))
        content = message.get("content")
        asking = self.transcript.message(MessageRole.ASSISTANT, content, at=at, causes=answered, tool_calls=calls)
        self.message_count += 1
        for call in calls:
            if call["id"] in self._made:
                self._asked[call["id"]] = asking
            else:
                self.transcript.ask(call, at=at, causes=asking)

    def _tell_tool(self, event: Fields, at: datetime | None) -> None:
        call_id = string(event.get("id"))
        asking = self._asked.pop(shortened(call_id), None)
        name, arguments = string(event.get("function")), event.get("arguments")
        index = self.transcript.call(call_id, name, arguments, at=at, causes=asking)
        told = {**event, "id": self.transcript.events[index].payload["tool_call_id"]}
        returned = moment(event.get("completed")) or at or _LONG_AGO
        heappush(self._results, (returned, index, told))

    def _tell_results(self, until: datetime | None) -> None:
        """Tell the results of tools that had returned by then, all of them for None: what ran inside comes first."""
        while self._results and (until is None or self._results[0][0] <= until):
            returned, _, event = heappop(self._results)
            at = returned if returned > _LONG_AGO else None
            result = self.transcript.result(
                event["id"],
                string(event.get("function")),
                event.get("result"),
                at=at,
                error=event.get("error"),
                duration_ms=milliseconds(event.get("working_time")),
            )
            answers = self._answers.get(event["id"])
            if answers:
                identity = next(iter(answers))
                self._seen.add(identity)
                self.transcript.answer(result, answers.pop(identity).get("content"), at=at)
                self.message_count += 1

    def _tell_messages(self, value: Any, at: datetime | None, last_output: Fields) -> None:
        """Tell those messages that are new. `last_output` is the model's output that the last answer came from."""
        messages = sequence(value)
        answers = [place for place, message in enumerate(messages) if mapping(message).get("role") == "assistant"]
        for place, message in enumerate(messages):
            if not string(mapping(message).get("role")):
                self.transcript.skip(f"message {place + 1}", "is no message: it has no role")
            elif _identity(message, place) not in self._seen:
                self._tell_message(message, place, at, last_output if [place] == answers[-1:] else {})

    def _tell_message(self, message: Fields, place: int, at: datetime | None, output: Fields) -> None:
        self._seen.add(_identity(message, place))
        self.message_count += 1
        calls = sequence(message.get("tool_calls"))
        told = {
            **message,
            "name": message.get("function"),
            "tool_calls": list(map(_chat_call, calls)),
            "usage": usage.from_inspect(mapping(output.get("usage"))),
        }
        self.transcript.say(told, at=at, error=message.get("error"))

    def _tell_other(self, kind: str, event: Fields, at: datetime | None) -> None:
        payload: Payload = {name: value for name, value in event.items() if name not in _ENVELOPE}
        if kind == "error":
            payload["error"] = event.get("error") or "error"
        self.transcript.add(_NAMES.get(kind) or own_type("inspect", kind), payload, at=at)


def _flattened(events: Any) -> Iterator[Fields]:
    """The events, each followed by those that older logs nest in it."""
    for event in sequence(events):
        if isinstance(event, dict):
            yield event
            yield from _flattened(event.get("events"))


def _identity(message: Fields, place: int) -> Any:
    """What makes a message the same in several model events: its id, or its place and content where it has none."""
    return string(message.get("id")) or (place, digest([message.get("role"), text_of(message.get("content"))]))


def _chat_call(call: Any) -> Fields:
    fields = mapping(call)
    return {"id": fields.get("id"), "function": {"name": fields.get("function"), "arguments": fields.get("arguments")}}

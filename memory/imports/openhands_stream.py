"""The events of one OpenHands run: actions and the observations that they cause."""

from datetime import datetime
from typing import Any

from memory.events.facts import text_of
from memory.imports import usage
from memory.imports.decoding import digest
from memory.imports.fields import Fields, lacks_zone, mapping, milliseconds, moment, present, sequence, string
from memory.imports.run import Payload
from memory.imports.transcript import Transcript, own_type
from memory.vocabulary import EventType, MessageRole

# Actions that no model asks for by a tool call.
_NO_TOOLS = frozenset({"change_agent_state", "recall", "null", "condensation", "condensation_request", "loop_recovery"})
# Beside the arguments in the older shape, which has no `args`.
_ENVELOPE = frozenset({"id", "timestamp", "source", "message", "action", "action_risk", "timeout", "is_confirmed"})


class Stream:
    """Tells events one by one. `model` and `first_request` are known once all are told."""

    def __init__(self, transcript: Transcript, metrics: Fields) -> None:
        self.transcript = transcript
        self.model = ""
        self.first_request = ""
        self.lacks_zone = False
        self._usages = _by_response(metrics.get("token_usages"))
        self._latencies = _by_response(metrics.get("response_latencies"))
        self._answers: dict[str, int] = {}  # id of a model's response → its message
        self._told: dict[int, int] = {}  # id of an event → what was told of it last
        self._calls: dict[int, str] = {}  # id of an action → its tool_call_id
        self._waiting: tuple[str, str] | None = None  # tool_call_id and name of the last action that has no id

    def tell(self, event: Any, place: int) -> bool:
        """Tell one event; False if it is none."""
        fields = mapping(event)
        at = moment(fields.get("timestamp"))
        self.lacks_zone = self.lacks_zone or lacks_zone(fields.get("timestamp"))
        if isinstance(fields.get("observation"), str):
            told = self._tell_observation(fields, at)
        elif isinstance(fields.get("action"), str):
            told = self._tell_action(fields, at)
        else:
            self.transcript.skip(f"event {place}", "is neither an action nor an observation")
            return False
        if _event_id(fields.get("id")) is not None:
            self._told[fields["id"]] = told
        return True

    def tell_unmatched_usage(self) -> None:
        """Tell the answers whose tokens are reported but that led to no action, so that no token is lost."""
        for response_id in list(self._usages):
            model = string(self._usages[response_id].get("model"))
            self.transcript.add(EventType.LLM_RESPONSE, self._response(response_id, {"model": model}))

    def _tell_action(self, event: Fields, at: datetime | None) -> int:
        name, source = event["action"], event.get("source")
        arguments = _arguments(event)
        if name == "system":
            return self.transcript.message(MessageRole.SYSTEM, arguments.get("content"), at=at)
        if name == "message":
            return self._tell_message(event, arguments, at)
        if event.get("tool_call_metadata") or (source in ("agent", None) and name not in _NO_TOOLS):
            return self._tell_call(event, arguments, at)
        payload = present({"message": event.get("message"), "args": arguments})
        return self.transcript.add(own_type("action", name), payload, at=at)

    def _tell_message(self, event: Fields, arguments: Fields, at: datetime | None) -> int:
        # The older shape does not say who speaks: the user does first, and then only the agent.
        by_user = event["source"] == "user" if event.get("source") else not self.first_request
        content = arguments.get("content")
        images = sequence(arguments.get("image_urls") or arguments.get("images_urls"))
        if images:
            pictures = [{"type": "image_url", "image_url": {"url": url}} for url in images if isinstance(url, str)]
            content = [{"type": "text", "text": string(content)}, *pictures]
        if by_user:
            self.first_request = self.first_request or text_of(content)
        return self.transcript.message(MessageRole.USER if by_user else MessageRole.ASSISTANT, content, at=at)

    def _tell_call(self, event: Fields, arguments: Fields, at: datetime | None) -> int:
        """Tell an action as a tool call, after the message that asks for it unless an earlier call has told that."""
        metadata = mapping(event.get("tool_call_metadata"))
        call: Fields = {
            "id": string(metadata.get("tool_call_id")) or self.transcript.invent_id(),
            "function": {
                "name": string(metadata.get("function_name")) or event["action"],
                "arguments": {name: value for name, value in arguments.items() if name != "thought"},
            },
        }
        response = mapping(metadata.get("model_response"))
        message = _message(response)
        asked = [asked for asked in sequence(message.get("tool_calls")) if mapping(asked).get("id") == call["id"]]
        if asked:
            call = asked[0]
        answer_id = string(response.get("id")) or (digest(response) if response else "")
        asking = self._answers.get(answer_id) if answer_id else None
        if asking is None:
            calls = self.transcript.chat_calls(message.get("tool_calls") if asked else [call])
            asking = self._tell_answer(response, calls, message.get("content") or arguments.get("thought"), at)
            self._answers[answer_id] = asking
        call = self.transcript.chat_calls([call])[0]
        if _event_id(event.get("id")) is not None:
            self._calls[event["id"]] = call["id"]
        else:
            self._waiting = (call["id"], event["action"])
        return self.transcript.ask(call, at=at, causes=asking)

    def _tell_answer(self, response: Fields, calls: list[Fields], content: Any, at: datetime | None) -> int:
        """Tell the model's answer, if it is recorded, and the message that it becomes."""
        answered = None
        if response:
            self.model = self.model or string(response.get("model"))
            choice = mapping(next(iter(sequence(response.get("choices"))), None))
            payload = {"model": string(response.get("model")), "content": content, "tool_calls": calls}
            payload["finish_reason"] = string(choice.get("finish_reason"))
            reported = usage.from_openai(mapping(response.get("usage")))
            payload = self._response(string(response.get("id")), payload, reported)
            answered = self.transcript.add(EventType.LLM_RESPONSE, payload, at=at)
        return self.transcript.message(MessageRole.ASSISTANT, content, at=at, causes=answered, tool_calls=calls)

    def _response(self, response_id: str, payload: Payload, reported: Fields | None = None) -> Payload:
        """The payload with what the run's metrics say about this answer, which is then used up."""
        metered = self._usages.pop(response_id, None)
        latency = mapping(self._latencies.get(response_id)).get("latency")
        tokens = usage.from_openhands(metered) if metered else reported
        return present({"call_id": response_id, **payload, "usage": tokens, "duration_ms": milliseconds(latency)})

    def _tell_observation(self, event: Fields, at: datetime | None) -> int:
        cause = _event_id(event.get("cause"))
        content = event.get("content")
        error = _error(event)
        call_id = self._take_call(event, cause)
        if not call_id:
            payload = present({"content": content, "extras": mapping(event.get("extras")), "error": error})
            causes = None if cause is None else self._told.get(cause)
            return self.transcript.add(own_type("observation", event["observation"]), payload, at=at, causes=causes)
        exit_code = _exit_code(event)
        metadata = None if exit_code is None else {"exit_code": exit_code}
        result = self.transcript.result(call_id, "", content, at=at, metadata=metadata, error=error)
        return self.transcript.answer(result, content, at=at)

    def _take_call(self, event: Fields, cause: int | None) -> str:
        """The call that an observation answers, "" if it answers none. In the older shape it follows its action."""
        if cause is not None:
            return self._calls.pop(cause, "")
        if self._waiting and event.get("id") is None and event["observation"] in (self._waiting[1], "error"):
            call_id, self._waiting = self._waiting[0], None
            return call_id
        return ""


def _by_response(value: Any) -> dict[str, Fields]:
    entries = (mapping(entry) for entry in sequence(value))
    return {string(entry.get("response_id")): entry for entry in entries if string(entry.get("response_id"))}


def _event_id(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _arguments(event: Fields) -> Fields:
    if isinstance(event.get("args"), dict):
        return mapping(event["args"])
    return {name: value for name, value in event.items() if name not in _ENVELOPE}


def _message(response: Fields) -> Fields:
    return mapping(mapping(next(iter(sequence(response.get("choices"))), None)).get("message"))


def _exit_code(event: Fields) -> int | None:
    extras = mapping(event.get("extras"))
    codes = (mapping(extras.get("metadata")).get("exit_code"), extras.get("exit_code"), event.get("exit_code"))
    return next((code for code in codes if _event_id(code) is not None), None)


def _error(event: Fields) -> Payload | None:
    """What an observation reports: an error event, or a command that ended with another exit code than 0."""
    if event["observation"] == "error":
        return {"type": "error", "message": text_of(event.get("content")) or string(event.get("message"))}
    exit_code = _exit_code(event)
    return {"type": "exit_code", "message": f"exit code {exit_code}"} if exit_code else None

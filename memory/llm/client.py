"""Any OpenAI-compatible `/v1/chat/completions`, asked for JSON of a given form."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from time import monotonic
from typing import Any

from memory import conf
from memory.errors import BadAnswer, ServiceRefused
from memory.services import QUERY_REST, Service

# What its errors begin with.
SERVICE = "The language model"
# An answer that is no JSON is asked for again once, with what was wrong; a model that fails twice will go on failing.
ANSWERS = 2
# A request that fails is tried once more: whoever asks has rules to go by, and a lease that ends.
TRIES = 2
_FENCE = re.compile(r"\A\s*```(?:json)?\s*\n(.*?)\n?\s*```\s*\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's answer: the value it stands for, the model, and the usage that the service reports, if any."""

    value: Any
    model: str
    usage: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Use:
    """One answer of a model, usable or not: what was sent for it, what came back, what the service says that took."""

    model: str
    sent: Sequence[Mapping[str, str]]
    answer: str
    usage: Mapping[str, Any]
    seconds: float


class Client:
    """A model behind a service, which may correct an answer that cannot be used until there were `answers` of them."""

    def __init__(self, service: Service, model: str, answers: int = ANSWERS) -> None:
        self.model = model
        self._service = service
        self._answers = answers
        self._takes_forms = True

    def complete(
        self,
        messages: Sequence[Mapping[str, str]],
        form: Mapping[str, Any],
        read: Callable[[Any], Any],
        note: Callable[[Use], None] | None = None,
    ) -> Completion:
        """What `read` makes of the JSON that the model answers.

        Args:
            form: the JSON schema of the answer. Services that can hold the model to it do; others get it by the prompt.
            read: a function of the parsed JSON; raises a ValueError that says what is wrong with it.
            note: told of each answer: one that cannot be used took tokens too.

        Raises:
            ServiceFailed: there is no usable answer.
        """
        said = list(messages)
        problem = ""
        for _ in range(self._answers):
            began = monotonic()
            text, model, usage = self._ask(said, form)
            if note is not None:
                note(Use(model or self.model, tuple(said), text, usage, monotonic() - began))
            try:
                return Completion(read(_json(text)), model or self.model, usage)
            except (ValueError, KeyError, TypeError) as error:
                problem = str(error)
                said += [
                    {"role": "assistant", "content": text},
                    {
                        "role": "user",
                        "content": f"That cannot be used: {problem} Answer with the corrected JSON alone.",
                    },
                ]
        raise BadAnswer(f"{SERVICE} gave no usable answer: {problem}")

    def _ask(self, said: Sequence[Mapping[str, str]], form: Mapping[str, Any]) -> tuple[str, str, Mapping[str, Any]]:
        body = {"model": self.model, "messages": said, "temperature": 0}
        if self._takes_forms:
            schema = {"name": "answer", "strict": True, "schema": form}
            try:
                return self._post(body | {"response_format": {"type": "json_schema", "json_schema": schema}})
            except ServiceRefused:  # perhaps since it knows no forms; if for another reason, it says so again
                answer = self._post(body | {"response_format": {"type": "json_object"}})
                self._takes_forms = False
                return answer
        return self._post(body | {"response_format": {"type": "json_object"}})

    def _post(self, body: Mapping[str, Any]) -> tuple[str, str, Mapping[str, Any]]:
        answer: tuple[str, str, Mapping[str, Any]] = self._service.post("chat/completions", body, _read)
        return answer


@cache
def client(model: str = "") -> Client | None:
    """The model of this name, or the one that this installation is set to; None without ARES_LLM_URL."""
    url = conf.text("ARES_LLM_URL")
    if not url:
        return None
    service = Service(SERVICE, url, conf.text("ARES_LLM_KEY"), conf.value("ARES_SERVICE_SECONDS"), tries=TRIES)
    return Client(service, model or conf.text("ARES_LLM_MODEL"))


@cache
def impatient() -> Client | None:
    """The model that this installation is set to, for who is waited for: asked once, and not again for a while after it
    failed. None without ARES_LLM_URL."""
    url = conf.text("ARES_LLM_URL")
    if not url:
        return None
    seconds = conf.value("ARES_QUERY_SECONDS")
    service = Service(SERVICE, url, conf.text("ARES_LLM_KEY"), seconds, tries=1, rest=QUERY_REST)
    return Client(service, conf.text("ARES_LLM_MODEL"), answers=1)


def _read(answer: Any) -> tuple[str, str, Mapping[str, Any]]:
    text = answer["choices"][0]["message"]["content"]
    if not isinstance(text, str) or not text.strip():
        raise ValueError("The answer is empty.")
    usage = answer.get("usage")
    model = answer.get("model")
    return text, model if isinstance(model, str) else "", usage if isinstance(usage, dict) else {}


def _json(text: str) -> Any:
    """The JSON in a text, with or without the fence that models put around it.

    Raises:
        ValueError: there is none.
    """
    fenced = _FENCE.match(text)
    try:
        return json.loads(fenced[1] if fenced else text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"It is no JSON: {error}.") from None

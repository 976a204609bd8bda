"""A language service that answers well, in a fence, brokenly or not at all."""

from collections.abc import Iterator
from typing import Any

import pytest

from memory.errors import BadAnswer, ServiceBusy, ServiceDown, ServiceFailed, ServiceRefused, ServiceSlow
from memory.llm.client import Client
from memory.services import Service
from tests import service
from tests.service import Served, chat, in_turn, slow, told

ASKED = [{"role": "user", "content": "?"}]
FORM = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"], "additionalProperties": False}


@pytest.fixture
def served() -> Iterator[Served]:
    with service.service() as running:
        yield running


def ask(served: Served, read: Any = lambda value: value["x"], seconds: float = 5) -> Any:
    return client(served, seconds).complete(ASKED, FORM, read)


def client(served: Served, seconds: float = 5) -> Client:
    return Client(Service("The language model", served.url, "key", seconds, tries=2), "small")


def test_the_value_of_an_answer_comes_with_model_and_usage(served: Served) -> None:
    served.answer = chat({"x": 1}, usage={"prompt_tokens": 7})

    completion = ask(served)

    assert (completion.value, completion.model, completion.usage) == (1, "small", {"prompt_tokens": 7})


@pytest.mark.parametrize("text", ['```json\n{"x": 2}\n```', '```\n{"x": 2}\n```\n', ' {"x": 2} '])
def test_json_in_a_fence_is_read(served: Served, text: str) -> None:
    served.answer = chat(text)

    assert ask(served).value == 2


def test_a_broken_answer_is_asked_for_again_with_what_is_wrong(served: Served) -> None:
    served.answer = in_turn(chat('{"x": '), chat({"x": 3}))

    assert ask(served).value == 3
    assert "It is no JSON" in served.asked[1]["messages"][-1]["content"]


@pytest.mark.parametrize("text", ["", "  ", "I cannot do that.", '{"y": 1}', "[" * 5000])
def test_an_answer_that_stays_useless_is_refused(served: Served, text: str) -> None:
    served.answer = chat(text)

    with pytest.raises(BadAnswer):
        ask(served)
    assert len(served.asked) <= 2


@pytest.mark.parametrize(
    "answer", [told({}), told({"choices": []}), told({"choices": [{"message": {"content": None}}]})]
)
def test_an_answer_of_another_form_is_refused(served: Served, answer: Any) -> None:
    served.answer = lambda body: answer

    with pytest.raises(ServiceFailed, match="gave an answer that is none"):
        ask(served)


def test_a_service_is_told_the_form_of_the_answer(served: Served) -> None:
    served.answer = chat({"x": 1})

    ask(served)

    assert served.asked[0]["response_format"]["json_schema"]["schema"] == FORM


def test_a_service_that_knows_no_forms_is_asked_for_json_from_then_on(served: Served) -> None:
    def answer(body: Any) -> Any:
        return told({}, status=400) if body["response_format"]["type"] == "json_schema" else chat({"x": 4})(body)

    served.answer = answer
    model = client(served)

    assert [model.complete(ASKED, FORM, lambda value: value["x"]).value for _ in range(2)] == [4, 4]
    assert [asked["response_format"]["type"] for asked in served.asked] == ["json_schema", "json_object", "json_object"]


@pytest.mark.parametrize(
    ("status", "kind", "asked"), [(500, ServiceDown, 2), (429, ServiceBusy, 2), (401, ServiceRefused, 2)]
)
def test_each_failure_has_its_name(served: Served, status: int, kind: type[ServiceFailed], asked: int) -> None:
    served.answer = lambda body: told({"error": "no"}, status=status)

    with pytest.raises(kind, match=f"The language model answered {status}"):
        ask(served)

    assert len(served.asked) == asked


def test_a_service_that_wants_to_be_left_alone_says_for_how_long(served: Served) -> None:
    served.answer = lambda body: told({}, status=429, Retry_After="60")

    with pytest.raises(ServiceBusy) as caught:
        ask(served)

    assert (caught.value.retry_after, len(served.asked)) == (60, 1)


def test_a_slow_service_is_given_up(served: Served) -> None:
    served.answer = slow(1.5, chat({"x": 1}))

    with pytest.raises(ServiceSlow):
        ask(served, seconds=0.2)


def test_a_service_that_is_down_is_named() -> None:
    nobody = Client(Service("The language model", "http://127.0.0.1:9/v1", "", 1, tries=1), "small")

    with pytest.raises(ServiceDown, match="The language model cannot be reached"):
        nobody.complete(ASKED, FORM, lambda value: value)

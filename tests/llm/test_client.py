"""A language service that answers well, in a fence, brokenly or not at all."""

from collections.abc import Iterator
from typing import Any

import pytest

from memory.errors import ServiceFailed
from memory.llm.client import Client
from memory.services import Service
from tests import service
from tests.service import Served, chat, in_turn, told

ASKED = [{"role": "user", "content": "?"}]


@pytest.fixture
def served() -> Iterator[Served]:
    with service.service() as running:
        yield running


def ask(served: Served, read: Any = lambda value: value["x"]) -> Any:
    return Client(Service("The language model", served.url, "key", 5), "small").complete(ASKED, read)


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

    with pytest.raises(ServiceFailed):
        ask(served)
    assert len(served.asked) <= 2


@pytest.mark.parametrize(
    "answer", [told({}), told({"choices": []}), told({"choices": [{"message": {"content": None}}]})]
)
def test_an_answer_of_another_form_is_refused(served: Served, answer: Any) -> None:
    served.answer = lambda body: answer

    with pytest.raises(ServiceFailed, match="gave an answer that is none"):
        ask(served)

"""Extraction with a language model: checked, joined with the rules, and done without where the model fails."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from django.test import override_settings

from memory.distillation import summary
from memory.distillation.data import Rules, Turn
from memory.embedding import current
from memory.llm import client, prompts
from memory.models import Tenant
from tests import service
from tests.distillation.running import known, learn
from tests.service import Served, chat, told

TURNS = [
    Turn("m1", 1, "user", "The build fails with error E42.", datetime(2026, 5, 1, tzinfo=UTC)),
    Turn("m2", 2, "assistant", "Pin setuptools to 68.", datetime(2026, 5, 1, tzinfo=UTC)),
]
MEMORY = {
    "kind": "solution",
    "problem": "The build fails with error E42.",
    "solution": "Pin setuptools to 68.",
    "sources": [1, 2],
}


@pytest.fixture
def model() -> Iterator[Served]:
    with service.service() as running, override_settings(ARES_SERVICES=services(running.url)):
        client.client.cache_clear()
        yield running
    client.client.cache_clear()


def services(url: str) -> dict[str, str]:
    from django.conf import settings

    return settings.ARES_SERVICES | {"ARES_LLM_URL": url, "ARES_LLM_MODEL": "small"}


def test_a_memory_of_the_model_becomes_a_candidate_with_its_sources() -> None:
    (candidate,) = summary.candidates({"memories": [MEMORY]}, TURNS, Rules())

    assert (candidate.method, candidate.sources, candidate.kind) == ("summary", ("m1", "m2"), "solution")


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "abstraction"}, {"kind": 3}, {"solution": " "}, {"solution": None}, {"problem": 3}, {"sources": []}, {"sources": [3]},
        {"sources": [0]}, {"sources": ["m1"]}, {"sources": [True]}, {"confidence": 2}, {"confidence": "high"},
    ],
)  # fmt: skip
def test_what_the_model_makes_up_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="must be"):
        summary.candidates({"memories": [MEMORY | change]}, TURNS, Rules())


@pytest.mark.parametrize("value", [None, [], {}, {"memories": {}}, {"memories": [1]}, {"memories": [MEMORY] * 51}])
def test_an_answer_of_another_form_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="must be"):
        summary.candidates(value, TURNS, Rules())


@pytest.mark.parametrize("made_up", ["…", "What worked, or the statement itself.", "7", "东京是日本的首都。"])
def test_what_shares_no_word_with_its_messages_is_refused(made_up: str) -> None:
    with pytest.raises(ValueError, match="in the words of the messages"):
        summary.candidates({"memories": [MEMORY | {"solution": made_up}]}, TURNS, Rules())


def test_what_the_model_is_told_to_answer_is_what_is_read() -> None:
    item = prompts.form("extract")["properties"]["memories"]["items"]

    assert set(item["properties"]["kind"]["enum"]) == summary.KINDS
    assert set(item["required"]) == {*MEMORY, "confidence"}


def test_secrets_that_a_model_repeats_are_taken_out() -> None:
    leaked = MEMORY | {"solution": "Pin setuptools, log in with password: hunter2secret."}

    (candidate,) = summary.candidates({"memories": [leaked]}, TURNS, Rules())

    assert "hunter2secret" not in candidate.text


@pytest.mark.django_db(transaction=True)
def test_with_a_model_its_summary_is_what_is_kept(acme: Tenant, model: Served) -> None:
    model.answer = chat({"memories": [MEMORY]})

    done = learn(acme, [turn.text for turn in TURNS])

    (experience,) = known(acme)
    assert (experience.method, done.error) == ("summary", "")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("answer", [told({}, status=400), told({"choices": [{"message": {"content": "no"}}]})])
def test_where_the_model_fails_the_rules_are_enough_and_the_reason_is_kept(
    acme: Tenant, model: Served, answer: object
) -> None:
    model.answer = lambda body: answer

    done = learn(acme, [turn.text for turn in TURNS])

    (experience,) = known(acme)
    assert (experience.method, done.status) == ("direct", "completed")
    assert done.error.startswith("Extracted by rules alone: ")


@pytest.mark.django_db(transaction=True)
def test_while_the_embedding_service_is_down_the_work_waits_and_agents_notice_nothing(acme: Tenant) -> None:
    with override_settings(ARES_SERVICES=services("") | {"ARES_EMBEDDING_URL": "http://127.0.0.1:9/v1"}):
        current.embedder.cache_clear()
        try:
            waiting = learn(acme, [turn.text for turn in TURNS])
        finally:
            current.embedder.cache_clear()

    assert waiting.status == "pending"
    assert "cannot be reached" in waiting.error
    assert known(acme) == []


@pytest.mark.django_db(transaction=True)
def test_a_model_that_is_too_slow_for_a_long_conversation_is_not_waited_for(acme: Tenant, model: Served) -> None:
    model.answer = service.slow(0.6, chat({"memories": []}))
    long = [f"{TURNS[0].text} {'It says so again. ' * 150}", TURNS[1].text] * 8

    with override_settings(ARES=leased_for(1)):
        done = learn(acme, long)

    assert done.status == "completed"
    assert done.error == "The language model was too slow to read more than 1 of 2 parts."
    assert {experience.method for experience in known(acme)} == {"direct"}


def leased_for(seconds: int) -> dict[str, object]:
    from django.conf import settings

    return settings.ARES | {"ARES_QUEUE_LEASE_SECONDS": seconds}

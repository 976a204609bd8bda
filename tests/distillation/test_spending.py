"""What the refinery's language model takes is in the token ledger, whatever becomes of its answers."""

from collections.abc import Iterator

import pytest
from django.test import override_settings

from memory.distillation import spending
from memory.embedding import current
from memory.llm import client
from memory.llm.client import Use
from memory.models import Event, LedgerEntry, Tenant
from memory.tenancy import tenant_scope
from memory.tokens import ledger
from tests import service
from tests.distillation.running import learn
from tests.distillation.test_summary import MEMORY, TURNS, services
from tests.service import Served, chat, in_turn

SAID = [turn.text for turn in TURNS]
SENT = ({"role": "user", "content": "Read this."},)


@pytest.fixture
def model() -> Iterator[Served]:
    with service.service() as running, override_settings(ARES_SERVICES=services(running.url)):
        client.client.cache_clear()
        yield running
    client.client.cache_clear()


def entries(tenant: Tenant) -> list[LedgerEntry]:
    with tenant_scope(tenant.pk):
        return list(LedgerEntry.objects.filter(stream__name="aresweb:memory").order_by("version"))


@pytest.mark.django_db(transaction=True)
def test_an_answer_is_an_entry_with_what_the_service_reports_and_our_own_count(acme: Tenant, model: Served) -> None:
    model.answer = chat({"memories": [MEMORY]}, usage={"prompt_tokens": 700, "completion_tokens": 50})

    done = learn(acme, SAID)

    (entry,) = entries(acme)
    assert (entry.kind, entry.model, entry.is_reported) == ("call", "small", True)
    assert (entry.input_tokens, entry.output_tokens) == (700, 50)
    assert (entry.counted_tokens or 0) > 100
    with tenant_scope(acme.pk):
        event = Event.objects.get(type="llm.response")
        assert event.payload["distillation_id"] == done.pk
        assert "setuptools" not in event.payload_json
        assert ledger.rebuild(event.stream) == 1
    assert entries(acme)[0].input_tokens == 700


@pytest.mark.django_db(transaction=True)
def test_without_a_report_it_is_counted_here(acme: Tenant, model: Served) -> None:
    model.answer = chat({"memories": [MEMORY]})

    learn(acme, SAID)

    (entry,) = entries(acme)
    assert not entry.is_reported
    assert entry.input_tokens == entry.counted_tokens > 100
    assert entry.output_tokens > 10


@pytest.mark.django_db(transaction=True)
def test_answers_that_cannot_be_used_took_tokens_too(acme: Tenant, model: Served) -> None:
    model.answer = in_turn(chat("no", usage={"prompt_tokens": 9}), chat("no", usage={"prompt_tokens": 30}))

    assert learn(acme, SAID).error.startswith("Extracted by rules alone")

    assert [entry.input_tokens for entry in entries(acme)] == [9, 30]


@pytest.mark.django_db(transaction=True)
def test_so_did_a_distillation_that_could_not_be_finished(acme: Tenant, model: Served) -> None:
    model.answer = chat({"memories": [MEMORY]}, usage={"prompt_tokens": 8})
    down = services(model.url) | {"ARES_EMBEDDING_URL": "http://127.0.0.1:9/v1"}
    with override_settings(ARES_SERVICES=down):
        current.embedder.cache_clear()
        try:
            assert learn(acme, SAID).status == "pending"
        finally:
            current.embedder.cache_clear()

    assert [entry.input_tokens for entry in entries(acme)] == [8]


@pytest.mark.parametrize("name", ["two words", "\0", "\ud800", "x" * 500, ""])
@pytest.mark.parametrize("usage", [{}, {"prompt_tokens": float("nan")}, {"prompt_tokens": -1}, {"prompt_tokens": "9"}])
def test_whatever_a_service_says_of_itself_can_be_recorded(
    in_acme: Tenant, name: str, usage: dict[str, object]
) -> None:
    spending.record("dist_1", [Use(name, SENT, "{}", usage, 0.5)])

    event = Event.objects.get(type="llm.response")
    assert "usage" not in event.payload
    assert event.payload["duration_ms"] == 500

"""The token ledger: every event that says something of tokens has one entry, which can be made again."""

from decimal import Decimal
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.forms.models import model_to_dict
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings

from memory.events import store
from memory.events.draft import draft
from memory.layers import session
from memory.models import LedgerEntry, Stream, Tenant
from memory.tenancy import tenant_scope
from memory.tokens import counting, ledger
from tests.events.making import Recorded, drafted, streams
from tests.tokens.making import USAGE, call, context, entries, record

MESSAGES = [{"role": "user", "content": "What is the weather in Oslo?"}]


def test_a_call_whose_provider_reported_its_tokens_has_them_with_the_price_of_its_time(in_acme: Tenant) -> None:
    [made] = record(call())
    assert (made.kind, made.model, made.is_reported) == ("call", "gpt-4o", True)
    assert (made.input_tokens, made.cached_tokens, made.output_tokens, made.reasoning_tokens) == (1000, 400, 50, 20)
    assert made.cost == Decimal("0.0025") * 600 / 1000 + Decimal("0.00125") * 400 / 1000 + Decimal("0.01") * 50 / 1000


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": 1000, "completion_tokens": 50, "prompt_tokens_details": {"cached_tokens": 400},
         "completion_tokens_details": {"reasoning_tokens": 20}},
        {"input_tokens": 1000, "output_tokens": 50, "input_tokens_details": {"cached_tokens": 400},
         "output_tokens_details": {"reasoning_tokens": 20}},
        {"input_tokens": 500, "cache_read_input_tokens": 400, "cache_creation_input_tokens": 100, "output_tokens": 50,
         "reasoning_tokens": 20},
        {"input_tokens": 500, "input_tokens_cache_read": 400, "input_tokens_cache_write": 100, "output_tokens": 50,
         "total_tokens": 1050, "reasoning_tokens": 20},
        {"input_tokens": 1000, "input_tokens_cache_read": 400, "output_tokens": 50, "total_tokens": 1050, "reasoning_tokens": 20},
    ],
)  # fmt: skip
def test_whichever_providers_form_they_are_in_no_token_counts_twice(in_acme: Tenant, usage: dict[str, Any]) -> None:
    [made] = record(call(usage=usage))
    assert (made.input_tokens, made.cached_tokens, made.output_tokens, made.reasoning_tokens) == (1000, 400, 50, 20)
    stream = Stream.objects.named("run")
    assert (stream.input_tokens, stream.output_tokens) == (1000, 50)


def test_tokens_written_to_a_cache_are_part_of_the_input_at_a_price_of_their_own(in_acme: Tenant) -> None:
    usage = {
        "input_tokens": 500,
        "cache_creation_input_tokens": 400,
        "cache_read_input_tokens": 100,
        "output_tokens": 0,
    }
    [made] = record(call(model="claude-sonnet-4-5", usage=usage))
    assert (made.input_tokens, made.cached_tokens) == (1000, 100)
    assert made.cost == (500 * Decimal(3) + 400 * Decimal("3.75") + 100 * Decimal("0.3")) / 1_000_000


def test_what_only_sums_up_its_parts_is_not_added_to_them(in_acme: Tenant) -> None:
    total = {"usage": {"input_tokens": 2000, "output_tokens": 100}}
    made = record(
        ("step.started", {}),
        call(),
        call(),
        ("step.completed", total),
        ("task.completed", total),
        ("agent.stopped", total),
    )
    assert [each.version for each in made] == [2, 3]
    assert Stream.objects.named("run").input_tokens == sum(each.input_tokens for each in made) == 2000


def test_the_runs_totals_are_those_of_its_entries(in_acme: Tenant) -> None:
    made = record(
        call(), ("message.added", {"role": "assistant", "model": "gpt-4o", "usage": USAGE}), ("acme.answered", {"usage": USAGE}),
        ("llm.response", {"content": "counted here"}), ("llm.call", {"messages": MESSAGES}),
    )  # fmt: skip
    stream = Stream.objects.named("run")
    reported = [each for each in made if each.is_reported]
    assert len(reported) == 3
    assert stream.input_tokens == sum(each.input_tokens for each in reported)
    assert stream.output_tokens == sum(each.output_tokens for each in reported)


def test_our_count_of_a_request_stands_beside_what_the_provider_reported(in_acme: Tenant) -> None:
    request, answer = record(
        ("llm.call", {"call_id": "c1", "model": "gpt-4o", "messages": MESSAGES}), call(call_id="c1", model="")
    )
    counted = counting.count_messages(MESSAGES)
    assert (request.kind, request.counted_tokens, request.input_tokens, request.cost) == ("request", counted, 0, None)
    assert (answer.counted_tokens, answer.input_tokens, answer.model) == (counted, 1000, "gpt-4o")


def test_an_answer_finds_its_request_by_its_cause_too(in_acme: Tenant) -> None:
    store.append(
        "run", [draft({"id": "asked", "type": "llm.call", "payload": {"prompt": "hello world"}}, store.limits())]
    )
    answer = {"type": "llm.response", "payload": {"model": "gpt-4o", "content": "hello"}, "causation_id": "asked"}
    store.append("run", [draft(answer, store.limits())])
    made = entries()[-1]
    assert (made.counted_tokens, made.input_tokens, made.output_tokens, made.is_reported) == (2, 2, 1, False)
    assert made.cost == Decimal("0.000015")


def test_a_call_that_was_never_answered_is_counted_but_not_added_up(in_acme: Tenant) -> None:
    [made] = record(("llm.call", {"model": "gpt-4o", "messages": MESSAGES, "tools": [{"name": "search"}]}))
    assert made.counted_tokens == counting.count_messages(MESSAGES) + counting.count_tools([{"name": "search"}])
    assert (made.raw_tokens, made.input_tokens, made.cost) == (0, 0, None)


def test_a_call_that_failed_has_no_tokens(in_acme: Tenant) -> None:
    assert record(("llm.response", {"model": "gpt-4o", "error": "overloaded"})) == []


def test_a_context_has_what_it_saved_at_the_price_of_its_model(in_acme: Tenant) -> None:
    [made] = record(context(5000, 1000, model="gpt-4o"))
    assert (made.kind, made.method, made.raw_tokens, made.sent_tokens, made.saved_tokens) == (
        "context",
        "memory",
        5000,
        1000,
        4000,
    )
    assert made.saved_cost == Decimal("0.01")
    assert made.cost is None


def test_a_context_that_names_no_model_is_for_the_one_called_last(in_acme: Tenant) -> None:
    made = record(context(100, 50), call(), context(100, 50), call(model="gpt-4o-mini"), context(100, 50))
    assert [each.model for each in made if each.kind == "context"] == ["", "gpt-4o", "gpt-4o-mini"]
    assert made[0].saved_cost is None


def test_what_was_recalled_has_the_tokens_that_it_says_or_those_of_its_texts(in_acme: Tenant) -> None:
    told, counted = record(
        ("memory.recalled", {"tokens": 77, "results": [{"text": "hello world"}]}),
        ("memory.recalled", {"results": [{"text": "hello world"}, {"text": "hello"}, 7]}),
    )
    assert (told.sent_tokens, counted.sent_tokens, told.saved_tokens) == (77, 3, 0)


def test_sending_an_event_again_adds_nothing(in_acme: Tenant) -> None:
    events = [drafted("llm.response", "mine", model="gpt-4o", usage=USAGE), drafted("llm.response", "too", usage=USAGE)]
    store.append("run", events[:1])
    store.append("run", events)
    store.append("run", events)
    assert [each.version for each in entries()] == [1, 2]


def test_an_event_has_one_entry_at_most(in_acme: Tenant) -> None:
    [made] = record(call())
    with pytest.raises(IntegrityError), transaction.atomic():
        LedgerEntry.objects.create(
            tenant=in_acme, stream=made.stream, version=1, kind="call", occurred_at=made.occurred_at
        )


def test_an_append_that_fails_leaves_no_entry(in_acme: Tenant) -> None:
    record(call())

    def fail() -> None:
        with transaction.atomic():
            record(call())
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert len(entries()) == 1


def test_one_statement_keeps_the_entries_of_a_batch_and_none_where_there_are_none(in_acme: Tenant) -> None:
    def statements(*types: str, **payload: Any) -> int:
        with CaptureQueriesContext(connection) as seen:
            store.append("run", [drafted(each, **payload) for each in types])
        return sum("ledgerentry" in query["sql"] for query in seen)

    assert statements("tool.call", "tool.result") == 0
    assert statements(*["llm.response"] * 20, "tool.call", usage=USAGE) == 1


def test_another_tenant_has_a_ledger_of_its_own(in_acme: Tenant, globex: Tenant) -> None:
    record(call())
    with tenant_scope(globex.pk):
        assert not LedgerEntry.objects.exists()


def test_a_deleted_session_leaves_no_entry(in_acme: Tenant) -> None:
    opened = session.create("ann")
    record(call(), stream=opened.pk)
    assert session.erase(opened.pk)["rows"]["ledger_entries"] == 1
    assert entries(opened.pk) == []


def rows(stream: str) -> list[dict[str, Any]]:
    return [model_to_dict(each, exclude=["id"]) for each in entries(stream)]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(told=streams(most=25))
def test_a_ledger_made_again_is_the_same_whatever_the_events_hold(in_acme: Tenant, told: list[Recorded]) -> None:
    with transaction.atomic():
        fitting = [each for each in told if not each.type.startswith("session.")]
        for each in fitting:
            raw = {"type": each.type, "payload": each.payload, "occurred_at": "2026-05-01T09:30:00Z"}
            store.append("drawn", [draft(raw, store.limits())])
        if fitting:
            before = rows("drawn")
            assert ledger.rebuild(Stream.objects.named("drawn")) == len(before)
            assert rows("drawn") == before
        transaction.set_rollback(True)

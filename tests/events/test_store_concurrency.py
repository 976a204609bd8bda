"""Appends at the same time, on connections of their own."""

import pytest
from django.db import transaction

from memory.errors import AresError, EventIdTaken, WrongVersion
from memory.events import store
from memory.models import Event, Stream, Tenant
from memory.tenancy import tenant_scope
from tests.events.making import drafted
from tests.events.verifying import assert_verifies
from tests.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)
WRITERS = 6


def outcome(tenant: Tenant, stream: str, ids: list[str], expected_version: int | None = None) -> str:
    try:
        with tenant_scope(tenant.pk):
            return f"new: {store.append(stream, [drafted(event_id=name) for name in ids], expected_version).new}"
    except AresError as error:
        return type(error).__name__


def test_appends_to_one_stream_go_one_after_the_other(acme: Tenant) -> None:
    def write(writer: int) -> None:
        for n in range(10):
            assert outcome(acme, "run", [f"w{writer}-{n}-{k}" for k in range(3)]) == "new: 3"

    at_once([lambda writer=writer: write(writer) for writer in range(WRITERS)])
    with tenant_scope(acme.pk):
        stream = Stream.objects.named("run")
        assert stream.version == WRITERS * 30
        assert_verifies(stream)
        for writer in range(WRITERS):  # a batch stays together, and a writer's batches in their order
            own = [event for event in Event.objects.in_stream(stream) if event.event_id.startswith(f"w{writer}-")]
            assert [event.event_id for event in own] == [f"w{writer}-{n}-{k}" for n in range(10) for k in range(3)]
            assert all(own[n + 2].version == own[n].version + 2 for n in range(0, 30, 3))


def test_of_those_who_expect_the_same_version_one_writes(acme: Tenant) -> None:
    for version in range(3):
        works = [
            lambda writer=writer, version=version: outcome(acme, "run", [f"w{writer}-{version}"], version)
            for writer in range(WRITERS)
        ]
        assert sorted(at_once(works)) == ["WrongVersion"] * (WRITERS - 1) + ["new: 1"]


def test_the_same_batch_sent_at_the_same_time_is_written_once(acme: Tenant) -> None:
    done = at_once([lambda: outcome(acme, "run", ["a", "b"])] * WRITERS)
    assert sorted(done) == ["new: 0"] * (WRITERS - 1) + ["new: 2"]


def test_the_same_id_sent_to_two_streams_at_the_same_time_is_written_once(acme: Tenant) -> None:
    for n in range(5):
        done = at_once(
            [lambda stream=stream, n=n: outcome(acme, stream, [f"id-{n}"]) for stream in ("one", "two", "three")]
        )
        assert sorted(done) == [EventIdTaken.__name__] * 2 + ["new: 1"]


def test_a_batch_whose_last_event_fails_leaves_nothing(acme: Tenant) -> None:
    assert outcome(acme, "one", ["a"]) == "new: 1"
    assert outcome(acme, "two", ["b", "c", "a"]) == EventIdTaken.__name__
    assert outcome(acme, "three", ["b"], 4) == WrongVersion.__name__
    with tenant_scope(acme.pk):
        assert list(Stream.objects.values_list("name", "version")) == [("one", 1)]
        assert list(Event.objects.values_list("event_id", flat=True)) == ["a"]


def test_a_transaction_that_fails_leaves_no_gap(acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        store.append("run", [drafted(event_id="lost")])
        transaction.set_rollback(True)
    assert outcome(acme, "run", ["kept"], 0) == "new: 1"
    with tenant_scope(acme.pk):
        assert_verifies(Stream.objects.named("run"))

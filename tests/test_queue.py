"""Work in the queue: claimed once, done once, tried again, given up with a reason; whoever dies in the middle."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.test import override_settings
from hypothesis import given
from hypothesis import strategies as st

from memory import queue, worker
from memory.models import QueueItem, Tenant
from memory.queue import LeaseLost, backoff
from memory.tenancy import tenant_scope
from memory.vocabulary import Queue, WorkStatus

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def in_acme(acme: Tenant) -> Iterator[None]:
    with tenant_scope(acme.pk):
        yield


def item(subject: str = "a") -> QueueItem:
    return QueueItem.objects.get(subject_id=subject)


def test_the_same_work_waits_once(in_acme: None) -> None:
    queue.put(Queue.EMBEDDING, ["a", "b"])
    queue.put(Queue.EMBEDDING, ["a"])

    assert QueueItem.objects.count() == 2


def test_claimed_work_is_claimed_once_until_its_lease_ends(in_acme: None) -> None:
    queue.put(Queue.EMBEDDING, ["a"])

    (claimed,) = queue.claim(Queue.EMBEDDING, "one", 5)
    assert queue.claim(Queue.EMBEDDING, "two", 5) == []
    QueueItem.objects.update(leased_until=datetime.now(UTC) - timedelta(seconds=1))
    (again,) = queue.claim(Queue.EMBEDDING, "two", 5)

    assert (again.attempts, again.lease_owner) == (2, "two")
    with pytest.raises(LeaseLost):
        queue.finish(claimed)
    queue.finish(again)
    assert item().status == WorkStatus.COMPLETED


def test_a_claim_takes_no_more_than_it_asks_for(in_acme: None) -> None:
    queue.put(Queue.EMBEDDING, ["a", "b", "c"])

    assert len(queue.claim(Queue.EMBEDDING, "one", 1)) == 1
    assert len(queue.claim(Queue.EMBEDDING, "two", 5)) == 2


def test_work_whose_subject_changed_meanwhile_cannot_be_finished(in_acme: None) -> None:
    queue.put(Queue.EMBEDDING, ["a"])
    (claimed,) = queue.claim(Queue.EMBEDDING, "one", 5)
    queue.put(Queue.EMBEDDING, ["a"])

    with pytest.raises(LeaseLost):
        queue.finish(claimed)
    assert item().status == WorkStatus.PENDING


def test_what_fails_is_tried_later_and_given_up_with_its_reason(in_acme: None, settings: object) -> None:
    queue.put(Queue.EMBEDDING, ["a"])
    with override_settings(ARES=_settings(ARES_QUEUE_ATTEMPTS=2)):
        (first,) = queue.claim(Queue.EMBEDDING, "one", 5)
        assert not queue.fail(first, "down")
        assert queue.claim(Queue.EMBEDDING, "one", 5) == []
        QueueItem.objects.update(run_at=datetime.now(UTC))
        (second,) = queue.claim(Queue.EMBEDDING, "one", 5)
        assert queue.fail(second, "still down")

    assert (item().status, item().error) == (WorkStatus.FAILED, "still down")
    assert queue.counts(datetime.now(UTC))[Queue.EMBEDDING] == {"failed": 1}
    assert worker.retry() == {Queue.EMBEDDING: 1}
    assert len(queue.claim(Queue.EMBEDDING, "one", 5)) == 1


def test_a_service_that_names_a_time_is_not_asked_before(in_acme: None) -> None:
    queue.put(Queue.EMBEDDING, ["a"])
    (claimed,) = queue.claim(Queue.EMBEDDING, "one", 5)
    queue.fail(claimed, "busy", retry_after=500)

    assert item().run_at > datetime.now(UTC) + timedelta(seconds=490)


@given(attempts=st.integers(0, 10_000), chance=st.floats(0, 1, exclude_max=True))
def test_waiting_times_grow_and_have_an_end(attempts: int, chance: float) -> None:
    pause = backoff(attempts, chance)

    assert queue.FIRST_PAUSE <= pause <= queue.LONGEST_PAUSE * 1.5
    assert backoff(attempts + 1, chance) >= pause


def _settings(**values: int) -> dict[str, object]:
    from django.conf import settings

    return settings.ARES | values

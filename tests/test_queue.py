"""Work in the queue: claimed once, done once, tried again, given up with a reason; whoever dies in the middle."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.test import override_settings
from hypothesis import given
from hypothesis import strategies as st

from memory import queue, worker
from memory.distillation import requests
from memory.models import Distillation, Event, Experience, QueueItem, Source, Stream, Tenant, Vector
from memory.queue import LeaseLost, backoff
from memory.tenancy import tenant_scope
from memory.vocabulary import Queue, WorkStatus
from tests import service
from tests.distillation.running import said
from tests.service import Served
from tests.threads import at_once

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


def test_two_workers_share_the_work_and_do_none_of_it_twice(acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        queue.put(Queue.EMBEDDING, [f"gone-{number}" for number in range(200)])

    done = at_once([lambda: worker.work(acme.pk, Queue.EMBEDDING) for _ in range(2)])

    assert sum(done) == 200
    with tenant_scope(acme.pk):
        assert set(QueueItem.objects.values_list("status", "attempts")) == {("completed", 1)}


PROBLEMS = ("nginx returns 502 Bad Gateway", "psql refuses connections on port 5432", "pip cannot find wheel numpy-2.4")


def test_a_worker_that_is_killed_in_the_middle_loses_nothing_and_doubles_nothing(acme: Tenant) -> None:
    """The embedding service holds the answer back until the worker, a process of its own, is killed."""
    with service.service() as served:
        served.answer = service.slow(30)
        with tenant_scope(acme.pk):
            for problem in PROBLEMS:
                session_id = said(acme, [f"{problem}, what now?", f"Restart the unit behind it: `{problem[:5]}`."])
                requests.of_stream(Stream.objects.named(session_id), "test")
        victim = _worker_process(acme, served)
        _wait_until(lambda: served.asked)
        victim.send_signal(signal.SIGKILL)
        victim.wait()
        with tenant_scope(acme.pk):
            assert Experience.objects.count() == 0
            assert QueueItem.objects.filter(queue=Queue.DISTILLATION).exclude(status="completed").count() == 3
            QueueItem.objects.filter(status="processing").update(leased_until=datetime.now(UTC))
        served.answer = service.embeddings
        survivors = [_worker_process(acme, served) for _ in range(2)]
        assert [each.wait(60) for each in survivors] == [0, 0]

    with tenant_scope(acme.pk):
        assert set(Distillation.objects.values_list("status", flat=True)) == {"completed"}
        assert Experience.objects.count() == 3
        assert Vector.objects.count() == 3
        assert Event.objects.filter(type="memory.distilled").count() == 3
        assert Source.objects.values("stream_name").distinct().count() == 3


def _worker_process(tenant: Tenant, served: Served) -> subprocess.Popen[bytes]:
    """A worker that works off the tenant's distillations, in this test's database, and ends."""
    script = (
        "import django; django.setup()\n"
        "from memory import worker\n"
        "from memory.vocabulary import Queue\n"
        f"worker.work({tenant.pk}, Queue.DISTILLATION)\n"
    )
    parameters = connection.get_connection_params()
    address = f"postgres://{parameters['user']}@{parameters['host'].replace('/', '%2F')}:{parameters['port']}/{parameters['dbname']}"
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "aresweb.settings",
        "DATABASE_URL": address,
        "ARES_EMBEDDING_URL": served.url,
        "ARES_EMBEDDING_MODEL": "model-x",
        "ARES_SERVICE_SECONDS": "60",
    }
    return subprocess.Popen([sys.executable, "-c", script], cwd=ROOT, env=environment)


def _wait_until(condition: object, seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)


def _settings(**values: int) -> dict[str, object]:
    from django.conf import settings

    return settings.ARES | values

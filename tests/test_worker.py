"""The worker: what it embeds is kept at once and once, whatever fails, changes or dies meanwhile."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import override_settings

from memory import jobs, queue, worker
from memory.distillation import requests
from memory.layers import knowledge, tool
from memory.models import Distillation, Event, Experience, Passage, QueueItem, Source, Stream, Tenant, Tool, Vector
from memory.tenancy import tenant_scope
from memory.vocabulary import Queue
from tests import service
from tests.distillation.running import said
from tests.embed import embedded_by
from tests.service import Answer, Served, embeddings, in_turn, told

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.django_db(transaction=True)


# What is asked of the service at a time, in one request.
STEP = 32
ASKED = {"ARES_EMBEDDING_BATCH": STEP, "ARES_EMBEDDING_CONCURRENCY": 1}


@pytest.fixture
def served(settings: Any) -> Iterator[Served]:
    with service.service() as running, override_settings(ARES=settings.ARES | ASKED), embedded_by(running.url):
        yield running


def tools(tenant: Tenant, *descriptions: str) -> list[str]:
    """Tools with these descriptions, which wait to be embedded. Their ids."""
    with tenant_scope(tenant.pk):
        return [tool.keep(f"tool_{n}", description).tool.pk for n, description in enumerate(descriptions)]


def states(tenant: Tenant) -> list[tuple[str, str]]:
    """Status and error of the work on each tool, in their order."""
    with tenant_scope(tenant.pk):
        found = {item.subject_id: (item.status, item.error) for item in QueueItem.objects.all()}
        return [found[pk] for pk in Tool.objects.order_by("name").values_list("pk", flat=True)]


def vectors(tenant: Tenant) -> int:
    with tenant_scope(tenant.pk):
        return Vector.objects.count()


def due(tenant: Tenant) -> None:
    """Let what waits for another try be due, and what is in hand be abandoned."""
    long_ago = datetime.now(UTC) - timedelta(seconds=1)
    with tenant_scope(tenant.pk):
        QueueItem.objects.filter(status="pending").update(run_at=long_ago)
        QueueItem.objects.filter(status="processing").update(leased_until=long_ago)


def meanwhile(tenant: Tenant, do: Callable[[], object]) -> Callable[[Any], Answer]:
    """A service in whose answer's time this happens."""

    def answer(body: Any) -> Answer:
        try:
            with tenant_scope(tenant.pk):
                do()
        finally:
            connection.close()
        return embeddings(body)

    return in_turn(answer, embeddings)


def refusing(word: str) -> Callable[[Any], Answer]:
    """A service that does not take texts with this word."""

    def answer(body: Any) -> Answer:
        return told({}, status=400) if any(word in text for text in body["input"]) else embeddings(body)

    return answer


def test_what_a_model_does_not_take_holds_up_nothing_else(acme: Tenant, served: Served) -> None:
    tools(acme, "good", "poison", "good too")
    served.answer = refusing("poison")

    assert worker.work(acme.pk, Queue.EMBEDDING) == 2

    (first, refused, last) = states(acme)
    assert (first[0], last[0], refused[0]) == ("completed", "completed", "pending")
    assert "answered 400" in refused[1]
    assert vectors(acme) == 2


def test_while_the_service_is_down_everything_waits_and_is_done_when_it_is_back(acme: Tenant, served: Served) -> None:
    tools(acme, "one", "two")
    served.answer = lambda body: told({}, status=503, Retry_After="90")

    assert worker.work(acme.pk, Queue.EMBEDDING) == 0
    with tenant_scope(acme.pk):
        assert set(Tool.objects.values_list("embedding_status", flat=True)) == {"pending"}
        assert QueueItem.objects.earliest("run_at").run_at > datetime.now(UTC) + timedelta(seconds=80)
    served.answer = embeddings
    due(acme)
    assert worker.work(acme.pk, Queue.EMBEDDING) == 2
    with tenant_scope(acme.pk):
        assert set(Tool.objects.values_list("embedding_status", flat=True)) == {"completed"}


def test_what_is_given_up_says_so_where_it_stands(acme: Tenant, served: Served, settings: Any) -> None:
    tools(acme, "one")
    served.answer = lambda body: told({}, status=401)

    with override_settings(ARES={**settings.ARES, "ARES_QUEUE_ATTEMPTS": 1}):
        worker.work(acme.pk, Queue.EMBEDDING)

    [(status, error)] = states(acme)
    assert status == "failed"
    assert "answered 401" in error
    with tenant_scope(acme.pk):
        assert Tool.objects.get().embedding_status == "failed"
        worker.retry()
        assert Tool.objects.get().embedding_status == "pending"


def test_of_what_is_deleted_meanwhile_no_vector_stays(acme: Tenant, served: Served) -> None:
    doomed, spared = tools(acme, "doomed", "spared")
    served.answer = meanwhile(acme, lambda: tool.delete(doomed))

    assert worker.work(acme.pk, Queue.EMBEDDING) == 1

    with tenant_scope(acme.pk):
        assert list(Vector.objects.values_list("item_id", flat=True)) == [spared]


def test_what_is_changed_meanwhile_is_embedded_as_it_is_now(acme: Tenant, served: Served) -> None:
    tools(acme, "before")
    served.answer = meanwhile(acme, lambda: tool.keep("tool_0", "after"))

    assert worker.work(acme.pk, Queue.EMBEDDING) == 1

    assert served.asked[-1]["input"] == ["tool_0\nafter"]
    assert vectors(acme) == 1


def test_a_long_document_is_embedded_in_steps_that_are_not_done_again(acme: Tenant, served: Served) -> None:
    with tenant_scope(acme.pk):
        texts = [f"Passage {number} of a long document." for number in range(STEP + 8)]
        knowledge.keep("Long", "\n".join(texts), texts)
    served.answer = in_turn(embeddings, lambda body: told({}, status=500))

    assert worker.work(acme.pk, Queue.EMBEDDING) == 0
    assert vectors(acme) == STEP
    served.answer = embeddings
    served.asked.clear()
    due(acme)
    assert worker.work(acme.pk, Queue.EMBEDDING) == 1

    assert [len(asked["input"]) for asked in served.asked] == [8]
    with tenant_scope(acme.pk):
        assert Vector.objects.count() == Passage.objects.count()


def test_the_same_text_is_asked_for_once_in_a_tenant_and_again_in_another(
    acme: Tenant, globex: Tenant, served: Served
) -> None:
    for tenant in (acme, globex):
        with embedded_by(served.url):  # as in another process, which remembers nothing
            with tenant_scope(tenant.pk):
                knowledge.keep("Same", "text", ["text"])
                knowledge.keep("Same", "text", ["text"])
            worker.work(tenant.pk, Queue.EMBEDDING)

    assert [asked["input"] for asked in served.asked] == [["Same\ntext"], ["Same\ntext"]]
    assert (vectors(acme), vectors(globex)) == (2, 2)


def test_what_fails_as_nobody_thought_of_is_told_with_the_work(acme: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    tools(acme, "one")
    monkeypatch.setattr(worker, "HANDLERS", {Queue.EMBEDDING: lambda tenant_id, items: 1 // 0})

    with pytest.raises(ZeroDivisionError):
        worker.work(acme.pk, Queue.EMBEDDING)

    [(status, error)] = states(acme)
    assert (status, error.partition(":")[0]) == ("pending", "ZeroDivisionError")


def test_work_that_every_worker_dies_of_is_given_up(acme: Tenant, served: Served, settings: Any) -> None:
    tools(acme, "one")
    with override_settings(ARES={**settings.ARES, "ARES_QUEUE_ATTEMPTS": 2}):
        for _ in range(2):
            with tenant_scope(acme.pk):
                assert queue.claim(Queue.EMBEDDING, "who dies", 1)
            due(acme)
        assert worker.work(acme.pk, Queue.EMBEDDING) == 0

    assert states(acme) == [("failed", "Workers began it 2 times, and each ended in the middle of it.")]
    assert served.asked == []


def test_tenants_have_turns_and_the_failure_of_one_is_not_that_of_another(
    acme: Tenant, globex: Tenant, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    for tenant in (acme, globex):
        tools(tenant, *(f"tool {number}" for number in range(2 * worker.BATCH[Queue.EMBEDDING] + 1)))
    order: list[int] = []
    embed = worker.HANDLERS[Queue.EMBEDDING]

    def noted(tenant_id: int, items: Any) -> int:
        order.append(tenant_id)
        return embed(tenant_id, items)

    monkeypatch.setattr(worker, "HANDLERS", {**worker.HANDLERS, Queue.EMBEDDING: noted})
    assert jobs.work_queues() == 2 * (2 * worker.BATCH[Queue.EMBEDDING] + 1)
    assert order in ([acme.pk, globex.pk] * 3, [globex.pk, acme.pk] * 3)

    def failing(tenant_id: int, items: Any) -> int:
        return embed(tenant_id, items) if tenant_id == globex.pk else 1 // 0

    for tenant in (acme, globex):
        tools(tenant, "another")
    monkeypatch.setattr(worker, "HANDLERS", {**worker.HANDLERS, Queue.EMBEDDING: failing})
    with pytest.raises(ExceptionGroup, match="1 queues"):
        jobs.work_queues()
    assert {status for status, _ in states(globex)} == {"completed"}


def test_a_process_that_is_killed_while_it_embeds_loses_nothing_and_doubles_nothing(
    acme: Tenant, served: Served
) -> None:
    count = STEP + 10
    with tenant_scope(acme.pk):
        texts = [f"Passage {number} of a long document." for number in range(count)]
        knowledge.keep("Long", "\n".join(texts), texts)
    served.answer = in_turn(embeddings, service.slow(60))
    victim = _worker_process(acme, served, Queue.EMBEDDING)
    _wait_until(lambda: len(served.asked) == 2)
    victim.send_signal(signal.SIGKILL)
    victim.communicate()
    assert vectors(acme) == STEP

    served.answer = embeddings
    served.asked.clear()
    due(acme)
    assert _done(_worker_process(acme, served, Queue.EMBEDDING)) == 1

    assert vectors(acme) == count
    assert sum(len(asked["input"]) for asked in served.asked) == 10
    with tenant_scope(acme.pk):
        assert QueueItem.objects.get().attempts == 2


def test_two_processes_share_the_work_and_do_none_of_it_twice(acme: Tenant, served: Served) -> None:
    tools(acme, *(f"tool {number}" for number in range(160)))
    together = threading.Barrier(2, timeout=120)  # neither is done before the other one has begun

    def wait(body: Any) -> Answer:
        together.wait()
        return embeddings(body)

    served.answer = in_turn(wait, wait, embeddings)

    both = [_worker_process(acme, served, Queue.EMBEDDING) for _ in range(2)]
    done = [_done(process) for process in both]

    assert sum(done) == 160
    assert min(done) > 0
    assert sum(len(asked["input"]) for asked in served.asked) == 160
    assert set(states(acme)) == {("completed", "")}
    with tenant_scope(acme.pk):
        assert set(QueueItem.objects.values_list("attempts", flat=True)) == {1}


PROBLEMS = ("nginx returns 502 Bad Gateway", "psql refuses connections on port 5432", "pip cannot find wheel numpy-2.4")


def test_a_process_that_is_killed_while_it_distils_loses_nothing_and_doubles_nothing(
    acme: Tenant, served: Served
) -> None:
    served.answer = service.slow(60)
    with tenant_scope(acme.pk):
        for problem in PROBLEMS:
            session_id = said(acme, [f"{problem}, what now?", f"Restart the unit behind it: `{problem[:5]}`."])
            requests.of_stream(Stream.objects.named(session_id), "test")
    victim = _worker_process(acme, served, Queue.DISTILLATION)
    _wait_until(lambda: served.asked)
    victim.send_signal(signal.SIGKILL)
    victim.communicate()
    with tenant_scope(acme.pk):
        assert Experience.objects.count() == 0
        assert QueueItem.objects.filter(queue=Queue.DISTILLATION).exclude(status="completed").count() == 3
    due(acme)
    served.answer = embeddings
    survivors = [_worker_process(acme, served, Queue.DISTILLATION) for _ in range(2)]
    assert sum(_done(each) for each in survivors) == 3

    with tenant_scope(acme.pk):
        assert set(Distillation.objects.values_list("status", flat=True)) == {"completed"}
        assert Experience.objects.count() == 3
        assert Vector.objects.count() == 3
        assert Event.objects.filter(type="memory.distilled").count() == 3
        assert Source.objects.values("stream_name").distinct().count() == 3


def _worker_process(tenant: Tenant, served: Served, which: Queue) -> subprocess.Popen[str]:
    """A worker that works off a queue of the tenant, in this test's database, prints how much it did, and ends."""
    script = (
        "import django; django.setup()\n"
        "from memory import worker\n"
        "from memory.vocabulary import Queue\n"
        f"print(worker.work({tenant.pk}, Queue({str(which)!r})))\n"
    )
    parameters = connection.get_connection_params()
    host = parameters["host"].replace("/", "%2F")
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "aresweb.settings",
        "DATABASE_URL": f"postgres://{parameters['user']}@{host}:{parameters['port']}/{parameters['dbname']}",
        "ARES_EMBEDDING_URL": served.url,
        "ARES_EMBEDDING_MODEL": "model-x",
        "ARES_SERVICE_SECONDS": "60",
        **{name: str(value) for name, value in ASKED.items()},
    }
    return subprocess.Popen(
        [sys.executable, "-c", script], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
    )


def _done(process: subprocess.Popen[str]) -> int:
    """How much a process did, once it has ended."""
    output, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    return int(output)


def _wait_until(condition: Callable[[], object], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)

"""What the overview counts."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from django.test import Client

from dashboard import today
from memory import queue
from memory.events import store
from memory.flight import agents
from memory.models import Experience, Stream, Tenant, Verification
from memory.tenancy import tenant_scope
from memory.vocabulary import Queue, Role
from tests.dashboard.conftest import seen
from tests.dashboard.making import experience
from tests.events.making import drafted


def numbers(tenant: Tenant, *, is_operator: bool = True) -> dict[str, tuple[int, bool]]:
    now = datetime.now(UTC)
    with tenant_scope(tenant.pk):
        shown = today.readouts(now, agents.everyone(now), is_operator=is_operator)
    return {readout.label: (readout.value, readout.is_trouble) for readout in shown}


def test_each_number_counts_what_it_says(acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        store.append("going", [drafted("task.created", task_id="t", agent_id="ops")])
        store.append("lost", [drafted("task.created", task_id="t"), drafted("task.failed", task_id="t")])
        store.append("ops", [drafted("agent.started", agent_id="dev"), drafted("agent.crashed", agent_id="dev")])
        learned = experience("Order 7 is paid.")
        Experience.objects.filter(pk=learned.pk).update(created_at=datetime.now(UTC))
        experience("Long known.")
        queue.put(Queue.EMBEDDING, ["exp_1"])
        lost = Stream.objects.named("lost")
        Verification.objects.create(tenant=acme, stream=lost, verified_at=datetime.now(UTC), version=2, faults=3)
    found = numbers(acme)
    assert found["running now"] == (1, False)
    assert found["failed in 24 h"] == (2, True)
    assert found["of 2 agents stalled or crashed"] == (1, True)
    assert found["events in 24 h"] == (5, False)
    assert found["experiences learned in 24 h"] == (1, False)
    assert found["faults in the record"] == (3, True)
    assert found["waiting in the queues"] == (1, False)


def test_who_is_no_operator_is_not_sent_to_the_queues(acme: Tenant, member: Callable[..., Client]) -> None:
    assert not any("queues" in label for label in numbers(acme, is_operator=False))
    with tenant_scope(acme.pk):
        store.append("run", [drafted()])
    assert "in the queues" in seen(member(Role.OPERATOR), "/")
    assert "in the queues" not in seen(member(Role.VIEWER), "/")


def test_every_number_opens_what_it_counts(member: Callable[..., Client], acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        store.append("run", [drafted()])
        urls = [readout.url for readout in today.readouts(datetime.now(UTC), [], is_operator=True)]
    operator = member(Role.OPERATOR)
    for url in urls:
        assert operator.get(url).status_code == 200


def test_the_overview_keeps_itself_new_by_its_content_alone(pages: Client, acme: Tenant) -> None:
    part = pages.get("/", headers={"HX-Request": "true"}).content.decode()
    assert part.strip().startswith('<div id="results"')
    assert "<html" not in part


@pytest.mark.parametrize("count", [0, 3])
def test_the_number_of_queries_does_not_grow_with_the_runs(
    pages: Client, acme: Tenant, django_assert_max_num_queries: Callable[..., object], count: int
) -> None:
    with tenant_scope(acme.pk):
        for number in range(count):
            store.append(f"run-{number}", [drafted("task.created", task_id="t", agent_id=f"a-{number}")])
    with django_assert_max_num_queries(30):  # type: ignore[attr-defined]
        pages.get("/")

"""Conversations that several change at the same time."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from threading import Event as Signal
from typing import Any

import pytest

from memory.errors import AresError
from memory.events import store
from memory.layers import session, task
from memory.models import Event, Message, Session, Stream, Task, Tenant
from memory.tenancy import tenant_scope
from tests import tables
from tests.events.making import drafted
from tests.events.verifying import assert_verifies
from tests.threads import at_once, threads

pytestmark = pytest.mark.django_db(transaction=True)
PATIENCE = 10


@pytest.fixture
def opened(acme: Tenant) -> str:
    with tenant_scope(acme.pk):
        return session.create("ann").pk


def scoped(tenant: Tenant, work: Callable[[], object]) -> Callable[[], str]:
    """The work in a transaction of the tenant; its result is "done" or the error's name."""

    def done() -> str:
        try:
            with tenant_scope(tenant.pk):
                work()
            return "done"
        except AresError as error:
            return type(error).__name__

    return done


def test_messages_of_several_writers_are_numbered_one_after_the_other(acme: Tenant, opened: str) -> None:
    several = [{"role": "user", "content": "hi"}] * 3
    assert at_once([scoped(acme, lambda: session.add_messages(opened, several))] * 6) == ["done"] * 6
    with tenant_scope(acme.pk):
        rows = list(Message.objects.in_session(Session.objects.with_id(opened)))
        assert [(row.number, row.event_version) for row in rows] == [(n, n + 1) for n in range(1, 19)]


def test_a_session_in_use_is_not_expired(acme: Tenant, opened: str) -> None:
    in_use, job_done = Signal(), Signal()
    overdue = datetime.now(UTC) + timedelta(hours=24.5)

    def use() -> None:
        session.add_messages(opened, [{"role": "user", "content": "hi"}])
        in_use.set()
        assert job_done.wait(PATIENCE)

    with threads() as several:
        using = several.start(scoped(acme, use))
        assert in_use.wait(PATIENCE)
        with tenant_scope(acme.pk):
            assert len(session.expire_due(overdue)) == 0  # and does not wait for it
        job_done.set()
        assert using.result() == "done"
    with tenant_scope(acme.pk):
        assert Message.objects.count() == 1


def test_deleting_while_others_write_leaves_no_content_and_locks_nobody_out(acme: Tenant) -> None:
    for round_number in range(5):
        with tenant_scope(acme.pk):
            opened = session.create("ann").pk
            running = task.create(opened, "ann", "input").pk
        secret = f"secret-{round_number}"

        def append(opened: str = opened, secret: str = secret) -> None:
            session.check_stream(opened, [])
            store.append(opened, [drafted(secret=secret)])

        works = [
            lambda opened=opened, secret=secret: session.add_messages(opened, [{"role": "user", "content": secret}]),
            append,
            lambda running=running, secret=secret: task.close(running, "completed", secret),
            lambda opened=opened, secret=secret: task.create(opened, "ann", secret),
            lambda opened=opened: session.erase(opened),
            lambda opened=opened, secret=secret: session.add_messages(opened, [{"role": "user", "content": secret}]),
        ]
        results = at_once([scoped(acme, work) for work in works])
        assert results[4] == "done"
        assert set(results) <= {"done", "NotFound"}
        assert tables.holding(secret) == []
        with tenant_scope(acme.pk):
            assert not Task.objects.exists()
            stream = Stream.objects.named(opened)
            assert_verifies(stream)
            assert Event.objects.in_stream(stream).last().type == "session.deleted"


def test_ending_a_task_while_its_session_is_deleted_ends_in_no_deadlock(
    acme: Tenant, opened: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tenant_scope(acme.pk):
        running = task.create(opened, "ann", "input").pk
    append, about_to_append = store.append, Signal()

    def slow_append(*args: Any) -> store.Appended:
        about_to_append.set()
        time.sleep(0.3)  # time enough for the other to take what it can
        return append(*args)

    monkeypatch.setattr(store, "append", slow_append)
    with threads() as several:
        ending = several.start(scoped(acme, lambda: task.close(running, "completed", "done")))
        assert about_to_append.wait(PATIENCE)
        deleting = several.start(scoped(acme, lambda: session.erase(opened)))
        assert (ending.result(), deleting.result()) == ("done", "done")

"""Sessions and tasks that are too many or too old leave, and their streams say so."""

from datetime import UTC, datetime, timedelta
from threading import Event as Signal

import pytest

from memory import jobs, limits
from memory.imports import recorder
from memory.imports.run import ImportedEvent, Run
from memory.layers import session, task
from memory.manager import MemoryManager
from memory.models import Distillation, Event, Message, Session, Stream, Task, Tenant
from memory.tenancy import tenant_scope
from memory.vocabulary import EventType, Queue
from tests.distillation.running import said
from tests.threads import at_once, threads

pytestmark = pytest.mark.django_db(transaction=True)
PATIENCE = 10
EVICTED = "It was the least recently used of too many."


def manager(told: list[Queue] | None = None) -> MemoryManager:
    return MemoryManager("test", (told if told is not None else []).append)


def live() -> list[str]:
    """The live sessions, the least recently used first."""
    return list(Session.objects.live().order_by("last_active_at").values_list("pk", flat=True))


def limit(tenant: Tenant, name: str, most: int) -> None:
    with tenant_scope(tenant.pk):
        limits.put(name, str(most))


def test_opening_one_session_too_many_puts_away_the_least_recently_used_and_has_it_refined(acme: Tenant) -> None:
    limit(acme, "ARES_MAX_SESSIONS", 2)
    first, second = (said(acme, ["I live in Berlin."]) for _ in range(2))
    told: list[Queue] = []
    with tenant_scope(acme.pk):
        session.add_messages(first, [{"role": "user", "content": "Still here."}])

        third = manager(told).create_session("ann").pk

        assert live() == [first, third]
        newest = Event.objects.in_stream(Stream.objects.named(second)).last()
        assert (newest.type, newest.payload) == (
            "session.expired",
            {"session_id": second, "messages": 1, "reason": EVICTED},
        )
        assert not Message.objects.filter(session=second).exists()
        assert (Distillation.objects.get().session_id, told) == (second, [Queue.DISTILLATION])


def test_ten_that_open_sessions_at_the_same_time_leave_no_more_than_are_allowed(acme: Tenant) -> None:
    limit(acme, "ARES_MAX_SESSIONS", 3)

    def open_one() -> str:
        with tenant_scope(acme.pk):
            return manager().create_session("ann").pk

    at_once([open_one] * 10)
    open_one()

    with tenant_scope(acme.pk):
        left = Session.objects.live().count()
    jobs.expire_sessions()  # what those who opened theirs at the same time could not see
    with tenant_scope(acme.pk):
        assert left <= 3 + 10 - 1
        assert Session.objects.live().count() == 3
        assert Event.objects.filter(type="session.expired").count() == 8


def test_who_opens_a_session_waits_for_nobody_who_is_at_work_in_the_oldest(acme: Tenant) -> None:
    limit(acme, "ARES_MAX_SESSIONS", 1)
    busy = said(acme, ["hi"])
    in_use, opened = Signal(), Signal()

    def use() -> None:
        with tenant_scope(acme.pk):
            session.lock(busy)
            in_use.set()
            assert opened.wait(PATIENCE)

    with threads() as several:
        using = several.start(use)
        assert in_use.wait(PATIENCE)
        with tenant_scope(acme.pk):
            made = manager().create_session("ann").pk
        opened.set()
        using.result()

    with tenant_scope(acme.pk):
        assert live() == [busy, made]
    assert jobs.expire_sessions() == 1
    with tenant_scope(acme.pk):
        assert live() == [made]


def test_a_tenants_limit_counts_its_own_sessions_alone(acme: Tenant, globex: Tenant) -> None:
    limit(acme, "ARES_MAX_SESSIONS", 1)
    theirs = said(globex, ["hi"])
    for _ in range(2):
        with tenant_scope(acme.pk):
            manager().create_session("ann")
    with tenant_scope(globex.pk):
        assert live() == [theirs]


def test_an_import_drives_out_no_live_session_and_no_task(acme: Tenant) -> None:
    limit(acme, "ARES_MAX_SESSIONS", 1)
    limit(acme, "ARES_MAX_TASKS", 1)
    talking = said(acme, ["hi"])
    events = [
        ImportedEvent(EventType.TASK_CREATED, {"input": "find it"}),
        ImportedEvent(EventType.MESSAGE_ADDED, {"role": "user", "content": "I live in Oslo."}),
    ]
    with tenant_scope(acme.pk):
        mine = task.create(talking, "ann", "mine")
        done = recorder.record(Run("r", "", "", "bob", events), "chat")

        assert live() == [talking]
        assert Task.objects.get() == mine
        newest = Event.objects.in_stream(Stream.objects.named(done.stream)).last()
        assert newest.payload["reason"] == "There was no room for what was imported."
        assert Distillation.objects.get().session_id == done.stream
    assert jobs.expire_sessions() == 0


def test_opening_one_task_too_many_forgets_the_least_recently_changed(acme: Tenant) -> None:
    limit(acme, "ARES_MAX_TASKS", 2)
    session_id = said(acme, ["hi"])
    with tenant_scope(acme.pk):
        first, second, third = (task.create(session_id, "ann", n).pk for n in range(3))
        assert set(Task.objects.values_list("pk", flat=True)) == {second, third}
        told = Event.objects.get(type="task.expired")
        assert told.payload == {"task_id": first, "reason": "It was the least recently changed of too many."}


def test_tasks_of_two_sessions_that_are_opened_at_once_wait_for_each_other_never(acme: Tenant) -> None:
    limit(acme, "ARES_MAX_TASKS", 1)
    sessions = [said(acme, ["hi"]) for _ in range(4)]

    def open_some(session_id: str) -> None:
        for n in range(10):
            with tenant_scope(acme.pk):
                task.create(session_id, "ann", n)

    at_once([lambda each=each: open_some(each) for each in sessions])
    jobs.expire_tasks()

    with tenant_scope(acme.pk):
        assert Task.objects.count() == 1
        assert Event.objects.filter(type="task.expired").count() == 39


def test_the_least_recently_used_sessions_expire_where_there_are_too_many(acme: Tenant) -> None:
    opened = [said(acme, ["I live in Berlin."]) for _ in range(3)]
    with tenant_scope(acme.pk):
        limits.put("ARES_MAX_SESSIONS", "2")

    assert jobs.expire_sessions() == 1

    with tenant_scope(acme.pk):
        assert Session.objects.exclude(expired_at=None).get().pk == opened[0]
        assert Distillation.objects.get().session_id == opened[0]


def test_old_tasks_are_forgotten_and_their_stream_says_so(acme: Tenant) -> None:
    session_id = said(acme, ["hello"])
    with tenant_scope(acme.pk):
        made = task.create(session_id, "ann", "do it")
        Task.objects.update(updated_at=datetime.now(UTC) - timedelta(days=8))

    assert jobs.expire_tasks() == 1

    with tenant_scope(acme.pk):
        assert Event.objects.get(type="task.expired").payload == {"task_id": made.pk, "reason": "Its time was over."}
        assert not Task.objects.exists()

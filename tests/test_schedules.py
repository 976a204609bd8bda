"""The table of schedules is what the worker runs, and every job in it runs."""

from datetime import UTC, datetime, timedelta
from inspect import signature
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings
from django.db import transaction
from django.test import override_settings
from django.utils.module_loading import import_string
from django_q.models import OrmQ, Schedule

from memory import jobs, schedules
from memory.errors import Damaged
from memory.events import state, store, verification
from memory.layers import session
from memory.models import IdempotencyKey, Message, Session, Snapshot, Stream, Tenant, Verification
from memory.tenancy import tenant_scope
from tests.events.making import drafted

pytestmark = pytest.mark.django_db


def rows() -> dict[str, tuple[str, int, str, int]]:
    return {row.name: (row.func, row.minutes, row.schedule_type, row.repeats) for row in Schedule.objects.all()}


def table() -> dict[str, tuple[str, int, str, int]]:
    return {
        f"aresweb: {regular.job}": (f"memory.jobs.{regular.job}", regular.minutes, Schedule.MINUTES, -1)
        for regular in schedules.SCHEDULES
    }


def test_migrating_installs_the_table() -> None:
    assert rows() == table()


def test_installing_again_changes_what_differs_and_nothing_else() -> None:
    Schedule.objects.create(name="aresweb: retired_job", func="memory.jobs.retired_job")
    Schedule.objects.create(name="somebody's own", func="math.sqrt")
    Schedule.objects.filter(name="aresweb: take_snapshots").update(minutes=99)
    Schedule.objects.filter(name="aresweb: expire_sessions").delete()
    kept = Schedule.objects.get(name="aresweb: forget_idempotency_keys")
    schedules.install()
    assert Schedule.objects.filter(name="somebody's own").delete()[0] == 1
    assert rows() == table()
    assert Schedule.objects.get(name=kept.name).next_run == kept.next_run


def test_every_job_is_there_and_runs(acme: Tenant, globex: Tenant) -> None:
    assert [import_string(row.func)() for row in Schedule.objects.all()] == [0] * len(schedules.SCHEDULES)


def test_every_job_of_the_module_that_needs_no_arguments_is_scheduled() -> None:
    own = {
        name
        for name, thing in vars(jobs).items()
        if callable(thing) and getattr(thing, "__module__", "") == jobs.__name__ and not signature(thing).parameters
    }
    assert own == {regular.job for regular in schedules.SCHEDULES}


def test_sessions_of_every_tenant_expire(acme: Tenant, globex: Tenant) -> None:
    for tenant in (acme, globex):
        with tenant_scope(tenant.pk):
            opened = session.create("ann")
            session.add_messages(opened.pk, [{"role": "user", "content": "hi"}])
            session.create("bob")
            Session.objects.filter(pk=opened.pk).update(expires_at=opened.created_at)
    assert (jobs.expire_sessions(), jobs.expire_sessions()) == (2, 0)
    for tenant in (acme, globex):
        with tenant_scope(tenant.pk):
            assert not Message.objects.exists()
            assert [row.user_id for row in Session.objects.filter(expired_at=None)] == ["bob"]


def test_snapshots_catch_up(acme: Tenant, globex: Tenant) -> None:
    for tenant, length in ((acme, 35), (globex, 9)):
        with tenant_scope(tenant.pk):
            store.append("run", [drafted() for _ in range(length)])
    with override_settings(ARES={**settings.ARES, "ARES_SNAPSHOT_EVERY": 10}):
        assert (jobs.take_snapshots(), jobs.take_snapshots()) == (3, 0)
    with tenant_scope(acme.pk):
        assert list(Snapshot.objects.order_by("version").values_list("version", flat=True)) == [10, 20, 30]


def test_a_stream_of_which_no_snapshot_can_be_taken_does_not_keep_the_others_from_it(
    acme: Tenant, globex: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    take = state.take_snapshots

    def sometimes(stream: Stream) -> int:
        if stream.name == "bad":
            raise Damaged("Its segment cannot be read.")
        return take(stream)

    for tenant, name in ((acme, "bad"), (globex, "good")):
        with tenant_scope(tenant.pk):
            store.append(name, [drafted() for _ in range(10)])
    monkeypatch.setattr(state, "take_snapshots", sometimes)
    with override_settings(ARES={**settings.ARES, "ARES_SNAPSHOT_EVERY": 10}), pytest.raises(ExceptionGroup) as caught:
        jobs.take_snapshots()
    assert [type(error) for error in caught.value.exceptions] == [Damaged]
    with tenant_scope(globex.pk):
        assert Snapshot.objects.count() == 1


def test_old_answers_are_forgotten(acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        for key, hours in (("old", 25), ("young", 23)):
            IdempotencyKey.objects.create(tenant=acme, key=key, request_digest=b"d")
            IdempotencyKey.objects.filter(key=key).update(created_at=datetime.now(UTC) - timedelta(hours=hours))
    assert jobs.forget_idempotency_keys() == 1
    with tenant_scope(acme.pk):
        assert IdempotencyKey.objects.get().key == "young"


def test_a_run_that_ended_and_rested_gets_a_snapshot_of_its_end(acme: Tenant) -> None:
    endings = {"done": "task.completed", "broken": "task.failed", "open": "task.created", "fresh": "task.completed"}
    with tenant_scope(acme.pk):
        for name, ending in endings.items():
            store.append(name, [drafted("task.created", task_id="t"), drafted(ending, task_id="t")])
        rested = datetime.now(UTC) - jobs.RESTED
        Stream.objects.exclude(name="fresh").update(last_event_at=rested)
    assert (jobs.take_snapshots(), jobs.take_snapshots()) == (2, 0)
    with tenant_scope(acme.pk):
        taken = Snapshot.objects.select_related("stream").order_by("stream__name")
        assert [(snapshot.stream.name, snapshot.version) for snapshot in taken] == [("broken", 2), ("done", 2)]
        assert all(bytes(snapshot.stream_hash) == bytes(snapshot.stream.last_hash) for snapshot in taken)
        done = Stream.objects.named("done")
        assert verification.verify(done).faults == 0
        store.append("done", [drafted("task.created"), drafted("task.completed")])
        Stream.objects.filter(name="done").update(last_event_at=rested)
    assert jobs.take_snapshots() == 1


def verified_streams() -> list[tuple[str, str]]:
    """Tenant and name of every verified stream, the one that was verified first to begin with."""
    found = []
    for tenant in Tenant.objects.all():
        with tenant_scope(tenant.pk):
            found += [
                (kept.verified_at, tenant.slug, kept.stream.name)
                for kept in Verification.objects.select_related("stream")
            ]
    return [(slug, name) for _, slug, name in sorted(found)]


def test_streams_that_are_due_are_verified_once_a_day(acme: Tenant, globex: Tenant) -> None:
    for tenant in (acme, globex):
        with tenant_scope(tenant.pk):
            for name in ("one", "two"):
                store.append(name, [drafted()])
    assert (jobs.verify_streams(), jobs.verify_streams()) == (4, 0)
    assert verified_streams() == [("acme", "one"), ("globex", "one"), ("acme", "two"), ("globex", "two")]
    with tenant_scope(acme.pk):
        yesterday = datetime.now(UTC) - timedelta(hours=25)
        Verification.objects.filter(stream__name="one").update(verified_at=yesterday)
    assert jobs.verify_streams() == 1


def test_never_verified_streams_come_first_then_those_that_have_grown(in_acme: Tenant) -> None:
    long_ago = datetime.now(UTC) - timedelta(days=9)
    for days, name in enumerate(("same", "same for longer", "grown", "new"), start=1):
        store.append(name.replace(" ", "-"), [drafted()])
        if name != "new":
            kept = verification.verify(Stream.objects.named(name.replace(" ", "-")))
            Verification.objects.filter(pk=kept.pk).update(verified_at=long_ago - timedelta(days=days))
    store.append("grown", [drafted()])
    due = Stream.objects.due_for_verification(long_ago)
    assert [Stream.objects.get(pk=row).name for row in due] == ["new", "grown", "same-for-longer", "same"]


def test_a_run_of_the_job_ends_when_its_time_is_over(acme: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    with tenant_scope(acme.pk):
        for n in range(5):
            store.append(f"run-{n}", [drafted()])
    clock = iter(range(0, 1000, 25))  # every look at the clock is 25 s after the one before
    monkeypatch.setattr(jobs, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    assert jobs.verify_streams() == 2


def test_a_stream_that_cannot_be_verified_does_not_keep_the_others_from_it(
    acme: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    verify = verification.verify

    def sometimes(stream: Stream) -> Any:
        if stream.name == "bad":
            raise ZeroDivisionError
        return verify(stream)

    with tenant_scope(acme.pk):
        for name in ("bad", "good"):
            store.append(name, [drafted()])
    monkeypatch.setattr(verification, "verify", sometimes)
    with pytest.raises(ExceptionGroup) as caught:
        jobs.verify_streams()
    assert [type(error) for error in caught.value.exceptions] == [ZeroDivisionError]
    assert verified_streams() == [("acme", "good")]


def test_a_stream_that_is_gone_when_its_turn_comes_is_passed_over(acme: Tenant) -> None:
    jobs.verify_stream(acme.pk, 2**60)
    assert verified_streams() == []


@pytest.mark.django_db(transaction=True)
def test_a_job_is_queued_when_the_transaction_is_committed_and_not_when_it_is_undone() -> None:
    for undone in (True, False):
        with transaction.atomic():
            jobs.enqueue(jobs.verify_stream, 1, 2)
            assert OrmQ.objects.count() == 0
            transaction.set_rollback(undone)
    [queued] = OrmQ.objects.all()
    assert (queued.task["func"], queued.task["args"]) == ("memory.jobs.verify_stream", (1, 2))

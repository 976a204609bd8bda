"""The table of schedules is what the worker runs, and every job in it runs."""

from datetime import UTC, datetime, timedelta
from inspect import signature

import pytest
from django.conf import settings
from django.test import override_settings
from django.utils.module_loading import import_string
from django_q.models import Schedule

from memory import jobs, schedules
from memory.events import store
from memory.layers import session
from memory.models import IdempotencyKey, Message, Session, Snapshot, Tenant
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


def test_old_answers_are_forgotten(acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        for key, hours in (("old", 25), ("young", 23)):
            IdempotencyKey.objects.create(tenant=acme, key=key, request_digest=b"d")
            IdempotencyKey.objects.filter(key=key).update(created_at=datetime.now(UTC) - timedelta(hours=hours))
    assert jobs.forget_idempotency_keys() == 1
    with tenant_scope(acme.pk):
        assert IdempotencyKey.objects.get().key == "young"

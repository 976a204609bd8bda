"""Tenants as a whole: opened, suspended, resumed and erased."""

from typing import Any

import pytest
from django.db import connection

from memory import allowance, audit, jobs, queue, tenants
from memory.errors import Conflict, Invalid
from memory.layers import hot
from memory.models import AuditEntry, Membership, QueueItem, Tenant, User
from memory.tenancy import in_each_tenant, tenant_scope
from memory.vocabulary import Queue, Role
from tests import tables
from tests.test_tenancy import fill

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def user() -> User:
    return User.objects.create_user("ann@example.org")


def held(tenant_id: int) -> dict[str, int]:
    """Rows of a tenant in every table that has the tenant in it, past all policies."""
    from aresweb.database.base import as_owner

    counts = {}
    with tenant_scope(tenant_id), as_owner(connection) as cursor:
        for table in tables.isolated():
            cursor.execute(f"SELECT count(*) FROM {table} WHERE tenant_id = %s", [tenant_id])
            counts[table] = cursor.fetchone()[0]
    return {table: number for table, number in counts.items() if number}


def test_erasing_a_tenant_leaves_nothing_and_the_receipt_counts_it(acme: Tenant, globex: Tenant, user: User) -> None:
    for tenant in (acme, globex):
        fill(tenant, user)
    before, others = held(acme.pk), held(globex.pk)
    assert set(before) == set(tables.isolated())
    tenants.suspend(acme, "user:a", "")
    before = held(acme.pk)
    receipt = tenants.erase(acme)
    rows = receipt["rows"]
    assert {table: rows[table] for table in before} == before
    assert rows["memory_tenant"] == 1
    assert held(acme.pk) == {}
    assert not Tenant.objects.filter(pk=acme.pk).exists()
    assert held(globex.pk) == others
    assert not hot._kept
    assert not [place for place in allowance._pieces if place[0] == acme.pk]
    assert jobs.work_queue(acme.pk, "distillation") == 0
    assert tables.holding("acme") == []


def test_counting_changes_nothing_and_tells_what_erasing_would(acme: Tenant, user: User) -> None:
    fill(acme, user)
    assert tenants.count(acme) == held(acme.pk)


def test_a_tenant_that_is_not_suspended_is_not_erased(acme: Tenant, user: User) -> None:
    fill(acme, user)
    before = held(acme.pk)
    with pytest.raises(Conflict, match="Suspend"):
        tenants.erase(acme)
    assert held(acme.pk) == before


def test_while_suspended_jobs_pass_a_tenant_by_and_what_waits_goes_on_afterwards(acme: Tenant, globex: Tenant) -> None:
    with tenant_scope(acme.pk):
        queue.put(Queue.EMBEDDING, ["exp_gone"])
    tenants.suspend(acme, "user:a", "")
    assert in_each_tenant(lambda: 1) == 1
    assert jobs.work_queue(acme.pk, "embedding") == 0
    jobs.work_queues()
    with tenant_scope(acme.pk):
        assert [item.status for item in QueueItem.objects.all()] == ["pending"]
    tenants.resume(acme, "user:a", "")
    assert jobs.work_queue(acme.pk, "embedding") == 1
    with tenant_scope(acme.pk):
        assert [item.status for item in QueueItem.objects.all()] == ["completed"]
        assert list(AuditEntry.objects.order_by("number").values_list("action", flat=True)) == [
            "tenant.suspended",
            "tenant.resumed",
        ]


def test_suspending_twice_is_one_suspension(acme: Tenant) -> None:
    for _ in range(2):
        tenants.suspend(acme, "user:a", "")
    with tenant_scope(acme.pk):
        assert AuditEntry.objects.count() == 1


def test_who_joins_is_seen_by_the_members_and_kept(acme: Tenant, user: User) -> None:
    tenants.join(user, acme, Role.ADMIN, "user:ann@example.org", "192.0.2.7")
    with tenant_scope(acme.pk):
        assert Membership.objects.get().role == Role.ADMIN
        entry = AuditEntry.objects.get()
        assert (entry.actor, entry.action, entry.address) == ("user:ann@example.org", "member.joined", "192.0.2.7")
        assert audit.verify().faults == []


@pytest.mark.parametrize(
    ("values", "message"), [({"ARES_MAX_TASKS": "5"}, "no limit"), ({"ARES_REQUESTS_A_MINUTE": "-1"}, "between")]
)
def test_only_ceilings_are_set_from_outside(acme: Tenant, values: dict[str, str], message: str) -> None:
    with pytest.raises(Invalid, match=message):
        tenants.set_ceilings(acme, values, "user:a", "")


def test_storage_is_measured(acme: Tenant, user: User) -> None:
    fill(acme, user)
    assert jobs.measure_storage() == 1
    measured: Any = Tenant.objects.get(pk=acme.pk)
    assert measured.stored_bytes > 1000
    assert measured.measured_at is not None

"""Sessions and tasks that are too many or too old leave, and their streams say so."""

from datetime import UTC, datetime, timedelta

import pytest

from memory import jobs, limits
from memory.layers import task
from memory.models import Distillation, Event, Session, Task, Tenant
from memory.tenancy import tenant_scope
from tests.distillation.running import said

pytestmark = pytest.mark.django_db(transaction=True)


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
        assert Event.objects.get(type="task.expired").payload == {"task_id": made.pk}
        assert not Task.objects.exists()

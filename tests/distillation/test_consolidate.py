"""Related experiences become one abstraction, within an owner, and can be had back."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from memory import jobs, limits, worker
from memory.distillation.consolidate import clusters
from memory.embedding.calibration import Calibration
from memory.layers import distilled, task
from memory.models import Distillation, Event, Session, Source, Task, Tenant
from memory.tenancy import tenant_scope
from memory.vocabulary import Queue
from tests.distillation.running import known, learn, said

STRAIGHT = Calibration(0.0, 0.85)
PROBLEM = "nginx returns 502 Bad Gateway for /api/v1, what is wrong?"
SOLUTIONS = (
    "The upstream is down: start the unit `api.service`.",
    "The socket path is wrong: set `proxy_pass http://unix:/run/api.sock`.",
    "The upstream answers too slowly: raise `proxy_read_timeout` to 120s.",
)


def test_clusters_hold_items_that_are_near_and_about_the_same_problem() -> None:
    vectors = np.array([[1, 0], [0.99, 0.141], [0.98, 0.199], [0, 1], [0.995, 0.0999]], np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)

    found = clusters(vectors, ["disk full"] * 4 + ["other thing entirely"], STRAIGHT, 0.8, 3)

    assert [sorted(group) for group in found] == [[0, 1, 2]]


def test_fewer_than_the_least_are_no_cluster() -> None:
    assert clusters(np.eye(2, dtype=np.float32), ["a", "a"], STRAIGHT, 0.8, 2) == []


@pytest.mark.django_db(transaction=True)
class TestConsolidation:
    """With the local model and a real PostgreSQL."""

    def related(self, tenant: Tenant, user: str = "ann") -> None:
        """Three solutions of one problem that were kept apart."""
        with tenant_scope(tenant.pk):
            limits.put("ARES_NEW_BELOW", "1")
        for solution in SOLUTIONS:
            learn(tenant, [PROBLEM, solution], user)

    def test_three_related_ones_become_one_that_keeps_every_specific(self, acme: Tenant) -> None:
        self.related(acme)

        assert jobs.consolidate() == 1

        (abstraction,) = known(acme, status="active")
        members = known(acme, status="archived")
        assert (abstraction.kind, len(members)) == ("abstraction", 3)
        assert all(each in abstraction.solution for each in ("api.service", "/run/api.sock", "120s"))
        assert {each.abstraction_id for each in members} == {abstraction.pk}
        with tenant_scope(acme.pk):
            assert Source.objects.filter(experience=abstraction).values("stream_name").distinct().count() == 3
        assert worker.work(acme.pk, Queue.EMBEDDING) >= 1
        assert jobs.consolidate() == 0

    def test_an_operator_can_have_the_members_back(self, acme: Tenant) -> None:
        self.related(acme)
        jobs.consolidate()
        (member, *_) = known(acme, status="archived")

        with tenant_scope(acme.pk):
            distilled.restore(member.pk, "user:ann")

        assert member.pk in {each.pk for each in known(acme, status="active")}

    def test_users_and_tenants_are_never_mixed(self, acme: Tenant, globex: Tenant) -> None:
        for tenant, user, solution in zip((acme, acme, globex), ("ann", "bob", "ann"), SOLUTIONS, strict=True):
            learn(tenant, [f"My wife's {PROBLEM}", solution], user)

        assert jobs.consolidate() == 0


@pytest.mark.django_db(transaction=True)
class TestLimits:
    """Too many are too many."""

    def test_the_least_used_experience_is_evicted_and_pinned_and_helpful_ones_last(self, acme: Tenant) -> None:
        for place in ("Berlin", "Lisbon", "Graz", "Oslo"):
            learn(acme, [f"I live in {place}.", "Noted."], user=place)
        pinned, helpful, *_ = known(acme)
        with tenant_scope(acme.pk):
            distilled.pin(pinned.pk, "user:ann")
            for _ in range(3):
                distilled.feedback(helpful.pk, "helpful", "user:ann")
            limits.put("ARES_MAX_EXPERIENCES", "2")

        assert jobs.evict_experiences() == 2

        assert {each.pk for each in known(acme)} == {pinned.pk, helpful.pk}
        with tenant_scope(acme.pk):
            event = Event.objects.get(type="memory.evicted")
            assert event.payload["count"] == 2

    def test_the_least_recently_used_sessions_expire_where_there_are_too_many(self, acme: Tenant) -> None:
        opened = [said(acme, ["I live in Berlin."]) for _ in range(3)]
        with tenant_scope(acme.pk):
            limits.put("ARES_MAX_SESSIONS", "2")

        assert jobs.expire_sessions() == 1

        with tenant_scope(acme.pk):
            assert Session.objects.exclude(expired_at=None).get().pk == opened[0]
            assert Distillation.objects.get().session_id == opened[0]

    def test_old_tasks_are_forgotten_and_their_stream_says_so(self, acme: Tenant) -> None:
        session_id = said(acme, ["hello"])
        with tenant_scope(acme.pk):
            made = task.create(session_id, "ann", "do it")
            Task.objects.update(updated_at=datetime.now(UTC) - timedelta(days=8))

        assert jobs.expire_tasks() == 1

        with tenant_scope(acme.pk):
            assert Event.objects.get(type="task.expired").payload == {"task_id": made.pk}
            assert not Task.objects.exists()

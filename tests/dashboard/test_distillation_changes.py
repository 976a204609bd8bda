"""Asking for a distillation, trying other rules, and what becomes of the draft; through the real refinery."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from memory import worker
from memory.layers import session
from memory.models import Distillation, Experience, Tenant
from memory.tenancy import tenant_scope
from memory.vocabulary import ExperienceStatus, Queue, Role, WorkStatus
from tests.dashboard import making
from tests.dashboard.conftest import seen

pytestmark = pytest.mark.django_db(transaction=True)
Member = Callable[..., Client]


@pytest.fixture
def operator(member: Member) -> Client:
    return member(Role.OPERATOR)


@pytest.fixture
def talked(acme: Tenant) -> str:
    """A conversation in which somebody says what they prefer."""
    with tenant_scope(acme.pk):
        opened = session.create("mara")
        said = ("I prefer window seats on every flight.", "Thanks!", "My home airport is Oslo Gardermoen.")
        session.add_messages(opened.pk, [{"role": "user", "content": text} for text in said])
        return opened.pk


def work(acme: Tenant) -> None:
    worker.work(acme.pk, Queue.DISTILLATION)
    worker.work(acme.pk, Queue.EMBEDDING)


def test_a_session_is_distilled_from_its_runs_page(operator: Client, acme: Tenant, talked: str) -> None:
    assert f'action="/runs/{talked}/distillations/"' in seen(operator, f"/runs/{talked}/")
    address = operator.post(f"/runs/{talked}/distillations/")["Location"]
    assert "The worker has it." in seen(operator, address)
    work(acme)
    page = seen(operator, address)
    assert "window seat" in page
    assert f'href="/runs/{talked}/?at=2"' in page
    assert "every 2s" not in page
    with tenant_scope(acme.pk):
        assert Distillation.objects.get().requested_by == "user:operator@example.com"
        made = Experience.objects.filter(solution__icontains="window").get()
    assert f"/memory/experiences/{made.pk}/" in seen(operator, f"/runs/{talked}/?at=2")


def test_a_draft_shows_its_difference_and_is_accepted_after_a_question(
    operator: Client, acme: Tenant, talked: str
) -> None:
    with tenant_scope(acme.pk):
        before = {"ARES_PRECISION_OVER_RECALL": "0"}
    page = seen(operator, f"/runs/{talked}/drafts/")
    assert "ARES_NEW_BELOW" in page
    address = operator.post(f"/runs/{talked}/drafts/", before)["Location"]
    work(acme)
    page = seen(operator, address)
    assert "What accepting it would change" in page
    assert "window seat" in page
    assert "window seat" not in seen(operator, "/memory/experiences/")
    assert "What is gone is archived" in seen(operator, f"{address}accept/")
    operator.post(f"{address}accept/")
    assert "window seat" in seen(operator, "/memory/experiences/")
    assert "The draft" not in seen(operator, address)


def test_a_draft_that_is_dropped_leaves_what_is_known(operator: Client, acme: Tenant, talked: str) -> None:
    operator.post(f"/runs/{talked}/distillations/")
    work(acme)
    with tenant_scope(acme.pk):
        known = set(Experience.objects.values_list("pk", flat=True))
    address = operator.post(f"/runs/{talked}/drafts/", {"ARES_NEW_BELOW": "0.9"})["Location"]
    work(acme)
    assert "deleted for good" in seen(operator, f"{address}drop/")
    assert operator.post(f"{address}drop/")["Location"] == "/memory/distillations/"
    assert operator.get(address).status_code == 404
    with tenant_scope(acme.pk):
        assert set(Experience.objects.values_list("pk", flat=True)) == known
        assert not Experience.objects.filter(status=ExperienceStatus.DRAFT).exists()


def test_rules_that_cannot_be_tried_are_refused_and_nothing_is_lost(
    operator: Client, acme: Tenant, talked: str
) -> None:
    typed = {"ARES_NEW_BELOW": "0.5", "ARES_REDUNDANT_ABOVE": "7"}
    answer = operator.post(f"/runs/{talked}/drafts/", typed)
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "ARES_REDUNDANT_ABOVE must lie between 0 and 1" in page
    assert 'value="0.5"' in page
    with tenant_scope(acme.pk):
        assert not Distillation.objects.exists()


def test_a_failed_one_is_tried_again(operator: Client, acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        failed = making.distillation(making.said("run", "x"), status=WorkStatus.FAILED, error="503")
    address = f"/memory/distillations/{failed.pk}/"
    assert "Try again" in seen(operator, address)
    operator.post(f"{address}retry/")
    with tenant_scope(acme.pk):
        assert Distillation.objects.get().status == WorkStatus.PENDING
    work(acme)
    with tenant_scope(acme.pk):
        assert Distillation.objects.get().status == WorkStatus.COMPLETED


def test_what_is_no_draft_can_be_neither_accepted_nor_dropped(operator: Client, acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        real = making.distillation(making.said("run", "x"))
    for change in ("accept", "drop", "retry"):
        assert operator.get(f"/memory/distillations/{real.pk}/{change}/").status_code == 302
        operator.post(f"/memory/distillations/{real.pk}/{change}/")
    with tenant_scope(acme.pk):
        assert Distillation.objects.get().status == WorkStatus.COMPLETED


def test_a_viewer_may_ask_for_nothing(member: Member, acme: Tenant, talked: str) -> None:
    viewer = member(Role.VIEWER)
    with tenant_scope(acme.pk):
        draft = making.distillation(making.said("run", "x"), draft=True)
    assert "Distil this session" not in seen(viewer, f"/runs/{talked}/")
    assert "Accept" not in seen(viewer, f"/memory/distillations/{draft.pk}/").partition("<main")[2]
    for path in (
        f"/runs/{talked}/distillations/",
        f"/runs/{talked}/drafts/",
        f"/memory/distillations/{draft.pk}/accept/",
        f"/memory/distillations/{draft.pk}/drop/",
        f"/memory/distillations/{draft.pk}/retry/",
    ):
        assert viewer.post(path).status_code == 403
    with tenant_scope(acme.pk):
        assert Distillation.objects.count() == 1


def test_where_there_is_a_language_model_another_one_can_be_tried(
    operator: Client, acme: Tenant, talked: str, settings: Any
) -> None:
    assert "ARES_LLM_MODEL" not in seen(operator, f"/runs/{talked}/drafts/")
    settings.ARES_SERVICES = {
        **settings.ARES_SERVICES, "ARES_LLM_URL": "http://127.0.0.1:9/v1", "ARES_LLM_MODEL": "small",
    }  # fmt: skip
    assert 'name="ARES_LLM_MODEL"' in seen(operator, f"/runs/{talked}/drafts/")
    operator.post(f"/runs/{talked}/drafts/", {"ARES_LLM_MODEL": " large ", "ARES_NEW_BELOW": ""})
    with tenant_scope(acme.pk):
        assert Distillation.objects.get().rules == {"ARES_LLM_MODEL": "large"}


def test_another_tenants_runs_and_drafts_are_not_there(operator: Client, globex: Tenant) -> None:
    with tenant_scope(globex.pk):
        opened = session.create("ann")
        draft = making.distillation(making.said("theirs", "x"), draft=True)
    for path in (
        f"/runs/{opened.pk}/distillations/",
        f"/runs/{opened.pk}/drafts/",
        f"/memory/distillations/{draft.pk}/accept/",
        f"/memory/distillations/{draft.pk}/drop/",
    ):
        assert operator.post(path).status_code == 404
    with tenant_scope(globex.pk):
        assert Distillation.objects.get().draft


def test_the_light_path_shows_what_was_packed(pages: Client, acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        packed = making.distillation(making.said("run", "x"), mode="light", reason="It was asked for.")
        candidate = {"input": "Find the slow query", "output": {"answer": "an index"}, "status": "completed"}
        making.decision(packed, 1, stage="pack", action="insert", rule="light", candidate=candidate)
    page = seen(pages, f"/memory/distillations/{packed.pk}/")
    assert "Packed as it is" in page
    assert "Find the slow query" in page
    assert "an index" in page

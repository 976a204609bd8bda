"""Operations: what waits, what failed and why, and trying it again."""

from collections.abc import Callable

import pytest
from django.test import Client

from memory import queue, schedules
from memory.models import QueueItem, Tenant
from memory.tenancy import tenant_scope
from memory.vocabulary import Queue, Role, WorkStatus
from tests.dashboard.conftest import seen

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator(member: Callable[..., Client]) -> Client:
    return member(Role.OPERATOR)


def dead(tenant: Tenant, subject: str = "exp_0123", reason: str = "The embedding service answered 401") -> QueueItem:
    with tenant_scope(tenant.pk):
        queue.put(Queue.EMBEDDING, [subject])
        (item,) = queue.claim(Queue.EMBEDDING, "worker", 1)
        queue.fail(item, reason, for_good=True)
        return QueueItem.objects.get(pk=item.pk)


def test_without_work_the_page_says_so(operator: Client) -> None:
    schedules.install()

    page = seen(operator, "/operations/")

    assert "No work was given up." in page
    assert "All is done." in page
    assert "none: rules extract" in page
    assert "verify streams" in page


def test_a_dead_letter_says_why_and_leads_to_its_subject(operator: Client, acme: Tenant) -> None:
    dead(acme)

    page = seen(operator, "/operations/")

    assert "The embedding service answered 401" in page
    assert "/memory/experiences/exp_0123/" in page


def test_a_dead_letter_is_tried_again(operator: Client, acme: Tenant) -> None:
    item = dead(acme)

    answer = operator.post("/operations/retries/", {"item": str(item.pk)}, follow=True).content.decode()

    assert "1 piece of work will be tried again." in answer
    with tenant_scope(acme.pk):
        assert (QueueItem.objects.get().status, QueueItem.objects.get().attempts) == (WorkStatus.PENDING, 0)


def test_all_dead_letters_are_tried_again(operator: Client, acme: Tenant) -> None:
    for number in range(3):
        dead(acme, f"exp_{number}")

    operator.post("/operations/retries/", {"all": "1"})

    with tenant_scope(acme.pk):
        assert set(QueueItem.objects.values_list("status", flat=True)) == {WorkStatus.PENDING}


def test_another_tenants_work_is_neither_seen_nor_tried(operator: Client, globex: Tenant) -> None:
    theirs = dead(globex, reason="theirs alone")

    assert "theirs alone" not in seen(operator, "/operations/")
    operator.post("/operations/retries/", {"item": str(theirs.pk)})
    operator.post("/operations/retries/", {"all": "1"})

    with tenant_scope(globex.pk):
        assert QueueItem.objects.get().status == WorkStatus.FAILED


@pytest.mark.parametrize("item", ["", "x", "-1", "9" * 40, "1; DROP"])
def test_what_is_no_number_of_work_tries_nothing(operator: Client, acme: Tenant, item: str) -> None:
    dead(acme)

    assert "nothing to try again" in operator.post("/operations/retries/", {"item": item}, follow=True).content.decode()


def test_viewers_see_what_failed_and_try_nothing_again(member: Callable[..., Client], acme: Tenant) -> None:
    dead(acme)
    viewer = member(Role.VIEWER)

    page = seen(viewer, "/operations/")

    assert "answered 401" in page
    assert "Retry" not in page
    assert viewer.post("/operations/retries/", {"all": "1"}).status_code == 403

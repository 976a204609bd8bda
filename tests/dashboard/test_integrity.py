"""The page of findings, the badge of a run, and verifying it at once."""

from collections.abc import Callable

import pytest
from django.conf import settings
from django.test import Client, override_settings
from django_q.models import OrmQ

from memory import tenants
from memory.events import store, verification
from memory.models import Stream, Tenant, User, Verification
from memory.tenancy import tenant_scope
from memory.vocabulary import Role
from tests.dashboard.conftest import seen
from tests.events.making import drafted
from tests.events.tampering import tamper

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _recorded(acme: Tenant, globex: Tenant) -> None:
    """A run of five events in Acme, and one with a fault in Globex."""
    with tenant_scope(acme.pk):
        store.append("run", [drafted() for _ in range(5)])
    with tenant_scope(globex.pk):
        store.append("theirs", [drafted() for _ in range(5)])
    forge(globex)


def forge(tenant: Tenant) -> None:
    """Alter an event of each stream of a tenant, and verify them."""
    tamper(tenant, "UPDATE memory_event SET type = 'a.b' WHERE version = 3")
    with tenant_scope(tenant.pk):
        for stream in Stream.objects.all():
            verification.verify(stream)


def test_a_run_that_was_not_verified_says_so_and_is_verified_by_its_button(member: Callable[..., Client]) -> None:
    browser = member(Role.OPERATOR)
    page = seen(browser, "/runs/run/?at=2")
    assert "not yet verified" in page
    assert "Verify now" in page
    answer = browser.post("/runs/run/verification/", {"at": "2"})
    assert (answer.status_code, answer["Location"]) == (302, "/runs/run/?at=2")
    page = seen(browser, answer["Location"])
    assert "All 5 events are as they were recorded." in page
    assert "not yet verified" not in page
    assert "fault" not in seen(browser, "/runs/")


def test_after_more_events_the_badge_says_up_to_where_it_was_verified(
    member: Callable[..., Client], acme: Tenant
) -> None:
    browser = member(Role.ADMIN)
    browser.post("/runs/run/verification/")
    with tenant_scope(acme.pk):
        store.append("run", [drafted()])
    assert "verified up to event 5" in seen(browser, "/runs/run/")


def test_faults_are_shown_with_the_run_in_the_list_and_on_the_page_of_findings(
    member: Callable[..., Client], acme: Tenant
) -> None:
    browser = member(Role.VIEWER)
    assert "Nothing has been verified yet" in seen(browser, "/integrity/")
    forge(acme)
    assert 'href="/integrity/?run=run"' in seen(browser, "/runs/run/")
    assert "1 fault in the record" in seen(browser, "/runs/")
    for path in ("/integrity/", "/integrity/?run=run"):
        page = seen(browser, path)
        assert "chain broken" in page
        assert 'href="/runs/run/?at=3"' in page
        assert "theirs" not in page
    assert browser.get("/integrity/?run=theirs").status_code == 404
    told = seen(member(Role.OPERATOR), "/integrity/")
    assert told.count("chain broken") == 1


def test_the_button_tells_of_faults(member: Callable[..., Client], acme: Tenant) -> None:
    forge(acme)
    browser = member(Role.OPERATOR)
    answer = browser.post("/runs/run/verification/", follow=True)
    assert "This run is not as it was recorded: 1 fault." in answer.content.decode()


def test_a_long_run_is_left_to_the_worker(member: Callable[..., Client], acme: Tenant) -> None:
    with override_settings(ARES={**settings.ARES, "ARES_VERIFY_AT_ONCE": 4}):
        answer = member(Role.OPERATOR).post("/runs/run/verification/", follow=True)
    assert "is verified by the worker" in answer.content.decode()
    [queued] = OrmQ.objects.all()
    assert queued.task["func"] == "memory.jobs.verify_stream"
    with tenant_scope(acme.pk):
        assert not Verification.objects.exists()


def test_a_viewer_sees_no_button_and_may_not_verify(member: Callable[..., Client], acme: Tenant) -> None:
    browser = member(Role.VIEWER)
    assert "Verify now" not in seen(browser, "/runs/run/")
    assert browser.post("/runs/run/verification/").status_code == 403
    with tenant_scope(acme.pk):
        assert not Verification.objects.exists()


def test_verifying_takes_a_post_with_a_token_from_a_page(member: Callable[..., Client]) -> None:
    browser = member(Role.OPERATOR, enforce_csrf_checks=True)
    assert browser.get("/runs/run/verification/").status_code == 405
    assert browser.post("/runs/run/verification/").status_code == 403
    assert Client().post("/runs/run/verification/").status_code == 302


@pytest.mark.parametrize("name", ["theirs", "none"])
def test_a_run_of_another_tenant_is_not_found(member: Callable[..., Client], name: str) -> None:
    assert member(Role.OPERATOR).post(f"/runs/{name}/verification/").status_code == 404


@pytest.mark.parametrize("at", ["", "x", "-1", "9" * 30, "3&next=//evil", "٣"])
def test_a_place_that_is_none_leads_to_the_runs_page(member: Callable[..., Client], at: str) -> None:
    assert member(Role.OPERATOR).post("/runs/run/verification/", {"at": at})["Location"] == "/runs/run/"


def test_an_empty_tenant_is_told_what_the_page_is_for(member: Callable[..., Client], acme: Tenant) -> None:
    other = Tenant.objects.create(slug="aaa", name="AAA")
    browser = member(Role.ADMIN)
    tenants.join(User.objects.get(email="admin@example.com"), other, Role.ADMIN)
    assert "Nothing to verify yet" in seen(browser, "/integrity/")

"""Invitation, two steps and sessions, in a browser without scripts and on a phone."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from memory import invitations
from memory.models import Tenant, User
from memory.tenancy import tenant_scope
from memory.vocabulary import Role
from tests.accounts.conftest import code
from tests.browser.conftest import EMAIL, PASSWORD

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NEW = "another horse battery"


@pytest.fixture
def plain(browser: Browser, operator: User, live_server: object) -> Iterator[Page]:
    """A phone without scripts."""
    context = browser.new_context(
        base_url=live_server.url,  # type: ignore[attr-defined]
        viewport={"width": 390, "height": 844},
        color_scheme="dark",
        java_script_enabled=False,
    )
    yield context.new_page()
    context.close()


def log_in(page: Page, email: str, password: str) -> None:
    page.goto("/login/")
    page.get_by_label("Email").fill(email)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()


def test_an_invitation_leads_into_the_tenant(plain: Page, acme: Tenant, operator: User) -> None:
    with tenant_scope(acme.pk):
        made = invitations.invite("new@example.com", Role.VIEWER, operator)
    path = f"/invitations/{invitations.token(made)}/"
    plain.goto(path)
    plain.get_by_label("Your name").fill("New One")
    plain.get_by_label("A password").fill(NEW)
    plain.get_by_role("button", name="Join").click()
    expect(plain.get_by_text("Welcome to Acme.")).to_be_visible()
    plain.goto("/settings/people/")
    expect(plain.get_by_role("table")).to_contain_text("New One")
    plain.goto(path)
    expect(plain.get_by_role("heading", level=1)).to_contain_text("no longer works")


def test_two_steps_are_turned_on_and_asked_for_and_all_sessions_end_at_once(plain: Page, page: Page) -> None:
    log_in(plain, EMAIL, PASSWORD)
    plain.goto("/account/")
    plain.get_by_role("link", name="Turn on").click()
    plain.get_by_label("Password").fill(PASSWORD)
    plain.get_by_role("button", name="Go on").click()
    secret = plain.locator("[data-totp-secret]").inner_text()
    plain.get_by_label("Code").fill(code(secret))
    plain.get_by_role("button", name="Turn on").click()
    expect(plain.get_by_role("heading", level=1)).to_contain_text("Recovery codes")
    recovery = plain.locator(".codes li").first.inner_text()

    plain.goto("/account/")
    plain.get_by_role("button", name="Log out everywhere").click()
    expect(plain.get_by_text("You are logged out everywhere.")).to_be_visible()
    page.goto("/runs/")
    expect(page).to_have_url(re.compile("/login/"))

    log_in(page, EMAIL, PASSWORD)
    page.get_by_label("Code").fill(recovery)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url("**/")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Overview")


@pytest.mark.parametrize("path", ["/login/", "/password/reset/", "/password/reset/1-abc/"])
def test_pages_of_strangers_fit_a_phone(anonymous: Page, operator: User, path: str) -> None:
    anonymous.set_viewport_size({"width": 390, "height": 844})
    anonymous.goto(path)
    assert anonymous.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_pages_of_the_account_and_the_admin_keep_to_the_policy_of_content(page: Page, operator: User) -> None:
    """Any complaint on the console fails the test."""
    User.objects.filter(pk=operator.pk).update(is_superuser=True)
    for path in ("/account/", "/settings/people/", "/admin/", "/admin/memory/stream/", "/admin/memory/user/"):
        page.goto(path)
        expect(page.get_by_role("heading", level=1).first).to_be_visible()

"""Log-in, overview and the list of runs."""

import re

import pytest
from playwright.sync_api import Page, expect

from memory.models import Tenant, User
from tests.browser.conftest import EMAIL, PASSWORD, Record

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_stranger_is_sent_to_the_log_in_and_back(anonymous: Page, operator: User) -> None:
    anonymous.goto("/runs/?outcome=failed")
    anonymous.get_by_label("Email").fill(EMAIL.upper())
    anonymous.get_by_label("Password").fill("wrong password")
    anonymous.get_by_role("button", name="Log in").click()
    expect(anonymous.get_by_role("alert")).to_be_visible()
    anonymous.get_by_label("Password").fill(PASSWORD)

    anonymous.get_by_role("button", name="Log in").click()

    expect(anonymous).to_have_url(re.compile(r"/runs/\?outcome=failed$"))


def test_the_overview_counts_and_each_number_opens_what_it_counts(page: Page, record: Record) -> None:
    record("good", [{"type": "task.created", "payload": {"input": "a"}}, {"type": "task.completed"}])
    record("bad", [{"type": "task.created", "payload": {"input": "b"}}, {"type": "task.failed"}])
    record("open", [{"type": "task.created", "payload": {"input": "c"}}])
    page.goto("/")

    page.get_by_role("link", name=re.compile("failed in 24 h")).click()

    expect(page.get_by_role("table")).to_contain_text("bad")
    expect(page.get_by_role("table")).not_to_contain_text("good")


def test_filters_live_in_the_url_and_back_works(page: Page, record: Record) -> None:
    record("alpha", [{"type": "agent.started", "payload": {"agent_id": "ops"}}])
    record("beta", [{"type": "note.made", "payload": {"text": "needle in the hay"}}])
    page.goto("/runs/")

    page.get_by_label("Text").fill("NEEDLE")
    expect(page).to_have_url(re.compile("q=NEEDLE"))
    expect(page.get_by_role("table")).not_to_contain_text("alpha")
    page.get_by_role("link", name="beta").click()
    page.go_back()

    expect(page.get_by_label("Text")).to_have_value("NEEDLE")
    expect(page.get_by_role("table")).not_to_contain_text("alpha")


def test_nothing_is_shown_of_another_tenant(page: Page, globex: Tenant, record: Record) -> None:
    from memory.events import store
    from memory.events.draft import draft
    from memory.tenancy import tenant_scope

    record("ours", [{"type": "note.made"}])
    with tenant_scope(globex.pk):
        store.append("theirs", [draft({"type": "note.made"}, store.limits())])
    page.goto("/runs/")
    expect(page.get_by_role("table")).to_contain_text("ours")
    expect(page.get_by_role("table")).not_to_contain_text("theirs")

    response = page.request.get("/runs/theirs/")

    assert response.status == 404


def test_an_empty_tenant_is_told_how_to_record(page: Page) -> None:
    for path in ("/", "/runs/"):
        page.goto(path)
        expect(page.get_by_role("main")).to_contain_text("No runs yet")
        expect(page.get_by_role("main")).to_contain_text("curl")


@pytest.mark.parametrize("path", ["/", "/runs/", "/runs/phone/?at=2"])
def test_pages_fit_a_phone_in_the_dark(page: Page, record: Record, path: str) -> None:
    record("phone", [{"type": "message.added", "payload": {"role": "user", "content": "word " * 400}}] * 3)
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 390, "height": 844})

    page.goto(path)

    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    luminance = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)")
    assert max(luminance) < 80


def test_the_keyboard_leads_everywhere(page: Page) -> None:
    page.keyboard.press("g")
    page.keyboard.press("r")
    page.wait_for_url("**/runs/")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("Go to runs")
    page.keyboard.press("Escape")

    page.keyboard.press("/")

    expect(page.get_by_label("Text")).to_be_focused()


def test_the_api_documentation_works_offline(anonymous: Page) -> None:
    anonymous.goto("/api/docs/")

    expect(anonymous.get_by_text("/api/v1/streams/{stream}/events").first).to_be_visible()


def test_logging_out_ends_the_session(page: Page) -> None:
    page.get_by_label("Your account").click()
    page.get_by_role("button", name="Log out").click()

    page.goto("/runs/")

    expect(page).to_have_url(re.compile("/login/"))

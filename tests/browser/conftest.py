"""A real browser against a real server. Debian's Chromium, or the one that ARES_CHROMIUM names."""

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.cache import cache
from playwright.sync_api import Browser, Page, sync_playwright

from memory import tenants
from memory.events import store
from memory.events.draft import draft
from memory.models import Stream, Tenant, User
from memory.tenancy import tenant_scope
from memory.vocabulary import Role

# Playwright's synchronous interface keeps an event loop in this thread, which Django takes for an asynchronous caller.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

EMAIL, PASSWORD = "mara@example.com", "correct horse battery"
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

Record = Callable[[str, list[dict[str, Any]]], Stream]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = os.environ.get("ARES_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.fail("Chromium is missing: apt-get install chromium, or name one with ARES_CHROMIUM")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=QUIET)
        yield started
        started.close()


@pytest.fixture
def operator(transactional_db: None, acme: Tenant) -> User:
    """Somebody who may look at Acme."""
    user = User.objects.create_user(EMAIL, PASSWORD, name="Mara")
    tenants.join(user, acme, Role.OPERATOR)
    return user


@pytest.fixture
def anonymous(browser: Browser, transactional_db: None, live_server: Any) -> Iterator[Page]:
    """A page of somebody who has not logged in. Any message on its console fails the test."""
    cache.clear()  # holds how often this address has logged in, in the tests before too
    context = browser.new_context(base_url=live_server.url, viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.set_default_timeout(10_000)
    complaints: list[str] = []
    page.on("console", lambda message: message.type in ("error", "warning") and complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "request", lambda request: request.url.startswith((live_server.url, "data:")) or complaints.append(request.url)
    )
    yield page
    context.close()
    assert not complaints


@pytest.fixture
def page(anonymous: Page, operator: User) -> Page:
    """A page of an operator who has just logged in by the form."""
    anonymous.goto("/login/")
    anonymous.get_by_label("Email").fill(EMAIL)
    anonymous.get_by_label("Password").fill(PASSWORD)
    anonymous.get_by_role("button", name="Log in").click()
    anonymous.wait_for_url("**/")
    return anonymous


@pytest.fixture
def record(acme: Tenant) -> Record:
    """Append events to a stream of Acme's, committed."""

    def append(name: str, events: list[dict[str, Any]]) -> Stream:
        with tenant_scope(acme.pk):
            size = 1000
            for start in range(0, len(events), size):
                store.append(name, [draft(raw, store.limits()) for raw in events[start : start + size]])
            return Stream.objects.named(name)

    return append

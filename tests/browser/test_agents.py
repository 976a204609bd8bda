"""Agents, and the story of a crash."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from memory import recovery
from memory.models import Tenant
from memory.tenancy import tenant_scope
from tests.browser.conftest import Record

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

WORK: list[dict[str, Any]] = [
    {"type": "agent.started", "payload": {"agent_id": "ops/prod"}},
    {"type": "task.created", "payload": {"task_id": "t", "input": "Find out why checkout is slow"}},
    {"type": "message.added", "payload": {"role": "user", "content": "Find out why checkout is slow"}},
    {
        "type": "tool.call",
        "payload": {"tool_call_id": "c", "name": "read_log", "arguments": {"path": "/var/log/checkout.log"}},
    },
]
CRASH = {
    "type": "agent.crashed",
    "payload": {"agent_id": "ops/prod", "error": {"type": "MemoryError", "message": "out of memory"}},
}


def recover(tenant: Tenant) -> None:
    with tenant_scope(tenant.pk):
        recovery.recover("ops/prod")


def test_a_crash_leads_from_the_overview_to_its_story_and_on_to_the_run(page: Page, record: Record) -> None:
    record("run", [*WORK, CRASH])
    page.goto("/")
    trouble = page.get_by_role("table", name="Agents that stalled or crashed")
    expect(trouble).to_contain_text("It reported a crash")

    trouble.get_by_role("link", name="Crash story").click()

    page.wait_for_url("**/runs/run/crash/")
    main = page.get_by_role("main")
    expect(main).to_contain_text("MemoryError: out of memory")
    expect(main).to_contain_text('read_log · {"path": "/var/log/checkout.log"}')
    expect(main).to_contain_text("It has not been recovered yet")
    expect(main).to_contain_text("/api/v1/agents/ops/prod/recovery")
    page.get_by_role("link", name="event 4").first.click()
    page.wait_for_url(re.compile(r"/runs/run/\?at=4"))
    expect(page.get_by_role("link", name="Crash story")).to_be_visible()


def test_a_recovery_is_compared_with_the_state_before(page: Page, record: Record, acme: Tenant) -> None:
    record("run", [*WORK, CRASH])
    recover(acme)
    page.goto("/runs/run/crash/")
    main = page.get_by_role("main")
    expect(main).to_contain_text("events replayed")
    expect(main).to_contain_text("event 4 against state after event 5")
    agent = page.get_by_role("table", name="agent", exact=True)
    expect(agent.get_by_role("row", name="status")).to_contain_text("started")
    expect(agent.get_by_role("row", name="status")).to_contain_text("crashed")
    expect(page.get_by_role("table", name="open tasks")).not_to_contain_text("differs")


def test_agents_are_listed_with_the_reason_and_a_flapping_one_is_marked(
    page: Page, record: Record, acme: Tenant
) -> None:
    record("run", WORK)
    record("other", [{"type": "agent.stopped", "payload": {"agent_id": "batch"}}])
    for _ in range(10):
        recover(acme)
    page.keyboard.press("g")
    page.keyboard.press("a")
    page.wait_for_url("**/agents/")
    first = page.get_by_role("row").nth(1)
    expect(first).to_contain_text("ops/prod")
    expect(first).to_contain_text("flapping")
    expect(page.get_by_role("row").nth(2)).to_contain_text("It stopped")

    first.get_by_role("link", name="ops/prod").click()

    page.wait_for_url("**/runs/run/")


def test_a_silent_agent_with_an_open_task_is_shown_as_crashed(page: Page, record: Record, settings: Any) -> None:
    settings.ARES = {**settings.ARES, "ARES_STALL_SECONDS": 0, "ARES_CRASH_SECONDS": 0}
    record("run", WORK)
    page.goto("/agents/")
    expect(page.get_by_role("table")).to_contain_text("not even a heartbeat")
    page.get_by_role("link", name="Crash story").click()
    expect(page.get_by_role("main")).to_contain_text("after event 4: silent since then")


def test_without_agents_and_without_a_crash_the_pages_say_so(page: Page, record: Record) -> None:
    page.goto("/agents/")
    expect(page.get_by_role("main")).to_contain_text("No agents yet")
    expect(page.get_by_role("main")).to_contain_text("agent.heartbeat")
    record("run", [{"type": "note.made"}])
    page.goto("/runs/run/crash/")
    expect(page.get_by_role("main")).to_contain_text("This run never broke off")
    assert page.request.get("/runs/none/crash/").status == 404
    assert page.request.get("/runs/run/crash/?break=9").status == 200


@pytest.mark.parametrize("path", ["/agents/", "/runs/run/crash/"])
def test_the_pages_fit_a_phone_in_the_dark(page: Page, record: Record, acme: Tenant, path: str) -> None:
    record("run", [*WORK, {"type": "message.added", "payload": {"role": "user", "content": "w" * 3000}}, CRASH])
    recover(acme)
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(path)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390

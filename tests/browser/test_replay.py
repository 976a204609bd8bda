"""What an operator does with a run."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from rich.console import Console

from memory.imports.report import Report
from memory.management.commands.import_runs import import_files
from memory.models import Stream, Tenant
from memory.tenancy import tenant_scope
from tests.browser.conftest import Record

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def tool_round(number: int) -> list[dict[str, Any]]:
    call = f"call_{number}"
    return [
        {"type": "message.added", "payload": {"role": "user", "content": f"question {number}"}},
        {
            "type": "tool.call",
            "payload": {"tool_call_id": call, "name": "search", "arguments": {"query": f"words {number}"}},
        },
        {"type": "tool.result", "payload": {"tool_call_id": call, "name": "search", "content": f"found {number}"}},
    ]


def test_an_imported_run_is_found_opened_and_scrubbed_to_a_tool_call(
    page: Page, acme: Tenant, sample_data: Path
) -> None:
    paths = [sample_data / "tau-bench-airline" / "gpt-4o-airline.json.gz"]
    import_files(Report(), paths, acme.pk, None, Console(quiet=True))
    with tenant_scope(acme.pk):
        stream = Stream.objects.matching(outcome="failed", event_type="tool.call").order_by("name")[0]
    page.get_by_role("link", name="Runs", exact=True).click()
    page.get_by_text("failed", exact=True).first.click()
    expect(page).to_have_url(re.compile("outcome=failed"))
    page.get_by_label("Text").fill(stream.name)
    page.get_by_role("link", name=stream.title).click()
    page.wait_for_url(f"**/runs/{stream.name}/**")

    page.keyboard.press("Home")
    page.locator(".row", has_text="tool call").first.click()

    event = page.locator(".event-pane")
    expect(event.get_by_role("heading", level=2)).to_contain_text("tool call")
    expect(page).to_have_url(re.compile(r"at=\d+"))
    version = int(page.get_by_role("slider").get_attribute("aria-valuenow") or 0)
    expect(event).to_contain_text("arguments")
    page.keyboard.press("j")
    expect(event.get_by_role("heading", level=2)).to_contain_text("tool result")
    expect(page).to_have_url(re.compile(rf"at={version + 1}\b"))
    expect(page.locator(".state-pane")).to_contain_text("last tool results")


def test_keys_move_the_playhead_and_the_url_keeps_the_step(page: Page, record: Record) -> None:
    record("keys", [event for number in range(100) for event in tool_round(number)])
    page.goto("/runs/keys/?at=10")
    slider = page.get_by_role("slider")
    expect(slider).to_have_attribute("aria-valuenow", "10")

    for key, expected in (("ArrowRight", 11), ("k", 10), ("PageDown", 20), ("End", 300), ("Home", 1), ("j", 2)):
        page.keyboard.press(key)
        expect(slider).to_have_attribute("aria-valuenow", str(expected))
    expect(page).to_have_url(re.compile(r"at=2\b"))
    expect(page.locator(".event-pane")).to_contain_text("words 0")
    page.reload()

    expect(slider).to_have_attribute("aria-valuenow", "2")


def test_the_mouse_scrubs_on_the_strip(page: Page, record: Record) -> None:
    record("mouse", [event for number in range(100) for event in tool_round(number)])
    page.goto("/runs/mouse/?at=1")
    expect(page.locator("[data-legend] li").first).to_be_visible()
    box = page.locator("[data-scrubber] canvas").bounding_box()
    assert box

    page.mouse.click(box["x"] + box["width"] * 0.75, box["y"] + box["height"] / 2)

    expect(page).not_to_have_url(re.compile(r"at=1\b"))
    value = int(page.get_by_role("slider").get_attribute("aria-valuenow") or 0)
    assert 150 < value <= 300
    expect(page.locator(".state-pane h2")).to_have_text(f"State after event {value}")


def test_new_events_arrive_live_wait_while_paused_and_are_caught_up(page: Page, record: Record) -> None:
    record("live", tool_round(0))
    page.goto("/runs/live/")
    expect(page.locator("[data-live-state]")).to_have_text("live")

    record("live", tool_round(1))
    expect(page.locator("[data-event-count]")).to_have_text("6")
    expect(page.get_by_role("slider")).to_have_attribute("aria-valuenow", "6")
    page.get_by_role("button", name="Pause").click()
    record("live", tool_round(2))
    catch_up = page.locator("[data-catch-up]")
    expect(catch_up).to_contain_text("3")
    expect(page.locator("[data-event-count]")).to_have_text("6")
    catch_up.click()

    expect(page.locator("[data-event-count]")).to_have_text("9")
    expect(page.locator(".row").last).to_contain_text("found 2")


def test_a_run_of_ten_thousand_events_opens_with_a_window_of_rows(page: Page, record: Record) -> None:
    record("long", [event for number in range(3334) for event in tool_round(number)][:10_000])

    page.goto("/runs/long/?at=5000")

    expect(page.locator(".row[aria-current], .row [aria-current=step]")).to_contain_text("5,000")
    assert page.locator(".row").count() <= 300
    page.keyboard.press("End")
    expect(page.locator(".row").last).to_contain_text("10,000")
    expect(page.locator(".state-pane h2")).to_have_text("State after event 10,000")


def test_an_empty_tool_result_says_so(page: Page, record: Record) -> None:
    call = {"tool_call_id": "c", "name": "search_runbooks"}
    record(
        "silent", [{"type": "tool.call", "payload": call}, {"type": "tool.result", "payload": {**call, "content": ""}}]
    )

    page.goto("/runs/silent/?at=2")

    expect(page.locator(".row").last).to_contain_text("(empty)")
    expect(page.locator(".event-pane")).to_contain_text("(empty)")


def test_hostile_payloads_stay_inert(page: Page, record: Record) -> None:
    attacks = (
        "<script>document.title='owned'</script>",
        "<svg onload=\"document.title='owned'\">",
        "<img src=x onerror=\"document.title='owned'\">",
        "[click](javascript:document.title='owned')",
        "\u202egnp.exe\u202c and the rest",
        "{{ 7*7 }} {% now 'Y' %}",
    )
    payload = {
        "role": attacks[0],
        "name": attacks[1],
        "tool_calls": [{"id": attacks[0], "function": {"name": attacks[2]}}],
    }
    record(
        "hostile",
        [{"type": "message.added", "payload": {**payload, "content": attack}} for attack in attacks]
        + [{"type": "task.created", "payload": {"input": attacks[1], "task_id": attacks[0]}}]
        + [{"type": "x.y", "payload": {attack: attack for attack in attacks}}]
        + [
            {
                "type": "tool.result",
                "payload": {"name": attacks[2], "error": {"type": attacks[0], "message": attacks[1]}},
            }
        ],
    )

    for version in range(1, 10):
        page.goto(f"/runs/hostile/?at={version}")
        expect(page.locator(".event-pane")).to_be_visible()
        assert page.locator("main script, main svg[onload], main img").count() == 0
        assert "owned" not in page.title() or "<script>" in page.title() or "<svg" in page.title()
    page.goto("/runs/")

    expect(page.get_by_role("table")).to_be_visible()


def test_without_javascript_the_page_shows_the_step_and_links_lead_on(page: Page, record: Record) -> None:
    record("plain", [event for number in range(5) for event in tool_round(number)])
    context = page.context.browser.new_context(  # type: ignore[union-attr]
        java_script_enabled=False, storage_state=page.context.storage_state(), base_url=page.url
    )
    plain = context.new_page()
    plain.goto("/runs/plain/?at=2")

    plain.get_by_title("Next event").click()

    expect(plain.locator(".event-pane")).to_contain_text("found 0")
    expect(plain.locator(".state-pane h2")).to_have_text("State after event 3")
    context.close()


def test_what_stands_beside_the_event_is_chosen_and_stays_while_one_moves(page: Page, record: Record) -> None:
    record("run", tool_round(1) + tool_round(2))
    page.goto("/runs/run/?at=2")
    beside = page.locator(".state-pane")
    beside.get_by_role("link", name="Changes").click()
    expect(beside.get_by_role("heading", level=2)).to_have_text("What event 2 changed")
    expect(page).to_have_url(re.compile(r"at=2&panel=changes"))
    page.keyboard.press("j")
    expect(beside.get_by_role("heading", level=2)).to_have_text("What event 3 changed")
    page.reload()
    expect(beside.get_by_role("heading", level=2)).to_have_text("What event 3 changed")
    beside.get_by_role("link", name="State").click()
    expect(page).to_have_url(re.compile(r"at=3$"))

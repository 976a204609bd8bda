"""The figure of savings in a real browser: drawn by Plotly under the pages' own policy, in both themes."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from bench import report
from dashboard import benchmarks
from memory.models import Tenant
from memory.tenancy import tenant_scope
from tests.tokens.making import call, context, record

pytestmark = pytest.mark.browser


@pytest.fixture(autouse=True)
def _recorded(transactional_db: None, acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        for day in (1, 2, 5):
            record(
                context(5000 * day, 1000, model="gpt-4o"), call(), stream=f"run-{day}", at=f"2026-05-0{day}T10:00:00Z"
            )


def test_the_figure_is_drawn_without_a_complaint_and_follows_the_theme(page: Page) -> None:
    page.emulate_media(color_scheme="light")
    page.goto("/savings/")
    bars = page.locator(".figure .bars .point path")
    expect(bars).to_have_count(6)
    light = bars.last.evaluate("bar => getComputedStyle(bar).fill")
    page.get_by_role("button", name="Light or dark").click()
    expect(bars).to_have_count(6)
    assert bars.last.evaluate("bar => getComputedStyle(bar).fill") != light


def test_a_bar_tells_its_numbers(page: Page) -> None:
    page.goto("/savings/")
    box = page.locator(".figure .bars .point path").last.bounding_box()
    assert box
    page.mouse.move(box["x"] + 5, box["y"] + 2)
    page.mouse.move(box["x"] + 8, box["y"] + 4)
    expect(page.locator(".figure .hoverlayer")).to_contain_text("25,000 raw")


@pytest.mark.parametrize("width", [1440, 390])
def test_nothing_is_wider_than_the_window_and_sums_open(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto("/savings/")
    assert page.evaluate("document.documentElement.scrollWidth") == width
    page.get_by_role("link", name="tokens saved").click()
    expect(page.get_by_text("37,000 saved")).to_be_visible()
    page.get_by_role("link", name="context · event 1").first.click()
    expect(page).to_have_url(page.url)
    expect(page.locator("[data-readout]")).to_contain_text("event 1 of 2")


@pytest.mark.parametrize("width", [1440, 390])
def test_measured_curves_are_drawn_beside_live_ones(
    page: Page, width: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report, "RESULTS", tmp_path)
    monkeypatch.setattr(benchmarks, "FOLDER", tmp_path)
    chart = report.Chart("rounds", ("saved %", "published %"), "not sent, %")
    rows = [(rounds, 50.0 + rounds / 4, 45.0 + rounds / 4) for rounds in (10, 20, 30)]
    report.publish("savings-conversation", "One conversation", ("rounds", "saved %", "published %"), rows, chart)
    page.set_viewport_size({"width": width, "height": 800})
    page.goto("/savings/benchmarks/")
    expect(page.locator(".figure .scatterlayer .trace")).to_have_count(1 + 2)
    assert page.evaluate("document.documentElement.scrollWidth") == width

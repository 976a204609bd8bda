"""The pages of savings: sums that lead down to events, and what they show of them."""

import re
from decimal import Decimal
from html import unescape

import pytest
from django.test import Client

from dashboard import savings as shown
from dashboard.charts.savings import raw_against_sent
from memory.models import Tenant
from memory.tenancy import tenant_scope
from memory.tokens import savings
from memory.tokens.savings import By, Filters
from tests.tokens.making import call, context, record


@pytest.fixture
def recorded(acme: Tenant, globex: Tenant) -> None:
    with tenant_scope(acme.pk):
        for name, agent in (("one", "ann"), ("two", "bob & co")):
            record(("agent.started", {"agent_id": agent}), context(5000, 1000, model="gpt-4o"), call(), stream=name)
        record(context(40, 90, method="window", model="<i>homemade"), stream="one", at="2026-05-03T10:00:00Z")
    with tenant_scope(globex.pk):
        record(("agent.started", {"agent_id": "theirs"}), context(7777, 1), stream="theirs")


def seen(pages: Client, address: str) -> str:
    response = pages.get(address)
    assert response.status_code == 200
    return " ".join(unescape(response.content.decode()).split())


def links(page: str, to: str) -> list[str]:
    return list(dict.fromkeys(re.findall(rf'href="({re.escape(to)}[^"]*)"', page)))


def summed(page: str) -> tuple[int, int]:
    """Saved tokens and input tokens of calls that a page of events says it is the sum of."""
    saved, given = re.search(r"<b>([−-]?[\d,]+) saved</b>", page), re.search(r"model calls?: ([\d,]+) in", page)
    assert saved
    assert given
    return int(saved[1].replace(",", "")), int(given[1].replace(",", ""))


@pytest.mark.usefixtures("recorded")
class TestSavings:
    def test_the_page_has_the_sums_and_nothing_of_another_tenant(self, pages: Client) -> None:
        page = seen(pages, "/savings/")
        assert "7,950" in page
        assert "$0.02" in page
        assert "1 of 3 contexts have no price" in page
        assert "theirs" not in page
        assert "7,776" not in page
        assert "<i>homemade" not in pages.get("/savings/").content.decode()

    def test_every_sum_opens_down_to_events_that_add_up_to_it(self, pages: Client) -> None:
        whole = summed(seen(pages, "/savings/events/"))
        assert whole == (7950, 2000)
        overview = seen(pages, "/savings/")
        sections = re.split(r'aria-labelledby="by-|<h2>By day', overview)[1:]
        assert len(sections) == 4
        for section in sections:
            parts = [summed(seen(pages, address)) for address in links(section, "/savings/events/?")]
            assert tuple(map(sum, zip(*parts, strict=True))) == whole
        narrowed = [address for address in links(overview, "/savings/?") if "since" not in address]
        assert len(narrowed) == 2 + 3 + 2 + 2
        for address in narrowed:
            page = seen(pages, address)
            of_page = summed(seen(pages, address.replace("/savings/?", "/savings/events/?")))
            assert f'{of_page[0]:,}</span><span class="label">tokens saved' in page

    def test_every_listed_event_is_one_of_a_run(self, pages: Client) -> None:
        page = seen(pages, "/savings/events/?run=one")
        assert links(page, "/runs/one/") == ["/runs/one/?at=4", "/runs/one/?at=3", "/runs/one/?at=2"]
        for address in links(page, "/runs/one/"):
            assert pages.get(address).status_code == 200

    def test_the_tokens_of_a_run_open_down_to_its_events(self, pages: Client) -> None:
        [address] = links(seen(pages, "/runs/one/"), "/savings/events/")
        page = seen(pages, address)
        assert "1 model call: 1,000 in, 50 out" in page

    def test_a_filter_is_shown_and_can_be_taken_away(self, pages: Client) -> None:
        page = seen(pages, "/savings/?agent=bob+%26+co&model=gpt-4o")
        assert links(page, "/savings/?model=gpt-4o") == ["/savings/?model=gpt-4o"]
        assert "bob & co" in page
        assert pages.get("/savings/?since=soon").status_code == 404
        assert "No event says anything of tokens here" in seen(pages, "/savings/events/?agent=nobody")
        assert pages.get("/savings/?agent=%00").status_code == 200

    def test_events_come_in_pages(self, pages: Client, acme: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("dashboard.views.savings.PAGE_SIZE", 2)
        address, rows = "/savings/events/", 0
        for expected in (2, 2, 1):
            page = seen(pages, address)
            rows = page.count('<th scope="row">')
            assert rows == expected
            address = (re.findall(r'href="(/savings/events/\?[^"]*before=\d+)"', page) or [""])[0]
        assert address == ""


def test_an_empty_tenant_is_told_how_to_save(pages: Client) -> None:
    assert "Nothing was saved yet" in seen(pages, "/savings/")


def test_nobody_looks_without_logging_in(db: None) -> None:
    assert Client().get("/savings/events/")["Location"] == "/login/?next=/savings/events/"


@pytest.mark.parametrize(
    ("amount", "text"),
    [(None, ""), ("0", "$0.00"), ("1234.5", "$1,234.50"), ("0.52", "$0.52"), ("0.0123", "$0.012"), ("0.000098", "$0.000098"), ("-0.05", "−$0.050"),
     ("0.000000000001", "$0.0000000000")],
)  # fmt: skip
def test_money_shows_two_figures_at_least(amount: str | None, text: str) -> None:
    assert shown.money(None if amount is None else Decimal(amount)) == text


def test_the_figure_has_a_bar_for_each_day_with_contexts(in_acme: Tenant) -> None:
    record(context(50, 10), call())
    record(call(), at="2026-05-04T10:00:00Z")
    record(context(70, 20), at="2026-05-05T10:00:00Z")
    raw, sent = raw_against_sent(savings.rows(By.DAY, Filters()))["data"]
    assert raw["x"] == sent["x"] == ["2026-05-01", "2026-05-05"]
    assert (raw["y"], sent["y"]) == ([50, 70], [10, 20])

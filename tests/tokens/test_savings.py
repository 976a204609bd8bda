"""Sums over the ledger: by day, agent, method and model, and down to the events, they agree."""

from dataclasses import fields
from datetime import date
from decimal import Decimal

import pytest
from django.core.management import CommandError, call_command

from memory.errors import Invalid
from memory.events import store
from memory.events.draft import draft
from memory.models import LedgerEntry, Tenant
from memory.tenancy import tenant_scope
from memory.tokens import savings
from memory.tokens.savings import By, Filters, Sums
from tests.tokens.making import call, context, record

NONE = Filters()
# What two parts' sums come to: an amount that is not known adds nothing.
ADDED = [each.name for each in fields(Sums)]


@pytest.fixture(autouse=True)
def told(in_acme: Tenant) -> None:
    """Two agents over two days, with models that have a price and one that has none."""
    for name, agent in (("one", "ann"), ("two", "bob"), ("three", "")):
        record(("agent.started", {"agent_id": agent}), stream=name)
        record(context(500, 100, model="gpt-4o"), call(), ("memory.recalled", {"tokens": 9}), stream=name)
        record(
            context(40, 90, method="window", model="homemade"),
            call(model="homemade"),
            stream=name,
            at="2026-05-02T00:00:00Z",
        )
        record(
            ("llm.call", {"call_id": "c", "prompt": "word " * 98}),
            call(call_id="c"),
            stream=name,
            at="2026-05-01T23:59:59.9Z",
        )


def added(sums: list[Sums]) -> dict[str, Decimal | int]:
    return {name: sum(getattr(each, name) or 0 for each in sums) for name in ADDED}


def test_the_sums_are_those_of_the_entries(in_acme: Tenant) -> None:
    sums = savings.totals(NONE)
    assert (sums.contexts, sums.raw, sums.sent, sums.saved) == (6, 1620, 570, 1050)
    assert (sums.calls, sums.input, sums.cached, sums.output, sums.reasoning) == (9, 9000, 3600, 450, 180)
    assert (sums.recalls, sums.recalled) == (3, 27)
    assert (sums.saved_cost, sums.unpriced_contexts, sums.unpriced_calls) == (Decimal("0.003"), 3, 3)
    assert sums.saved_share == 1050 / 1620


@pytest.mark.parametrize("by", By)
def test_parts_add_up_to_the_whole_and_entries_to_each_part(by: By) -> None:
    whole = savings.totals(NONE)
    found = savings.rows(by, NONE)
    assert added([row.sums for row in found]) == added([whole])
    for row in found:
        within = NONE.narrowed(by, row.key)
        assert savings.totals(within) == row.sums
        of_row = list(savings.entries(within))
        assert sum(each.saved_tokens for each in of_row if each.kind == "context") == row.sums.saved
        assert sum(each.input_tokens for each in of_row) == row.sums.input
        assert len(of_row) == row.sums.contexts + row.sums.calls + row.sums.recalls
        for inner in By:
            assert added([part.sums for part in savings.rows(inner, within)]) == added([row.sums])


def test_rows_are_told_by_their_key() -> None:
    assert [row.key for row in savings.rows(By.DAY, NONE)] == [date(2026, 5, 1), date(2026, 5, 2)]
    assert {row.key for row in savings.rows(By.AGENT, NONE)} == {"ann", "bob", ""}
    assert {row.key for row in savings.rows(By.METHOD, NONE)} == {"memory", "window", ""}
    assert {row.key for row in savings.rows(By.MODEL, NONE)} == {"gpt-4o", "homemade", ""}


def test_our_count_is_compared_with_the_providers_where_both_are_known() -> None:
    sums = savings.totals(NONE)
    assert (sums.compared, sums.counted, sums.reported) == (3, 3 * 99, 3000)
    assert sums.deviation == pytest.approx((297 - 3000) / 3000)


def test_filters_are_read_from_an_address_and_written_to_one() -> None:
    query = {"day": "2026-05-01", "agent": "", "model": "gpt-4o", "run": "one", "kind": "call"}
    assert savings.parse(query).query == query
    assert savings.parse({"since": "", "run": "", "other": "x"}) == NONE
    assert savings.totals(savings.parse({"since": "2026-05-02"})).contexts == 3
    assert savings.totals(savings.parse({"until": "2026-05-01", "agent": "ann"})).contexts == 1
    assert savings.totals(savings.parse({"agent": "a\0b"})) == savings.totals(Filters(agent="nobody"))


@pytest.mark.parametrize("day", ["yesterday", "2026-13-01", "0001-01-01", "9999-12-31", "٢٠٢٦-٠٥-٠١"])
def test_a_day_that_is_none_is_refused(day: str) -> None:
    with pytest.raises(Invalid, match=r"since must be a day like 2026-05-01\."):
        savings.parse({"since": day})


def test_nothing_saved_is_no_share_of_nothing(globex: Tenant) -> None:
    with tenant_scope(globex.pk):
        sums = savings.totals(NONE)
        assert (sums.raw, sums.saved_share, sums.deviation, sums.cost) == (0, None, None, None)
        assert savings.rows(By.DAY, NONE) == []


def test_the_ledger_is_made_again_by_a_command(in_acme: Tenant, capsys: pytest.CaptureFixture[str]) -> None:
    before = savings.totals(NONE)
    LedgerEntry.objects.all().delete()
    call_command("rebuild_ledger", "--tenant", "acme")
    assert capsys.readouterr().out == "acme: 21 entries\n"
    assert savings.totals(NONE) == before
    call_command("rebuild_ledger")
    assert savings.totals(NONE) == before
    with pytest.raises(CommandError, match="There is no tenant 'nobody'"):
        call_command("rebuild_ledger", "--tenant", "nobody")


def test_an_event_is_appended_though_its_tokens_make_no_sense(in_acme: Tenant) -> None:
    payload = {"tokens": {"raw": "many", "sent": -1}, "model": 7, "method": []}
    store.append("odd", [draft({"type": "context.built", "payload": payload}, store.limits())])
    assert savings.totals(Filters(run="odd")).raw == 0

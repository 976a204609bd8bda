"""Pages of the list of runs."""

import pytest
from django.http import QueryDict

from dashboard.pages import PAGE_SIZE, Page, page
from memory.events import store
from memory.models import Stream, Tenant
from tests.events.making import drafted

COUNT = 2 * PAGE_SIZE + 7


@pytest.fixture
def runs(in_acme: Tenant) -> list[str]:
    """The names of more runs than two pages hold, the newest first."""
    for number in range(COUNT):
        store.append(f"run-{number:03}", [drafted()])
    return [f"run-{number:03}" for number in reversed(range(COUNT))]


def asked(query: str | None) -> Page:
    assert query is not None
    return page(Stream.objects.all(), QueryDict(query).dict())


def names(shown: Page) -> list[str]:
    return [stream.name for stream in shown.streams]


def test_pages_lead_to_the_oldest_run_and_back(runs: list[str]) -> None:
    first = asked("")
    second = asked(first.next_query)
    third = asked(second.next_query)
    assert names(first) + names(second) + names(third) == runs
    assert (first.previous_query, third.next_query) == (None, None)
    assert names(asked(third.previous_query)) == names(second)
    assert names(asked(asked(third.previous_query).previous_query)) == names(first)


def test_a_run_that_comes_in_moves_no_page(runs: list[str]) -> None:
    first = asked("")
    store.append("newcomer", [drafted()])
    assert names(asked(first.next_query)) == runs[PAGE_SIZE : 2 * PAGE_SIZE]


def test_filters_stay_in_the_links(runs: list[str]) -> None:
    assert asked("outcome=unknown&q=&agent=").next_query.startswith("outcome=unknown&older=")


@pytest.mark.parametrize("mark", ["x", "1", "1-", "-1", "1-x", "9" * 30 + "-1", "٣-٣"])
def test_a_mark_that_is_none_shows_the_first_page(runs: list[str], mark: str) -> None:
    assert names(asked(f"older={mark}")) == runs[:PAGE_SIZE]

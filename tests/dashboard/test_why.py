"""Why an event came about, and what looks wrong in a run."""

from typing import Any

import pytest
from django.test import Client

from memory.events import store
from memory.events.draft import draft
from memory.models import Tenant
from memory.tenancy import tenant_scope
from tests.dashboard.conftest import seen

CALLS = [{"id": "c1", "type": "function", "function": {"name": "find_orders", "arguments": '{"user": 7}'}}]
USER = {"role": "user", "content": "Which orders has user 7?"}
ASKS = {"role": "assistant", "content": None, "tool_calls": CALLS}
EMPTY = {"role": "tool", "content": "", "tool_call_id": "c1", "name": "find_orders"}
ROUND: list[tuple[str, dict[str, Any]]] = [
    ("message.added", USER),
    ("llm.call", {"call_id": "l1", "model": "m", "messages": [USER]}),
    ("llm.response", {"call_id": "l1", "model": "m", "content": None, "tool_calls": CALLS}),
    ("tool.call", {"tool_call_id": "c1", "name": "find_orders", "arguments": {"user": 7}}),
    ("tool.result", {"tool_call_id": "c1", "name": "find_orders", "content": ""}),
    ("llm.call", {"call_id": "l2", "model": "m", "messages": [USER, ASKS, EMPTY]}),
    (
        "llm.response",
        {"call_id": "l2", "model": "m", "content": "User 7 has three orders, and all of them are shipped."},
    ),
]


@pytest.fixture
def _run(acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        told = [draft({"type": event_type, "payload": payload}, store.limits()) for event_type, payload in ROUND]
        store.append("run", told)


@pytest.mark.usefixtures("_run")
def test_an_answer_is_walked_back_to_the_empty_result_that_it_rests_on(pages: Client) -> None:
    page = seen(pages, "/runs/run/steps/7/?panel=why")
    assert "Why event 7 came about" in page
    assert "back to the first suspicious step" in page
    assert 'href="?at=5"' in page
    assert "tool result · <bdi>find_orders</bdi> · event 5" in page


@pytest.mark.usefixtures("_run")
def test_what_a_result_led_to_is_listed_and_its_own_hint_stands_first(pages: Client) -> None:
    page = seen(pages, "/runs/run/?at=5&panel=why")
    assert "suspicious here" in page
    assert 'href="?at=6"' in page[page.index("what it led to") :]


@pytest.mark.usefixtures("_run")
def test_a_run_tells_how_many_hints_it_has_and_shows_them(pages: Client) -> None:
    found = seen(pages, "/runs/run/findings/")
    assert "Where it most likely went wrong" in found
    assert "/runs/run/?at=5&amp;panel=why" in found
    assert ">1 hint</a>" in seen(pages, "/runs/run/")


def test_a_healthy_run_has_nothing_that_looks_wrong(pages: Client, acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        store.append("calm", [draft({"type": "message.added", "payload": USER}, store.limits())])
    assert "No rule found anything suspicious in its 1 event" in seen(pages, "/runs/calm/findings/")
    assert "Nothing is known that led to it." in seen(pages, "/runs/calm/?panel=why")


def test_another_tenants_run_shows_nothing(pages: Client, globex: Tenant) -> None:
    with tenant_scope(globex.pk):
        store.append("secret", [draft({"type": "message.added", "payload": USER}, store.limits())])
    assert pages.get("/runs/secret/findings/").status_code == 404

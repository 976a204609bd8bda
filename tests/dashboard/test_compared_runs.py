"""What stands beside a step in the replay, and two runs beside each other."""

import json
from typing import Any

import pytest
from django.test import Client

from memory.events import store
from memory.events.draft import draft
from memory.models import Stream, Tenant
from memory.tenancy import tenant_scope
from tests.dashboard.conftest import seen
from tests.dashboard.making import experience

USER = {"role": "user", "content": "Is order 7 paid?"}
EVENTS: list[tuple[str, dict[str, Any]]] = [
    ("message.added", {**USER, "message_id": "m1"}),
    ("llm.call", {"model": "m", "messages": [USER]}),
    ("tool.call", {"tool_call_id": "c1", "name": "look_up", "arguments": {"order": 7}}),
    ("tool.result", {"tool_call_id": "c1", "name": "look_up", "content": "paid"}),
    ("llm.call", {"model": "m", "messages": [{"role": "user", "content": "Shorter"}]}),
]


def record(tenant: Tenant, name: str, events: list[tuple[str, dict[str, Any]]]) -> None:
    with tenant_scope(tenant.pk):
        told = [draft({"type": event_type, "payload": payload}, store.limits()) for event_type, payload in events]
        store.append(name, told)


@pytest.fixture
def _runs(acme: Tenant) -> None:
    record(acme, "one", EVENTS)
    changed = ("tool.result", {"tool_call_id": "x", "name": "look_up", "content": "not paid"})
    record(acme, "other", [*EVENTS[:3], changed, *EVENTS[4:]])


@pytest.mark.usefixtures("_runs")
def test_beside_a_step_stands_its_state_unless_something_else_is_asked_for(pages: Client) -> None:
    assert "State after event 3" in seen(pages, "/runs/one/?at=3")
    assert "State after event 3" in seen(pages, "/runs/one/?at=3&panel=nonsense")
    assert "What event 3 changed" in seen(pages, "/runs/one/?at=3&panel=changes")
    assert "What event 3 changed" in seen(pages, "/runs/one/steps/3/?panel=changes")


@pytest.mark.usefixtures("_runs")
def test_what_a_step_changed_is_shown_and_nothing_else(pages: Client) -> None:
    page = seen(pages, "/runs/one/steps/3/?panel=changes")
    assert "<caption>pending tool calls</caption>" in page
    assert "<caption>messages</caption>" not in page
    assert "<caption>last event</caption>" not in page


@pytest.mark.usefixtures("_runs")
def test_a_step_is_compared_with_any_other_and_with_one_of_another_run(pages: Client) -> None:
    assert "No difference." in seen(pages, "/runs/one/steps/3/?panel=changes&against=3")
    page = seen(pages, "/runs/one/steps/4/?panel=changes&with=other&against=4")
    assert "<caption>tool results</caption>" in page
    assert "<caption>counters</caption>" not in page


@pytest.mark.usefixtures("_runs")
@pytest.mark.parametrize("query", ["with=nowhere", "against=99", "with=other&against=99", "with=%00"])
def test_what_there_is_nothing_to_compare_with_is_told(pages: Client, query: str) -> None:
    assert 'role="alert"' in seen(pages, f"/runs/one/steps/3/?panel=changes&{query}")


@pytest.mark.usefixtures("_runs")
def test_what_left_the_context_is_told_with_what_memory_made_of_it(pages: Client, acme: Tenant) -> None:
    page = seen(pages, "/runs/one/steps/5/?panel=context")
    assert "missing since" in page
    assert "not distilled" in page
    with tenant_scope(acme.pk):
        experience("Order 7 is paid.", came_from=Stream.objects.named("one"))
    assert "Order 7 is paid." in seen(pages, "/runs/one/steps/5/?panel=context")
    assert "nothing is known of what the model saw" in seen(pages, "/runs/one/steps/1/?panel=context")


@pytest.mark.usefixtures("_runs")
def test_two_runs_are_shown_with_where_they_part(pages: Client) -> None:
    page = seen(pages, "/runs/one/compare/?with=other")
    assert "After 3 steps in common, the same call was answered differently" in page
    assert "<ins>not</ins>" in page.replace("<ins>not </ins>", "<ins>not</ins>")
    assert "They do the same again at events 5 and 5" in page
    assert "They do the same" in seen(pages, "/runs/one/compare/?with=one")


@pytest.mark.usefixtures("_runs")
def test_without_another_run_those_of_the_same_task_are_offered(pages: Client) -> None:
    assert "?with=other" in seen(pages, "/runs/one/compare/")
    assert 'role="alert"' in seen(pages, "/runs/one/compare/?with=nowhere")


def test_a_run_in_which_nothing_was_done_can_be_compared(pages: Client, acme: Tenant) -> None:
    record(acme, "empty", [("agent.heartbeat", {})])
    record(acme, "one", EVENTS)
    assert "one of them ends here" in seen(pages, "/runs/one/compare/?with=empty")


@pytest.mark.usefixtures("_runs")
def test_a_step_is_taken_away_to_run_on_from_and_both_runs_tell_of_it(pages: Client, acme: Tenant) -> None:
    answer = pages.get("/runs/one/steps/3/fork/")
    assert answer["Content-Disposition"].startswith('attachment; filename="one.fork-3-')
    told = json.loads(answer.content)
    assert told["request"]["messages"] == [USER]
    lineage = told["events"][0]
    record(acme, told["stream"], [(lineage["type"], lineage["payload"])])
    assert f'href="/runs/{told["stream"]}/"' in seen(pages, "/runs/one/")
    assert 'href="/runs/one/?at=3"' in seen(pages, f"/runs/{told['stream']}/")


@pytest.mark.usefixtures("_runs")
def test_another_tenants_runs_cannot_be_compared_with(pages: Client, globex: Tenant) -> None:
    record(globex, "secret", EVENTS)
    assert "There is no stream" in seen(pages, "/runs/one/compare/?with=secret")
    assert pages.get("/runs/secret/steps/1/fork/").status_code == 404

"""The layers of memory, and the sessions, tasks and decisions that one walks down through."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from memory.events import store
from memory.layers import distilled as people
from memory.layers import session, task
from memory.models import Tenant
from memory.tenancy import tenant_scope
from memory.vocabulary import MEMORY_STREAM, Action, ExperienceStatus, Role, TaskStatus
from tests.dashboard import making
from tests.dashboard.conftest import seen
from tests.events.making import drafted

PAGES = (
    "/memory/",
    "/memory/sessions/",
    "/memory/tasks/",
    "/memory/experiences/",
    "/memory/quarantine/",
    "/memory/distillations/",
    "/memory/decisions/",
    "/settings/",
)


@pytest.mark.parametrize("path", PAGES)
def test_nobody_looks_without_logging_in(db: None, path: str) -> None:
    assert Client().get(path)["Location"] == f"/login/?next={path}"


@pytest.mark.parametrize("path", PAGES)
def test_an_empty_tenant_is_told_what_will_stand_there(pages: Client, path: str) -> None:
    seen(pages, path)


def test_nothing_is_shown_of_another_tenant(pages: Client, acme: Tenant, globex: Tenant) -> None:
    with tenant_scope(globex.pk):
        run = making.said("theirs", "secret of globex")
        making.decision(making.distillation(run), 1, reason="secret of globex")
        making.experience("secret of globex", came_from=run)
        making.experience("secret of globex", status=ExperienceStatus.QUARANTINED)
        opened = session.create("secret of globex")
        task.create(opened.pk, "u", "secret of globex")
    for path in PAGES:
        assert "secret of globex" not in seen(pages, path)


@pytest.mark.parametrize("path", PAGES)
def test_the_number_of_queries_does_not_grow_with_the_rows(
    pages: Client, acme: Tenant, path: str, django_assert_max_num_queries: Any
) -> None:
    with tenant_scope(acme.pk):
        for number in range(12):
            opened = session.create(f"user-{number}")
            session.add_messages(opened.pk, [{"role": "user", "content": "hi"}])
            task.create(opened.pk, "u", "input")
            run = making.said(f"run-{number}", "one", "two")
            distilled = making.distillation(run)
            status = (ExperienceStatus.ACTIVE, ExperienceStatus.QUARANTINED)[number % 2]
            made = making.experience(f"fact {number}", came_from=run, status=status)
            making.decision(distilled, 1)
            making.decision(distilled, 2, action=Action.INSERT, experience=made)
    with django_assert_max_num_queries(30):
        pages.get(path)


def test_each_layer_says_how_much_it_holds_and_what_was_let_go(pages: Client, acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        session.create("mara")
        run = making.said("run", "Hello there", "The tram is line 12")
        distilled = making.distillation(run, candidates=2)
        made = making.experience("The tram is line 12", tokens=6, came_from=run)
        making.decision(distilled, 1)
        making.decision(distilled, 2, action=Action.INSERT, rule="new", experience=made)
        making.decision(making.distillation(run, draft=True), 1, rule="only in a draft")
    page = seen(pages, "/memory/")
    assert '1 <span class="faint">of 100 live</span>' in page
    assert "6 tokens, 19 characters" in page
    assert "greeting" in page
    assert "only in a draft" not in page
    assert '1,000</span><span class="label">tokens read, in 2 messages' in page


def test_what_became_one_is_shown_with_why_until_and_after_it_is_deleted(pages: Client, acme: Tenant) -> None:
    assert "No experiences have become one yet." not in seen(pages, "/memory/")  # an empty memory says how it begins
    with tenant_scope(acme.pk):
        making.experience("The tram is line 12.")
        whole = making.experience("Set `proxy_pass`.", problem="nginx answers 502", kind="abstraction")
        payload = {
            "experience": whole.pk,
            "archived": [],
            "count": 3,
            "similarity": 0.8712,
            "reason": "They are alike.",
        }
        store.append(MEMORY_STREAM, [drafted("memory.consolidated", **payload)])
    page = seen(pages, "/memory/")
    assert f'href="/memory/experiences/{whole.pk}/"' in page
    assert "They are alike." in page
    assert "87 %" in page
    assert "/runs/aresweb:memory/?at=1" in page

    with tenant_scope(acme.pk):
        people.delete(whole.pk, "user:ann")
    assert "deleted since" in seen(pages, "/memory/")


def test_expired_sessions_are_counted_and_can_be_told_from_live_ones(pages: Client, acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        old = session.create("old")
        assert session.expire_due(datetime.now(UTC) + timedelta(days=2)) == [old]
        live = session.create("live")
    assert '/memory/sessions/?state=expired">1</a>' in seen(pages, "/memory/")
    assert old.pk in seen(pages, "/memory/sessions/?state=expired")
    assert live.pk not in seen(pages, "/memory/sessions/?state=expired")
    assert old.pk not in seen(pages, "/memory/sessions/?state=live")


def test_a_task_tells_which_path_it_took_and_why(pages: Client, acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        opened = session.create("mara")
        given = task.create(opened.pk, "mara", "Find the slow query")
        task.close(given.pk, TaskStatus.COMPLETED, {"answer": "an index was missing"})
        task.create(opened.pk, "mara", "Wait")
        run = making.said("run", "x")
        making.distillation(run, task_id=given.pk, mode="light", reason="short, and it succeeded")
    page = seen(pages, "/memory/tasks/")
    assert "short, and it succeeded" in page
    assert "an index was missing" in page
    assert "not distilled" in page
    assert "Wait" not in seen(pages, "/memory/tasks/?path=light")
    assert "Find the slow query" not in seen(pages, "/memory/tasks/?path=none")
    assert "Wait" not in seen(pages, "/memory/tasks/?q=index was")


def test_decisions_are_found_by_action_rule_and_text(pages: Client, acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        distilled = making.distillation(making.said("run", "a", "b"))
        making.decision(distilled, 1)
        made = making.experience("Line 12")
        candidate = {"problem": "", "solution": "Line 12", "kind": "fact", "terms": {"date": 0.1}}
        making.decision(
            distilled, 2, action=Action.MERGE, rule="adds", reason="It adds 12.", similarity=0.83, candidate=candidate,
            neighbour_text="A line", result_text="A line 12", neighbour_id=made.pk, experience=made,
        )  # fmt: skip
    dropped = seen(pages, "/memory/decisions/?action=discard&rule=greeting")
    assert "Hello there" in dropped
    assert "It adds 12." not in dropped
    merged = seen(pages, "/memory/decisions/?q=line 12")
    assert "similarity 83 %" in merged
    assert "<ins> 12</ins>" in merged
    assert "Hello there" not in merged
    assert f'href="/memory/experiences/{made.pk}/"' in merged


@pytest.mark.parametrize("query", ["?page=abc", "?page=-1", "?page=999999", "?q=%00", "?q=%25_", "?action=x&rule=y"])
@pytest.mark.parametrize("path", PAGES)
def test_no_query_breaks_a_list(pages: Client, path: str, query: str) -> None:
    assert pages.get(path + query).status_code == 200


def test_a_fragment_is_the_results_alone(pages: Client, acme: Tenant) -> None:
    for path in ("sessions", "tasks", "experiences", "distillations", "decisions"):
        answer = pages.get(f"/memory/{path}/", headers={"HX-Request": "true"})
        assert answer.content.decode().strip().startswith('<div id="results"')
        assert "HX-Request" in answer["Vary"]


def test_what_agents_wrote_stays_inert(member: Callable[..., Client], acme: Tenant) -> None:
    attack = "<script>alert(1)</script><svg onload=alert(1)> javascript:alert(1) \u202egnp.exe"
    with tenant_scope(acme.pk):
        run = making.said("run", attack)
        made = making.experience(
            attack,
            came_from=run,
            problem=attack,
            user_id=attack,
            subject=attack,
            entities=[attack],
            metadata={"a": attack},
        )
        waits = making.experience(attack, status=ExperienceStatus.QUARANTINED, came_from=run)
        distilled = making.distillation(run, error=attack, user_id=attack, rules={attack: attack})
        making.decision(
            distilled, 1, reason=attack, rule="r", candidate={"problem": attack, "solution": attack, "terms": {}},
            neighbour_text=attack + "!", neighbour_id=waits.pk, experience=made, action=Action.UPDATE,
        )  # fmt: skip
    browser = member(Role.OPERATOR)
    paths = (*PAGES, f"/memory/experiences/{made.pk}/", f"/memory/distillations/{distilled.pk}/", "/runs/run/?at=1")
    for path in paths:
        page = seen(browser, path)
        assert "<script>alert" not in page
        assert "<svg onload" not in page
        assert 'href="javascript' not in page

"""Agents and the story of a crash, as far as no browser is needed."""

from typing import Any

import pytest
from django.test import Client

from dashboard import compare
from memory import recovery
from memory.flight.diff import Pair, Section
from memory.models import Tenant
from memory.tenancy import tenant_scope
from tests.dashboard.test_views import record

START = ("agent.started", {"agent_id": "ops"})
TASK = ("task.created", {"task_id": "t", "input": "mend it"})
CRASH = ("agent.crashed", {"error": "out of memory"})


@pytest.mark.parametrize("path", ["/agents/", "/runs/x/crash/"])
def test_nobody_looks_without_logging_in(db: None, path: str) -> None:
    assert Client().get(path)["Location"] == f"/login/?next={path}"


def test_agents_are_listed_and_those_in_trouble_come_first_and_on_the_overview(
    pages: Client, acme: Tenant, globex: Tenant
) -> None:
    record(acme, "bad", START, TASK, CRASH)
    record(acme, "good", ("agent.stopped", {"agent_id": "batch"}))
    record(globex, "theirs", ("agent.started", {"agent_id": "stranger"}))
    listed = pages.get("/agents/").content.decode()
    assert 0 < listed.index(">ops<") < listed.index(">batch<")
    assert "stranger" not in listed
    overview = pages.get("/").content.decode()
    assert "/runs/bad/crash/" in overview
    assert "It stopped" not in overview


def test_many_agents_come_in_pages_and_each_page_asks_the_database_as_often_as_a_short_one(
    pages: Client, acme: Tenant, django_assert_max_num_queries: Any
) -> None:
    for n in range(60):
        name = f"agent-{n:02d}"
        record(acme, f"run-{n}", ("agent.started", {"agent_id": name}), TASK, CRASH)
    with django_assert_max_num_queries(20):
        first = pages.get("/agents/").content.decode()
    second = pages.get("/agents/?page=2").content.decode()
    assert (first.count('class="run-link'), second.count('class="run-link')) == (50, 10)
    assert "1 to 50 of 60 agents" in first
    assert "51 to 60 of 60 agents" in second
    with django_assert_max_num_queries(30):
        assert pages.get("/").content.decode().count("Crash story") == 8


def test_an_agent_that_is_restored_again_and_again_is_on_the_overview_though_it_runs(
    pages: Client, acme: Tenant
) -> None:
    record(acme, "run", START, TASK)
    with tenant_scope(acme.pk):
        for _ in range(10):
            recovery.recover("ops")
    record(acme, "run", ("message.added", {"role": "assistant", "content": "on it"}))
    assert ">flapping<" in pages.get("/").content.decode()


def test_a_run_links_to_its_story_only_if_it_has_one(pages: Client, acme: Tenant) -> None:
    record(acme, "bad", START, TASK, CRASH)
    record(acme, "good", START, TASK)
    assert "/runs/bad/crash/" in pages.get("/runs/bad/").content.decode()
    assert "/runs/good/crash/" not in pages.get("/runs/good/").content.decode()
    assert "never broke off" in pages.get("/runs/good/crash/").content.decode()


def test_a_story_is_told_and_one_that_is_not_there_is_not_found(pages: Client, acme: Tenant, globex: Tenant) -> None:
    record(acme, "bad", START, TASK, CRASH)
    with tenant_scope(acme.pk):
        recovery.recover("ops")
    record(globex, "theirs", CRASH)
    told = pages.get("/runs/bad/crash/").content.decode()
    for text in ("out of memory", "mend it", "events replayed", "Nothing of the work was lost.", "is-different"):
        assert text in told
    assert pages.get("/runs/bad/crash/?break=3").status_code == 200
    assert pages.get("/runs/bad/crash/?break=x").status_code == 200
    assert pages.get("/runs/bad/crash/?break=2").status_code == 404
    assert pages.get("/runs/theirs/crash/").status_code == 404


def test_much_that_was_open_and_many_recoveries_are_folded_away_behind_the_newest(pages: Client, acme: Tenant) -> None:
    record(acme, "bad", START, *(("step.started", {"step": f"step {n}"}) for n in range(14)), CRASH)
    with tenant_scope(acme.pk):
        for _ in range(3):
            recovery.recover("ops")
    told = pages.get("/runs/bad/crash/").content.decode()
    assert "<summary>4 more</summary>" in told
    assert "<summary>2 earlier recoveries, with no work since then</summary>" in told
    assert told.index("?at=19") < told.index("2 earlier recoveries") < told.index("?at=17")


def test_parts_hold_what_differs_apart_and_leave_out_what_neither_state_has() -> None:
    item = {"version": 7, "role": "user", "content": "hello", "omitted": 0}
    made = compare.parts([
        Section("version", [Pair("version", 1, 2)]),
        Section("open_steps", []),
        Section("messages", [Pair("event 7", item, item), Pair("event 9", None, {**item, "content": "x" * 900})]),
        Section("session", [Pair("user_id", None, None)]),
    ])  # fmt: skip
    [part] = made
    assert (part.name, part.same) == ("messages", [compare.Row("event 7", "user · hello", "user · hello")])
    [row] = part.different
    assert (row.before, len(row.after)) == ("", compare.TEXT_LENGTH)


@pytest.mark.parametrize(
    ("payload", "pairs"),
    [
        ({}, []),
        ({"proof": 7, "missing": "x"}, []),
        ({"proof": {"to_version": 3, "gone": None, "milliseconds": {"read": 1.5}}}, [("to version", "3"), ("milliseconds", "read 1.5")]),
        ({"proof": {"a": 1, "to_version": 3, "verified": True}}, [("verified", "true"), ("to version", "3"), ("a", "1")]),
        ({"proof": {"milliseconds": 4}, "missing": [{"part": "cognitive", "reason": "slow"}, 3]}, [("missing: cognitive", "slow")]),
    ],
)  # fmt: skip
def test_a_proof_of_any_shape_is_shown(payload: dict[str, Any], pairs: list[tuple[str, str]]) -> None:
    assert compare.proof_pairs(payload) == pairs

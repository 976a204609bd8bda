"""`/distillations`, and those of tasks and sessions."""

from typing import Any

import pytest

from memory import worker
from memory.models import Distillation, Tenant
from memory.tenancy import tenant_scope
from memory.vocabulary import Queue
from tests import tables
from tests.api.conftest import ApiClient

pytestmark = pytest.mark.django_db(transaction=True)
NGINX = [
    {"role": "user", "content": "Our nginx returns 502 Bad Gateway for /api, what is wrong?"},
    {"role": "assistant", "content": "Set `proxy_pass http://127.0.0.1:9000;` and reload nginx."},
    {"role": "user", "content": "Thanks!"},
]


@pytest.fixture
def session(api: ApiClient) -> str:
    opened = api.post("/sessions", {"user_id": "ann", "agent_id": "ops"}).json()["id"]
    assert api.post(f"/sessions/{opened}/messages", NGINX).status_code == 201
    return str(opened)


@pytest.fixture
def task(api: ApiClient, session: str) -> str:
    return str(api.post("/tasks", {"session_id": session, "input": "say hi"}).json()["id"])


def work(tenant: Tenant) -> None:
    worker.work(tenant.pk, Queue.DISTILLATION)


def test_a_session_is_distilled_in_the_background_and_tells_what_came_of_it(
    api: ApiClient, acme: Tenant, session: str
) -> None:
    asked = api.post(f"/sessions/{session}/distillations")
    assert (asked.status_code, asked.json()["status"], asked.json()["requested_by"]) == (202, "pending", "key:tests")
    path = f"/distillations/{asked.json()['id']}"
    assert api.get(path).json()["decisions"] == []

    work(acme)

    done = api.get(path).json()
    assert (done["status"], done["messages"], done["candidates"]) == ("completed", 3, 1)
    [decision] = done["decisions"]
    [experience] = done["experiences"]
    assert (decision["action"], decision["experience_id"]) == ("insert", experience["id"])
    assert "proxy_pass" in experience["solution"]
    assert all(each["stage"] == "filter" and each["reason"] for each in done["dropped"])
    told = api.get(f"/streams/{session}/events").json()["results"][-1]
    assert (told["type"], told["payload"]["experiences"]) == ("memory.distilled", [experience["id"]])


def test_asking_twice_before_it_is_done_asks_once(api: ApiClient, session: str) -> None:
    first, second = (api.post(f"/sessions/{session}/distillations").json()["id"] for _ in range(2))
    assert first == second


def test_the_light_path_is_done_at_once_and_tells_the_stream(api: ApiClient, session: str, task: str) -> None:
    api.patch(f"/tasks/{task}", {"status": "completed", "output": "hi"})
    packed = api.post(f"/tasks/{task}/distillations", {"mode": "light"})
    assert (packed.status_code, packed.json()["status"], packed.json()["mode"]) == (201, "completed", "light")
    shown = api.get(f"/distillations/{packed.json()['id']}").json()
    assert shown["decisions"][0]["candidate"] == {"input": "say hi", "output": "hi", "status": "completed"}
    assert shown["experiences"] == []
    assert api.get(f"/streams/{session}/events").json()["results"][-1]["payload"]["task_id"] == task


def test_the_full_path_is_queued_and_without_a_wish_the_policy_chooses_and_says_why(api: ApiClient, task: str) -> None:
    full = api.post(f"/tasks/{task}/distillations", {"mode": "full"})
    assert (full.status_code, full.json()["status"], full.json()["reason"]) == (202, "pending", "It was asked for.")
    chosen = api.post(f"/tasks/{task}/distillations", {})
    assert (chosen.status_code, chosen.json()["reason"]) == (201, "The task is still open.")


def test_distillations_are_listed_by_what_they_are_of(api: ApiClient, acme: Tenant, session: str, task: str) -> None:
    api.post(f"/sessions/{session}/distillations")
    api.post(f"/tasks/{task}/distillations", {"mode": "light"})

    def count(query: str) -> int:
        return len(api.get(f"/distillations?{query}").json()["results"])

    assert (count(""), count("status=pending"), count(f"task_id={task}"), count(f"session_id={session}")) == (
        2,
        1,
        1,
        2,
    )
    assert count("task_id=%00") == 0
    for query in ("status=gone", "limit=0", "cursor=x"):
        assert api.get(f"/distillations?{query}").status_code == 400


def test_a_draft_is_shown_accepted_or_thrown_away(api: ApiClient, acme: Tenant, session: str) -> None:
    def draft() -> str:
        body = {"draft": True, "rules": {"ARES_NEW_BELOW": 0.5}}
        made = api.post(f"/sessions/{session}/distillations", body)
        assert (made.status_code, made.json()["rules"]) == (202, {"ARES_NEW_BELOW": 0.5})
        work(acme)
        return f"/distillations/{made.json()['id']}"

    thrown = draft()
    assert api.delete(thrown).json()["rows"]["experiences"] == 1
    assert api.get(thrown).status_code == 404
    kept = draft()
    assert api.get("/experiences").json()["results"] == []
    accepted = api.post(f"{kept}/acceptances")
    assert accepted.status_code == 201
    [made] = api.get("/experiences").json()["results"]
    assert accepted.json() == {"added": [made["id"]], "gone": [], "changed": []}
    assert (api.post(f"{kept}/acceptances").status_code, api.delete(kept).status_code) == (409, 409)


@pytest.mark.parametrize(
    "body",
    [
        {"draft": "yes"}, {"draft": 1}, {"rules": {}, "more": 1}, {"rules": []}, {"draft": True, "rules": {"x": 1}},
        {"draft": True, "rules": {"ARES_NEW_BELOW": 7}}, {"rules": {"ARES_NEW_BELOW": 0.5}}, [], "x",
        {"draft": True, "rules": {"ARES_NEW_BELOW": "a\u0000"}}, {"draft": True, "rules": {"ARES_NEW_BELOW": {}}},
    ],
)  # fmt: skip
def test_a_request_that_is_none_is_refused_and_nothing_is_queued(api: ApiClient, session: str, body: Any) -> None:
    before = tables.row_counts()
    assert api.post(f"/sessions/{session}/distillations", body).status_code == 400
    assert tables.row_counts() == before


@pytest.mark.parametrize("mode", ["", "deep", 1, True, [], {}])
def test_a_mode_that_is_none_is_refused(api: ApiClient, task: str, mode: Any) -> None:
    before = tables.row_counts()
    assert api.post(f"/tasks/{task}/distillations", {"mode": mode}).status_code == 400
    assert tables.row_counts() == before


def test_another_tenants_are_not_there(
    api: ApiClient, stranger: ApiClient, nobody: ApiClient, acme: Tenant, session: str, task: str
) -> None:
    made = api.post(f"/sessions/{session}/distillations").json()["id"]
    for method, path in (
        ("POST", f"/sessions/{session}/distillations"), ("POST", f"/tasks/{task}/distillations"), ("GET", f"/distillations/{made}"),
        ("DELETE", f"/distillations/{made}"), ("POST", f"/distillations/{made}/acceptances"),
    ):  # fmt: skip
        body = {} if method == "POST" and not path.endswith("acceptances") else None
        assert stranger.call(method, path, body).status_code == 404, path
        assert nobody.call(method, path, body).status_code == 401, path
    assert stranger.get("/distillations").json()["results"] == []
    with tenant_scope(acme.pk):
        assert Distillation.objects.count() == 1
    for name in ("%00", "x" * 300, "..", "dist_none"):
        assert api.get(f"/distillations/{name}").status_code == 404

"""`/experiences`: listed, shown, changed, judged, merged, split, taken back, deleted."""

from datetime import timedelta
from typing import Any

import pytest

from memory.models import Experience, QueueItem, Tenant
from memory.tenancy import tenant_scope
from tests import tables
from tests.api.conftest import ApiClient
from tests.dashboard import making
from tests.layers.test_reshaping import made

HOSTILE = ["", "%00", "x" * 300, "exp_%00", "..", "%25", "'"]


def put(tenant: Tenant, solution: str, **fields: Any) -> str:
    with tenant_scope(tenant.pk):
        return made(solution, **fields).pk


def texts(response: Any) -> list[str]:
    assert response.status_code == 200, response.content
    return [each["solution"] for each in response.json()["results"]]


def test_an_experience_is_shown_with_what_it_rests_on(api: ApiClient, acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        pk = made("It is line 9.", problem="Which line?", came_from=making.said("run", "x")).pk
    shown = api.get(f"/experiences/{pk}").json()
    assert (shown["id"], shown["text"], shown["kind"], shown["status"]) == (
        pk, "Which line?\nIt is line 9.", "fact", "active",
    )  # fmt: skip
    assert [(each["stream_name"], each["event_version"]) for each in shown["sources"]] == [("run", 1)]


def test_a_list_holds_what_every_filter_lets_through(api: ApiClient, acme: Tenant) -> None:
    put(acme, "It is line 9.", confidence=0.9)
    put(acme, "I live in Oslo.", kind="profile", user_id="ann")
    put(acme, "Packed by a model.", method="summary")
    put(acme, "Always send it.", status="quarantined")
    put(acme, "A try.", status="draft")

    assert len(texts(api.get("/experiences"))) == 4
    for query, expected in {
        "kind=profile": ["I live in Oslo."],
        "method=summary": ["Packed by a model."],
        "status=quarantined": ["Always send it."],
        "status=draft": ["A try."],
        "user_id=ann": ["I live in Oslo."],
        "min_confidence=0.9": ["It is line 9."],
        "q=LINE": ["It is line 9."],
        "q=%25": [],
        "kind=fact&user_id=ann": [],
        "user_id=%00": [],
        "q=%00": [],
    }.items():
        assert texts(api.get(f"/experiences?{query}")) == expected, query


@pytest.mark.parametrize(
    "query",
    [
        "kind=novel", "method=x", "status=gone", "kind=%00", "min_confidence=2", "min_confidence=nan", "min_confidence=-0.1", "limit=0",
        "limit=x", "limit=100000", "cursor=x", "cursor=" + "9" * 500,
    ],
)  # fmt: skip
def test_a_query_that_is_none_is_refused(api: ApiClient, acme: Tenant, query: str) -> None:
    response = api.get(f"/experiences?{query}")
    assert response.status_code == 400, response.content
    assert response["Content-Type"] == "application/problem+json"


def test_pages_follow_each_other_and_hold_each_experience_once(api: ApiClient, acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        for number in range(7):
            changed_at = making.NOW + timedelta(seconds=number // 2)
            Experience.objects.filter(pk=made(f"Line {number}").pk).update(updated_at=changed_at)
    found, path = [], "/experiences?limit=3"
    while path:
        page = api.get(path)
        found += texts(page)
        path = (page.json()["next"] or "").partition("/api/v1")[2]
    assert sorted(found) == [f"Line {number}" for number in range(7)]
    assert found[0] == "Line 6"


def test_a_change_is_kept_with_who_made_it(api: ApiClient, acme: Tenant) -> None:
    pk = put(acme, "It is line 9.")
    changed = api.patch(f"/experiences/{pk}", {"solution": "It is line 12.", "pinned": True})
    assert (changed.status_code, changed.json()["solution"], changed.json()["revision"]) == (200, "It is line 12.", 2)
    newest, first = api.get(f"/experiences/{pk}/revisions").json()["results"]
    assert (newest["change"], newest["actor"], newest["before"]["solution"]) == ("edit", "key:tests", "It is line 9.")
    assert (first["number"], first["before"]) == (1, None)
    with tenant_scope(acme.pk):
        assert QueueItem.objects.get().subject_id == pk


@pytest.mark.parametrize(
    "body",
    [
        {"solution": ""}, {"solution": "  "}, {"solution": None}, {"solution": 5}, {"solution": "x" * 20_001}, {"confidence": 1.1},
        {"confidence": "1"}, {"confidence": True}, {"confidence": None}, {"kind": "novel"}, {"kind": []}, {"status": "draft"},
        {"status": "superseded"}, {"pinned": "yes"}, {"pinned": None}, {"user_id": "bob"}, {"id": "x"}, {"subject": ["x"]},
        {"subject": "x" * 201}, [], "x",
    ],
)  # fmt: skip
def test_a_change_that_is_none_is_refused_and_changes_nothing(api: ApiClient, acme: Tenant, body: Any) -> None:
    pk = put(acme, "It is line 9.")
    before = tables.row_counts()
    response = api.patch(f"/experiences/{pk}", body)
    assert response.status_code == 400 or (response.status_code == 413 and "x" * 200 in str(body)), response.content
    assert tables.row_counts() == before
    assert api.get(f"/experiences/{pk}").json()["revision"] == 1


def test_what_is_shared_cannot_become_personal(api: ApiClient, acme: Tenant) -> None:
    pk = put(acme, "Reload nginx.", kind="solution")
    assert api.patch(f"/experiences/{pk}", {"kind": "preference"}).status_code == 409


def test_archiving_releasing_and_taking_back(api: ApiClient, acme: Tenant) -> None:
    pk = put(acme, "It is line 9.")
    assert api.patch(f"/experiences/{pk}", {"status": "archived"}).json()["status"] == "archived"
    undone = api.post(f"/experiences/{pk}/reversions")
    assert (undone.status_code, undone.json()["status"]) == (201, "active")
    waiting = put(acme, "Always send it.", status="quarantined")
    assert api.patch(f"/experiences/{waiting}", {"status": "active"}).json()["status"] == "active"
    assert api.post(f"/experiences/{put(acme, 'new')}/reversions").status_code == 409


def test_a_verdict_moves_confidence_once_for_one_idempotency_key(api: ApiClient, acme: Tenant) -> None:
    pk = put(acme, "It is line 9.", confidence=0.5)
    for _ in range(2):
        judged = api.post(f"/experiences/{pk}/feedback", {"verdict": "helpful", "note": "yes"}, Idempotency_Key="one")
        assert (judged.status_code, judged.json()["confidence"], judged.json()["helpful"]) == (201, 0.6, 1)
    assert api.post(f"/experiences/{pk}/feedback", {"verdict": "harmful"}).json()["confidence"] == 0.5
    for body in ({}, {"verdict": "so-so"}, {"verdict": "helpful", "note": 5}, {"verdict": "helpful", "more": 1}):
        assert api.post(f"/experiences/{pk}/feedback", body).status_code == 400


def test_two_are_merged_and_one_is_split(api: ApiClient, acme: Tenant) -> None:
    kept, other = put(acme, "It is line 9."), put(acme, "It stops here.")
    merged = api.post(f"/experiences/{kept}/merges", {"other_id": other})
    assert (merged.status_code, merged.json()["solution"]) == (201, "It is line 9.\nIt stops here.")
    parts = api.post(f"/experiences/{kept}/splits", {"parts": [{"solution": "Line 9."}, {"solution": "A stop."}]})
    assert (parts.status_code, [each["solution"] for each in parts.json()]) == (201, ["Line 9.", "A stop."])
    for path, body, status in (
        ("merges", {"other_id": kept}, 400), ("merges", {"other_id": 5}, 400), ("merges", {}, 400),
        ("merges", {"other_id": "exp_none"}, 404), ("merges", {"other_id": "a\u0000"}, 400), ("splits", {"parts": "ab"}, 400),
        ("splits", {}, 400), ("splits", {"parts": [{"solution": "a"}]}, 400),
    ):  # fmt: skip
        answer = api.post(f"/experiences/{kept}/{path}", body)
        assert answer.status_code in (status, 404 if path == "merges" else status), (path, body, answer.content)


def test_deleting_gives_a_receipt_and_leaves_nothing_not_even_an_answer_that_was_kept(
    api: ApiClient, acme: Tenant
) -> None:
    pk = put(acme, "zebra-9000 is line 9.", problem="Which line?")
    api.post(f"/experiences/{pk}/feedback", {"verdict": "helpful"}, Idempotency_Key="one")
    assert "memory_idempotencykey" in tables.holding("zebra-9000")

    receipt = api.delete(f"/experiences/{pk}").json()

    assert (receipt["id"], receipt["rows"]["experiences"], receipt["rows"]["revisions"]) == (pk, 1, 2)
    assert tables.holding("zebra-9000") == []
    assert api.get(f"/experiences/{pk}").status_code == 404


CALLS = [
    ("GET", "", None), ("PATCH", "", {"pinned": True}), ("DELETE", "", None), ("GET", "/revisions", None),
    ("POST", "/feedback", {"verdict": "helpful"}), ("POST", "/reversions", None), ("POST", "/merges", {"other_id": "exp_1"}),
    ("POST", "/splits", {"parts": [{"solution": "a"}, {"solution": "b"}]}),
]  # fmt: skip


@pytest.mark.parametrize(("method", "path", "body"), CALLS)
def test_another_tenants_experience_is_not_there(
    api: ApiClient, stranger: ApiClient, nobody: ApiClient, acme: Tenant, method: str, path: str, body: Any
) -> None:
    pk = put(acme, "It is line 9.")
    assert stranger.call(method, f"/experiences/{pk}{path}", body).status_code == 404
    assert nobody.call(method, f"/experiences/{pk}{path}", body).status_code == 401
    for name in HOSTILE:
        assert api.call(method, f"/experiences/{name}{path}", body).status_code in (404, 405), name
    with tenant_scope(acme.pk):
        assert Experience.objects.get().revision == 1
    assert texts(stranger.get("/experiences")) == []

"""Search, knowledge and tools over HTTP."""

from typing import Any

import pytest

from memory.models import Experience, QueueItem, Tenant
from memory.tenancy import tenant_scope
from tests.api.conftest import ApiClient
from tests.retrieval.making import embedded, experience

DOCUMENT = {"title": "Runbook", "text": "Prune containers when the disk is full.", "metadata": {"big": 2**70}}
TOOL = {"name": "prune", "description": "Frees disk space.", "schema": {"type": "object"}}


def test_a_document_is_kept_shown_listed_found_and_deleted(api: ApiClient, stranger: ApiClient) -> None:
    kept = api.post("/knowledge", DOCUMENT)
    assert kept.status_code == 201
    document = kept.json()
    assert document["id"].startswith("know_")
    assert (document["metadata"], document["embedding_status"]) == ({"big": 2**70}, "pending")
    assert api.get(f"/knowledge/{document['id']}").json() == document
    assert api.get("/knowledge").json()["results"] == [document]
    assert stranger.get("/knowledge").json()["results"] == []
    assert stranger.get(f"/knowledge/{document['id']}").status_code == 404
    assert stranger.delete(f"/knowledge/{document['id']}").status_code == 404
    [hit] = api.post("/search", {"query": "containers", "plan": {"vector_weight": 0}}).json()["results"]
    assert (hit["source"], hit["id"], hit["text"]) == ("knowledge", document["id"], DOCUMENT["text"])
    assert hit["provenance"]["metadata"] == {"big": 2**70}
    assert api.delete(f"/knowledge/{document['id']}").status_code == 204
    assert api.get("/knowledge").json()["results"] == []
    assert api.post("/search", {"query": "containers"}).json()["results"] == []


def test_a_tool_is_kept_and_replaced_shown_listed_found_and_deleted(api: ApiClient) -> None:
    kept = api.post("/tools", TOOL)
    assert kept.status_code == 201
    again = api.post("/tools", {**TOOL, "description": "Frees space on disks."})
    assert (again.status_code, again.json()["id"]) == (200, kept.json()["id"])
    tool = again.json()
    assert api.get(f"/tools/{tool['id']}").json() == tool
    assert api.get("/tools").json()["results"] == [tool]
    [hit] = api.post("/search", {"query": "prune", "plan": {"vector_weight": 0}}).json()["results"]
    assert (hit["source"], hit["provenance"]) == ("tool", {"name": "prune", "schema": TOOL["schema"]})
    assert api.delete(f"/tools/{tool['id']}").status_code == 204
    assert api.get(f"/tools/{tool['id']}").status_code == 404


@pytest.mark.parametrize(("path", "body"), [("/knowledge", DOCUMENT), ("/tools", TOOL)])
def test_lists_have_filters_and_pages(api: ApiClient, path: str, body: dict[str, Any]) -> None:
    name = "title" if path == "/knowledge" else "name"
    ids = [api.post(path, {**body, name: f"n{number}"}).json()["id"] for number in range(5)]

    def listed(query: str) -> list[str]:
        return [row["id"] for row in api.get(f"{path}?{query}").json()["results"]]

    assert listed("") == ids[::-1]
    assert listed("q=N3") == [ids[3]]
    assert listed("q=none") == []
    assert listed("embedding_status=pending&limit=2") == ids[:-3:-1]
    assert listed("embedding_status=completed") == []
    page = api.get(f"{path}?limit=2").json()
    following = api.client.get(page["next"], headers=api.headers).json()
    assert [row["id"] for row in following["results"]] == [ids[2], ids[1]]
    for query in ("embedding_status=x", "q=%00", "limit=0", "cursor=x", f"q={'x' * 501}"):
        assert api.get(f"{path}?{query}").status_code == 400, query


def test_an_answer_has_every_part_of_the_score(api: ApiClient, acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        made = experience("Delete the old logs.", user_id="ann", metadata={"team": 1})
        embedded(made)
    answer = api.post("/search", {"query": "old logs", "filters": {"user_id": "ann", "metadata": {"team": 1}}}).json()
    [hit] = answer["results"]
    assert hit["score"] == pytest.approx(sum(hit["scores"].values()))
    assert {"vector", "lexical", "neighbours", "names", "recency", "use", "feedback"} == hit["scores"].keys()
    assert hit["raw"].keys() == {"vector", "lexical"}
    assert answer["missing"] == {}
    assert api.post("/search", {"query": "old logs", "filters": {"user_id": "bob"}}).json()["results"] == []


@pytest.mark.django_db(transaction=True)
def test_a_recall_in_a_sessions_name_is_recorded_and_its_use_noted_by_the_worker(
    api: ApiClient, acme: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("django_q.conf.Conf.SYNC", True)
    session = api.post("/sessions", {"user_id": "ann"}).json()["id"]
    with tenant_scope(acme.pk):
        made = experience("Delete the old logs.")
    assert api.post("/search", {"query": "logs", "stream": session}).json()["results"][0]["id"] == made.pk
    events = api.get(f"/streams/{session}/events").json()["results"]
    assert [event["type"] for event in events] == ["session.created", "memory.recalled"]
    with tenant_scope(acme.pk):
        assert Experience.objects.get().uses == 1
        assert not QueueItem.objects.exists()


@pytest.mark.parametrize(
    "body",
    [
        {}, {"query": ""}, {"query": 5}, {"query": "x", "limit": 0}, {"query": "x", "limit": 101}, {"query": "x", "plan": []},
        {"query": "x", "plan": {"x": 1}}, {"query": "x", "filters": {"kind": "x"}}, {"query": "x", "more": 1},
    ],
)  # fmt: skip
def test_what_cannot_be_searched_for_is_refused(api: ApiClient, body: dict[str, Any]) -> None:
    assert api.post("/search", body).status_code == 400


def test_a_query_that_is_too_long_is_told_how_long_it_may_be(api: ApiClient) -> None:
    refused = api.post("/search", {"query": "x" * 2**20})
    assert (refused.status_code, refused.json()["limit"]) == (413, 20_000)
    assert api.post("/search", {"query": "x", "stream": "nothing"}).status_code == 404


def test_nobodys_own_memory_is_shown_to_who_forgets_the_filter(api: ApiClient, acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        anns = experience("Ann: I keep the old logs.", user_id="ann", kind="fact").pk
        shared = experience("Delete the old logs.").pk

    def found(**filters: Any) -> set[str]:
        body = {"query": "old logs", "plan": {"vector_weight": 0}, "filters": filters}
        return {hit["id"] for hit in api.post("/search", body).json()["results"]}

    assert found() == found(user_id="bob") == found(kind=["fact", "solution"]) == {shared}
    assert found(user_id="ann") == found(all_users=True) == {anns, shared}
    assert api.post("/search", {"query": "x", "filters": {"all_users": True, "user_id": "ann"}}).status_code == 400


def test_a_context_takes_a_plan_as_a_search_does(api: ApiClient, acme: Tenant) -> None:
    session = api.post("/sessions", {"user_id": "ann"}).json()["id"]
    with tenant_scope(acme.pk):
        embedded(experience("Delete the old logs."))

    def recalled(plan: Any) -> Any:
        answer = api.post(f"/sessions/{session}/context", {"input": "hello", "plan": plan})
        return len(answer.json()["experiences"]) if answer.status_code == 200 else answer.status_code

    assert [recalled(None), recalled({"relevance_floor": 0}), recalled({"x": 1})] == [0, 1, 400]

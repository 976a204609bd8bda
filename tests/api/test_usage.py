"""`GET /usage/savings`, `GET /usage/entries` and `POST /sessions/{id}/context`."""

from typing import Any

import pytest

from tests.api.conftest import ApiClient


@pytest.fixture
def run(api: ApiClient) -> str:
    """A session with a context and a call of a model."""
    opened: str = api.post("/sessions", {"user_id": "ann", "agent_id": "ops"}).json()["id"]
    said = [{"role": ("user", "assistant")[n % 2], "content": f"Message {n} of many."} for n in range(30)]
    api.post(f"/sessions/{opened}/messages", said)
    answer = api.post(f"/sessions/{opened}/context", {"input": "And now?", "model": "gpt-4o", "top_k": 0})
    assert answer.status_code == 200, answer.content
    usage = {"input_tokens": 90, "output_tokens": 5}
    api.post(
        f"/streams/{opened}/events",
        {"events": [{"type": "llm.response", "payload": {"model": "gpt-4o", "usage": usage}}]},
    )
    return opened


def follow(api: ApiClient, address: str) -> Any:
    return api.get(address.partition("/api/v1")[2]).json()


def test_a_context_is_answered_with_its_tokens_and_what_it_leaves_out(api: ApiClient, run: str) -> None:
    told = api.post(
        f"/sessions/{run}/context", {"input": "And now?", "max_tokens": 40, "shape": "messages", "top_k": 0}
    ).json()
    assert [message["role"] for message in told["context"]] == [message["role"] for message in told["messages"]] + [
        "user"
    ]
    assert told["tokens"]["raw"] - told["tokens"]["sent"] == told["tokens"]["saved"] > 0
    assert told["tokens"]["sent"] <= 40
    assert [left["what"] for left in told["left_out"]] == ["messages", "messages"]
    assert (told["experiences"], told["missing"], told["method"], told["is_exact"]) == ([], {}, "window", False)
    event = api.get(f"/streams/{run}/events?from_version={told['event_version']}").json()["results"][0]
    assert (event["type"], event["payload"]["tokens"]) == ("context.built", told["tokens"])


def test_a_context_asks_memory_and_says_what_it_found(api: ApiClient, run: str, in_acme: Any) -> None:
    from memory.models import Experience
    from tests import tables

    known = tables.fill_distilled(in_acme)
    assert Experience.objects.get() == known
    told = api.post(f"/sessions/{run}/context", {"input": "The disk is full again"}).json()
    assert set(told["missing"]) <= {"vector"}
    assert told["tokens"]["sent"] <= 4000


@pytest.mark.parametrize(
    "body",
    [
        {},
        [],
        {"input": 7},
        {"input": "x", "max_tokens": 0},
        {"input": "x", "limit": 3},
        {"input": "a" * 999, "max_tokens": 9},
    ],
)
def test_a_wrong_body_is_refused_and_changes_nothing(api: ApiClient, run: str, body: Any) -> None:
    before = api.get(f"/streams/{run}/events?limit=1000").json()["results"]
    assert api.post(f"/sessions/{run}/context", body).status_code == 400
    assert api.get(f"/streams/{run}/events?limit=1000").json()["results"] == before


def test_another_tenants_session_has_no_context_and_its_tokens_do_not_show(stranger: ApiClient, run: str) -> None:
    assert stranger.post(f"/sessions/{run}/context", {"input": "hi"}).status_code == 404
    assert stranger.get("/usage/savings").json()["totals"]["contexts"] == 0
    assert stranger.get("/usage/entries").json()["results"] == []


@pytest.mark.parametrize("by", ["day", "agent", "method", "model"])
def test_savings_add_up_and_lead_down_to_the_events(api: ApiClient, run: str, by: str) -> None:
    told = api.get(f"/usage/savings?by={by}").json()
    whole = told["totals"]
    assert (whole["contexts"], whole["calls"], whole["input"], whole["output"]) == (1, 1, 90, 5)
    assert whole["raw"] - whole["sent"] == whole["saved"] > 0
    for name in ("raw", "sent", "saved", "input", "contexts"):
        assert sum(row[name] for row in told["results"]) == whole[name]
    for row in told["results"]:
        entries = follow(api, row["entries"])["results"]
        assert sum(each["saved_tokens"] for each in entries if each["kind"] == "context") == row["saved"]
        assert sum(each["input_tokens"] for each in entries) == row["input"]
        for each in entries:
            [event] = follow(api, each["event"])["results"]
            assert (event["version"], event["stream"]) == (each["version"], run)
            assert event["type"] == {"context": "context.built", "call": "llm.response"}[each["kind"]]


def test_money_is_a_text_and_null_where_no_price_is_known(api: ApiClient, run: str) -> None:
    assert api.get("/usage/savings").json()["totals"]["cost"] == "0.000275000000"
    events = [{"type": "llm.response", "payload": {"model": "homemade", "usage": {"input_tokens": 7}}}]
    api.post("/streams/other/events", {"events": events})
    told = api.get("/usage/savings?run=other").json()["totals"]
    assert (told["cost"], told["unpriced_calls"], told["input"]) == (None, 1, 7)


def test_entries_come_in_pages(api: ApiClient, run: str) -> None:
    page = api.get("/usage/entries?limit=1").json()
    assert [each["kind"] for each in page["results"]] == ["call"]
    assert [each["kind"] for each in follow(api, page["next"])["results"]] == ["context"]


@pytest.mark.parametrize("query", ["by=hour", "since=soon", "day=2026-02-30", "source=guessed"])
def test_what_cannot_be_added_up_by_is_refused(api: ApiClient, query: str) -> None:
    assert api.get(f"/usage/savings?{query}").status_code == 400

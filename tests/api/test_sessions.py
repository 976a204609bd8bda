"""`POST /sessions`, `GET` and `DELETE /sessions/{id}`."""

import re
from datetime import datetime, timedelta

from memory.models import Session
from tests import tables
from tests.api.conftest import ApiClient


def test_a_session_is_opened_and_shown(api: ApiClient) -> None:
    response = api.post("/sessions", {"user_id": "ann", "agent_id": "helper", "metadata": {"b": 2**70, "a": "é"}})
    assert (response.status_code, response["Content-Type"]) == (201, "application/json")
    shown = response.json()
    assert re.fullmatch(r"sess_[0-9a-f]{24}", shown["id"])
    assert {name: shown[name] for name in ("user_id", "agent_id", "metadata", "stream", "status", "message_count")} == {
        "user_id": "ann", "agent_id": "helper", "metadata": {"b": 2**70, "a": "é"}, "stream": shown["id"], "status": "live",
        "message_count": 0,
    }  # fmt: skip
    created, expires = (datetime.fromisoformat(shown[name]) for name in ("created_at", "expires_at"))
    assert (expires - created, created.utcoffset()) == (timedelta(hours=24), timedelta())
    assert api.get(f"/sessions/{shown['id']}").json() == shown


def test_only_the_user_is_needed(api: ApiClient) -> None:
    shown = api.post("/sessions", {"user_id": "ann"}).json()
    assert (shown["agent_id"], shown["metadata"]) == ("", {})


def test_the_stream_of_a_session_begins_with_its_creation(api: ApiClient) -> None:
    session = api.post("/sessions", {"user_id": "ann"}).json()
    events = api.get(f"/streams/{session['stream']}/events").json()["results"]
    assert [(event["type"], event["payload"]["user_id"]) for event in events] == [("session.created", "ann")]


def test_a_session_whose_time_is_over_is_shown_as_expired_even_before_the_job_has_run(
    api: ApiClient, in_acme: object
) -> None:
    session = api.post("/sessions", {"user_id": "ann"}).json()["id"]
    opened = Session.objects.with_id(session)
    Session.objects.update(expires_at=opened.created_at)
    assert api.get(f"/sessions/{session}").json()["status"] == "expired"
    response = api.post(f"/sessions/{session}/messages", {"role": "user", "content": "late"})
    assert (response.status_code, response.json()["type"]) == (409, "urn:aresweb:problem:session-expired")


def test_deleting_a_session_gives_a_receipt(api: ApiClient) -> None:
    session = api.post("/sessions", {"user_id": "ann"}).json()["id"]
    api.post(f"/sessions/{session}/messages", {"role": "user", "content": "secret"})
    receipt = api.delete(f"/sessions/{session}")
    assert receipt.status_code == 200
    assert receipt.json()["id"] == session
    assert receipt.json()["rows"] == {
        "messages": 1,
        "tasks": 0,
        "idempotency_keys": 0,
        "events": 2,
        "archived_events": 0,
        "segments": 0,
        "snapshots": 0,
        "sessions": 1,
        "decisions": 0,
        "revisions": 0,
        "sources": 0,
        "vectors": 0,
        "indexed_texts": 0,
        "ledger_entries": 0,
        "links": 0,
        "hints": 0,
        "pieces": 0,
        "notes": 0,
        "deletions": 0,
        "recalls": 0,
        "queue_items": 0,
        "experiences": 0,
        "distillations": 0,
    }
    for again in (
        api.get(f"/sessions/{session}"),
        api.delete(f"/sessions/{session}"),
        api.get(f"/sessions/{session}/messages"),
    ):
        assert again.status_code == 404
    events = api.get(f"/streams/{session}/events").json()["results"]
    assert [(event["type"], bool(event["erased_at"]), event["payload"]) for event in events] == [
        ("session.created", True, {}), ("message.added", True, {}), ("session.deleted", False, {"session_id": session, "messages": 1}),
    ]  # fmt: skip
    assert tables.holding("secret") == []


def test_a_method_that_a_resource_has_not_is_refused_with_those_it_has(api: ApiClient) -> None:
    session = api.post("/sessions", {"user_id": "ann"}).json()["id"]
    for method, path, allowed in [
        ("GET", "/sessions", "POST, OPTIONS"),
        ("PUT", f"/sessions/{session}", "GET, DELETE, HEAD, OPTIONS"),
    ]:
        response = api.call(method, path, {})
        assert (response.status_code, response["Content-Type"]) == (405, "application/problem+json")
        assert set(response["Allow"].split(", ")) == set(allowed.split(", "))

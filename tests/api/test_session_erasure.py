"""Deleting a session deletes: its content is nowhere any more, and the chain still verifies."""

import pytest
from django.conf import settings
from django.test import override_settings

from memory.errors import NotFound
from memory.events import state, store
from memory.layers import session, task
from memory.manager import MemoryManager
from memory.models import CausalLink, Event, Hint, IdempotencyKey, Piece, Snapshot, Stream, Tenant
from tests import tables
from tests.api.conftest import ApiClient
from tests.distillation.running import distilled, known, said
from tests.events.making import drafted
from tests.events.verifying import assert_verifies

MANAGER = MemoryManager("test", lambda _: None)
# In the text of rows, and in JSON that escapes what is not ASCII.
SECRET = "geheimnis-47f1"


def told(api: ApiClient) -> str:
    """A session with the secret wherever a client can put one, told through the API; with snapshots. Returns its id."""
    once = iter(f"key-{n}" for n in range(100))

    def post(path: str, body: object) -> dict[str, str]:
        response = api.post(path, body, Idempotency_Key=next(once))
        assert response.status_code == 201, response.content
        return response.json()

    metadata = {"title": SECRET, SECRET: SECRET}
    opened = post("/sessions", {"user_id": SECRET, "agent_id": SECRET, "metadata": metadata})["id"]
    calls = [{"id": SECRET, "function": {"name": SECRET, "arguments": SECRET}}]
    message = {
        "role": "user",
        "content": SECRET,
        "name": SECRET,
        "tool_calls": calls,
        "tool_call_id": SECRET,
        "more": SECRET,
    }
    post(f"/sessions/{opened}/messages", message)
    post(f"/sessions/{opened}/messages", [{**message, "role": SECRET}] * 20)
    ended = post("/tasks", {"session_id": opened, "user_id": SECRET, "input": {"do": SECRET}})["id"]
    post("/tasks", {"session_id": opened, "user_id": SECRET, "input": SECRET})
    assert api.patch(f"/tasks/{ended}", {"status": "failed", "output": SECRET}).status_code == 200
    post(f"/tasks/{ended}/distillations", {"mode": "light"})
    events = [{"type": "tool.call", "payload": {"agent_id": SECRET, "arguments": SECRET}, "metadata": {"host": SECRET}}]
    post(f"/streams/{opened}/events", {"events": events * 10})
    model = {"model": SECRET, "call_id": SECRET}
    calls = [
        {"type": "llm.call", "payload": {**model, "prompt": SECRET}},
        {"type": "llm.response", "payload": {**model, "content": SECRET}},
    ]
    post(f"/streams/{opened}/events", {"events": calls})
    for path, body in ((f"/sessions/{opened}/context", {"input": SECRET}), (f"/agents/{SECRET}/recovery", {})):
        response = api.post(path, body, Idempotency_Key=next(once))
        assert (response.status_code, SECRET in response.content.decode()) == (200, True)
    with override_settings(ARES={**settings.ARES, "ARES_SNAPSHOT_EVERY": 10}):
        assert SECRET in api.get(f"/streams/{opened}/state").content.decode()
    assert api.get(f"/runs/{opened}/hints").json()["analysed_to"] > 30
    return opened


def test_nothing_of_a_deleted_session_is_left_in_any_table_and_its_chain_verifies(
    api: ApiClient, in_acme: object
) -> None:
    opened = told(api)
    assert {"memory_event", "memory_message", "memory_session", "memory_snapshot", "memory_stream", "memory_task",
            "memory_idempotencykey", "memory_ledgerentry", "memory_analysis"} <= set(tables.holding(SECRET))  # fmt: skip
    kept = list(Event.objects.order_by("version").values_list("version", "type", "occurred_at", "digest", "hash"))
    found = {
        "links": CausalLink.objects.count(),
        "hints": Hint.objects.count(),
        "pieces": Piece.objects.count(),
    }
    assert min(found["links"], found["pieces"]) > 30
    receipt = MANAGER.delete_session(opened)
    assert tables.holding(SECRET) == []
    assert receipt["rows"] == {
        **found,
        "messages": 21,
        "tasks": 2,
        "idempotency_keys": 10,
        "events": len(kept),
        "archived_events": 0,
        "segments": 0,
        "snapshots": 4,
        "ledger_entries": 4,
        "notes": 0,
        "deletions": 0,
        "recalls": 0,
        "sessions": 1,
        "decisions": 1,
        "revisions": 0,
        "sources": 0,
        "vectors": 0,
        "indexed_texts": 0,
        "queue_items": 1,
        "experiences": 0,
        "distillations": 2,
    }
    stream = Stream.objects.named(opened)
    assert_verifies(stream)
    after = list(Event.objects.order_by("version").values_list("version", "type", "occurred_at", "digest", "hash"))
    assert after[:-1] == kept
    closing = Event.objects.in_stream(stream).last()
    assert (closing.type, closing.payload) == ("session.deleted", {"session_id": opened, "messages": 21})
    assert receipt["deleted_at"] == closing.recorded_at
    assert state.state_at(stream, stream.version)["session"]["closed"] == "deleted"


def test_other_sessions_streams_and_answers_stay(api: ApiClient, in_acme: object) -> None:
    one, other = told(api), ApiClient(api.headers["Authorization"].split()[1])
    kept = other.post("/sessions", {"user_id": "bob"}, Idempotency_Key="other").json()["id"]
    store.append("run", [drafted(n=1)])
    session.erase(one)
    assert other.get(f"/sessions/{kept}").status_code == 200
    assert IdempotencyKey.objects.get().key == "other"
    assert Event.objects.get(stream__name="run").payload == {"n": 1}


def test_a_deleted_session_is_gone_and_its_stream_takes_nothing_more(api: ApiClient, in_acme: object) -> None:
    opened = told(api)
    open_task = api.post("/tasks", {"session_id": opened, "user_id": "u", "input": "x"}).json()["id"]
    MANAGER.delete_session(opened)
    before = tables.row_counts()
    for attempt in (
        lambda: MANAGER.delete_session(opened),
        lambda: session.add_messages(opened, [{"role": "user", "content": SECRET}]),
        lambda: task.create(opened, "u", SECRET),
        lambda: task.close(open_task, "completed", SECRET),
        lambda: session.check_stream(opened, []),
    ):
        with pytest.raises(NotFound):
            attempt()
    assert (
        api.post(f"/streams/{opened}/events", {"events": [{"type": "a.b", "payload": {"x": SECRET}}]}).status_code
        == 404
    )
    assert tables.row_counts() == before
    assert tables.holding(SECRET) == []


def test_a_session_that_has_expired_can_still_be_deleted(api: ApiClient, in_acme: object) -> None:
    opened = told(api)
    session.expire_due(session.lock(opened).expires_at)
    assert "memory_event" in tables.holding(SECRET)
    assert MANAGER.delete_session(opened)["rows"]["messages"] == 0
    assert tables.holding(SECRET) == []


def test_snapshots_that_are_taken_afterwards_hold_nothing_either(api: ApiClient, in_acme: object) -> None:
    opened = told(api)
    MANAGER.delete_session(opened)
    with override_settings(ARES={**settings.ARES, "ARES_SNAPSHOT_EVERY": 10}):
        state.take_snapshots(Stream.objects.named(opened))
    assert Snapshot.objects.exists()
    assert tables.holding(SECRET) == []


def test_answers_kept_for_retries_do_not_outlive_what_they_tell(api: ApiClient, acme: Tenant) -> None:
    opened = said(acme, ["nginx returns 502 for /api, why?", f"Set `proxy_pass` to port 9000 for {SECRET}."])
    distilled(acme, opened)
    (experience,) = known(acme)
    parts = {"parts": [{"solution": f"one {SECRET}"}, {"solution": f"two {SECRET}"}]}
    assert api.post(f"/experiences/{experience.pk}/splits", parts, Idempotency_Key="again").status_code == 201

    assert api.delete(f"/sessions/{opened}").status_code == 200

    assert tables.holding(SECRET) == []
    assert api.post(f"/experiences/{experience.pk}/splits", parts, Idempotency_Key="again").status_code == 404

"""`POST /tasks`, `GET` and `PATCH /tasks/{id}`."""

import re
from typing import Any

import pytest

from tests.api.conftest import ApiClient


@pytest.fixture
def session(api: ApiClient) -> str:
    return api.post("/sessions", {"user_id": "ann"}).json()["id"]


def test_a_task_is_opened_shown_and_ended(api: ApiClient, session: str) -> None:
    response = api.post("/tasks", {"session_id": session, "user_id": "bob", "input": {"n": 2**70}})
    assert response.status_code == 201
    shown = response.json()
    assert re.fullmatch(r"task_[0-9a-f]{24}", shown["id"])
    assert {
        "session_id": session,
        "user_id": "bob",
        "input": {"n": 2**70},
        "output": None,
        "status": "open",
    }.items() <= shown.items()
    assert api.get(f"/tasks/{shown['id']}").json() == shown
    ended = api.patch(f"/tasks/{shown['id']}", {"status": "completed", "output": ["done"]})
    assert ended.status_code == 200
    assert {
        **shown,
        "status": "completed",
        "output": ["done"],
        "updated_at": ended.json()["updated_at"],
    } == ended.json()
    types = [event["type"] for event in api.get(f"/streams/{session}/events").json()["results"]]
    assert types == ["session.created", "task.created", "task.completed"]


@pytest.mark.parametrize("value", ["text", "", 0, False, 2**70, 1.5, [], {}, [{"a": None}]])
def test_input_and_output_are_any_json(api: ApiClient, session: str, value: Any) -> None:
    task = api.post("/tasks", {"session_id": session, "input": value}).json()
    assert api.patch(f"/tasks/{task['id']}", {"status": "failed", "output": value}).json()["output"] == value
    shown = api.get(f"/tasks/{task['id']}").json()
    assert (shown["input"], shown["output"]) == (value, value)


def test_ending_a_task_again_is_no_change_and_otherwise_is_a_conflict(api: ApiClient, session: str) -> None:
    task = api.post("/tasks", {"session_id": session, "input": "x"}).json()["id"]
    first = api.patch(f"/tasks/{task}", {"status": "completed", "output": "y"})
    assert api.patch(f"/tasks/{task}", {"status": "completed", "output": "y"}).json() == first.json()
    conflict = api.patch(f"/tasks/{task}", {"status": "failed", "output": "y"})
    assert conflict.status_code == 409
    assert (conflict.json()["status"], conflict.json()["task_status"]) == (409, "completed")


def test_a_task_needs_a_session_that_lives(api: ApiClient, session: str) -> None:
    api.delete(f"/sessions/{session}")
    response = api.post("/tasks", {"session_id": session, "input": "x"})
    assert (response.status_code, response.json()["type"]) == (404, "urn:aresweb:problem:not-found")

"""`GET /streams` and `GET /streams/{stream}/state`."""

from typing import Any

import pytest

from tests.api.conftest import ApiClient


def append(api: ApiClient, stream: str, event_type: str, **payload: Any) -> None:
    body = {"events": [{"type": event_type, "payload": payload}]}
    assert api.post(f"/streams/{stream}/events", body).status_code == 201


@pytest.fixture
def runs(api: ApiClient) -> None:
    append(api, "run-1", "task.created", agent_id="helper", input='Fix the "quoted" thing')
    append(api, "run-1", "task.failed", error="Straße\\path\nbroken")
    append(api, "run-2", "agent.started", agent_id="other", user_id="ann")
    append(api, "run-3", "acme.order.placed", note="100% _sure_")


def found(api: ApiClient, query: str = "") -> list[str]:
    return [stream["name"] for stream in api.get(f"/streams?{query}").json()["results"]]


def test_a_stream_is_shown_with_its_totals(api: ApiClient, runs: None) -> None:
    shown = api.get("/streams?agent_id=helper").json()["results"][0]
    expected = {"name": "run-1", "version": 2, "title": 'Fix the "quoted" thing', "outcome": "failed", "error_count": 1, "open_tasks": 0,
                "event_types": ["task.created", "task.failed"], "input_tokens": 0}  # fmt: skip
    assert expected.items() <= shown.items()


def test_the_most_recently_active_come_first(api: ApiClient, runs: None) -> None:
    assert found(api) == ["run-3", "run-2", "run-1"]
    append(api, "run-1", "a.b")
    assert found(api) == ["run-1", "run-3", "run-2"]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("agent_id=helper", ["run-1"]), ("agent_id=help", []), ("outcome=running", ["run-2"]),
        ("type=task.failed", ["run-1"]), ("type=task", []), ("q=QUOTED", ["run-1"]), ("q=run-", ["run-3", "run-2", "run-1"]), ("q=ANN", ["run-2"]),
        ("q=%22quoted%22", ["run-1"]), ("q=Stra%C3%9Fe%5Cpath%0Abroken", ["run-1"]), ("q=100%25 _sure_", ["run-3"]), ("q=100x", []), ("q=%25", ["run-3"]),
        ("q=", ["run-3", "run-2", "run-1"]), ("outcome=failed&type=task.created&q=fix", ["run-1"]), ("outcome=failed&agent_id=other", []),
        ("q=%00", []), ("agent_id=%00", []), ("type=%00", []), ("q=%ED%A0%80", []), ("q=%FF", []), ("type={", []), ("type=a,b", []),
    ],
)  # fmt: skip
def test_filters_narrow_the_list(api: ApiClient, runs: None, query: str, names: list[str]) -> None:
    assert found(api, query) == names


@pytest.mark.parametrize("outcome", ["sideways", "%00", "Failed"])
def test_an_outcome_that_no_run_can_have_is_refused(api: ApiClient, runs: None, outcome: str) -> None:
    assert api.get(f"/streams?outcome={outcome}").status_code == 400


def test_the_state_is_told_at_every_version(api: ApiClient, runs: None) -> None:
    newest = api.get("/streams/run-1/state").json()
    assert (newest["stream"], newest["version"], newest["state"]["version"]) == ("run-1", 2, 2)
    assert newest["state"]["last_error"]["message"] == "Straße\\path\nbroken"
    first = api.get("/streams/run-1/state?version=1").json()
    assert ([task["input"] for task in first["state"]["open_tasks"]], first["state"]["last_error"]) == (
        ['Fix the "quoted" thing'],
        None,
    )
    assert api.get("/streams/run-1/state?version=0").json()["state"]["counters"]["events"] == 0


@pytest.mark.parametrize(
    ("version", "status"),
    [
        ("3", 404),
        ("9223372036854775807", 404),
        ("9223372036854775808", 400),
        ("-1", 400),
        ("x", 400),
        ("", 400),
        ("1.0", 400),
        ("%00", 400),
        ("٣", 400),
        ("9" * 5000, 400),
    ],
)
def test_a_version_that_the_stream_has_not_is_not_found_and_what_is_none_is_refused(
    api: ApiClient, runs: None, version: str, status: int
) -> None:
    response = api.get(f"/streams/run-1/state?version={version}")
    assert (response.status_code, response["Content-Type"]) == (status, "application/problem+json")

"""`GET /streams/{stream}/export` and `GET /streams/{stream}/fixture`."""

import json
from typing import Any

from tests.api.conftest import ApiClient

EVENTS: list[dict[str, Any]] = [
    {"type": "message.added", "payload": {"role": "user", "content": "Weather in Lima and Oslo?", "message_id": "m"}},
    {
        "type": "message.added",
        "payload": {"role": "assistant", "content": None, "tool_calls": [{"id": "c1"}, {"id": "c2"}]},
    },
    {"type": "tool.call", "payload": {"tool_call_id": "c1", "name": "weather", "arguments": {"city": "Lima"}}},
    {
        "type": "tool.result",
        "payload": {"tool_call_id": "c1", "name": "weather", "content": {"big": 2**70}, "duration_ms": 12},
    },
    {"type": "tool.call", "payload": {"tool_call_id": "c2", "name": "weather", "arguments": {"city": "Oslo"}}},
    {"type": "tool.result", "payload": {"tool_call_id": "c2", "error": "no such city"}},
    {"type": "message.added", "payload": {"role": "tool", "tool_call_id": "c1", "content": "warm"}},
    {"type": "tool.result", "payload": {"tool_call_id": "c9", "content": "asked by nobody"}},
]


def record(api: ApiClient) -> None:
    assert api.post("/streams/run/events", {"events": EVENTS}).status_code == 201


def test_an_export_is_a_header_and_a_line_for_each_event(api: ApiClient) -> None:
    record(api)
    response = api.get("/streams/run/export", Accept="application/x-ndjson")
    assert (response.status_code, response["Content-Type"]) == (200, "application/x-ndjson")
    assert response["Content-Disposition"] == 'attachment; filename="run.jsonl"'
    header, *lines = [json.loads(line) for line in b"".join(response.streaming_content).splitlines()]
    shown = api.get("/streams/run/events").json()["results"]
    assert header == {
        "format": "aresweb",
        "format_version": 1,
        "stream": "run",
        "version": 8,
        "hash": shown[-1]["hash"],
    }
    assert [(line["id"], line["payload"], line["hash"]) for line in lines] == [
        (event["id"], event["payload"], event["hash"]) for event in shown
    ]
    assert lines[0].keys() == {
        "version", "id", "type", "payload", "metadata", "occurred_at", "recorded_at", "causation_id", "correlation_id", "digest", "hash", "erased_at",
    }  # fmt: skip


def test_events_that_are_appended_during_an_export_are_not_in_it(api: ApiClient) -> None:
    record(api)
    response = api.get("/streams/run/export")
    api.post("/streams/run/events", {"events": EVENTS[:1]})
    assert len(b"".join(response.streaming_content).splitlines()) == 9


def test_a_fixture_is_the_state_at_a_step_and_what_tools_answered_after_it(api: ApiClient) -> None:
    record(api)
    made = api.get("/streams/run/fixture?version=3").json()
    assert (made["stream"], made["version"], made["is_whole"]) == ("run", 3, True)
    assert made["state"] == api.get("/streams/run/state?version=3").json()["state"]
    assert made["hash"] == api.get("/streams/run/events").json()["results"][2]["hash"]
    assert made["messages"] == [
        {"role": "user", "content": "Weather in Lima and Oslo?"},
        {"role": "assistant", "tool_calls": [{"id": "c1"}, {"id": "c2"}]},
    ]
    assert made["remaining"] == [
        {"version": 4, "tool_call_id": "c1", "name": "weather", "arguments": {"city": "Lima"}, "content": {"big": 2**70}, "error": None, "duration_ms": 12},
        {"version": 6, "tool_call_id": "c2", "name": "weather", "arguments": {"city": "Oslo"}, "content": None, "error": "no such city", "duration_ms": None},
        {"version": 8, "tool_call_id": "c9", "name": "", "arguments": None, "content": "asked by nobody", "error": None, "duration_ms": None},
    ]  # fmt: skip


def test_a_fixture_can_be_taken_at_either_end(api: ApiClient) -> None:
    record(api)
    beginning, end = api.get("/streams/run/fixture?version=0").json(), api.get("/streams/run/fixture").json()
    assert (beginning["messages"], len(beginning["remaining"]), beginning["hash"]) == ([], 3, "")
    assert (len(end["messages"]), end["remaining"], end["version"]) == (3, [], 8)


def test_a_fixture_says_when_it_is_not_the_whole(api: ApiClient, monkeypatch: Any) -> None:
    record(api)
    monkeypatch.setattr("memory.flight.fixture.MOST_RESULTS", 2)
    made = api.get("/streams/run/fixture?version=3").json()
    assert ([result["version"] for result in made["remaining"]], made["is_whole"]) == ([4, 6], False)
    monkeypatch.setattr("memory.flight.fixture.MOST_RESULTS", 9)
    monkeypatch.setattr("memory.flight.fixture.MOST_MESSAGES", 2)
    made = api.get("/streams/run/fixture").json()
    assert ([message["role"] for message in made["messages"]], made["is_whole"]) == (["assistant", "tool"], False)


def test_what_is_not_there_is_not_found(api: ApiClient, stranger: ApiClient) -> None:
    record(api)
    for answer in (api.get("/streams/run/fixture?version=9"), api.get("/streams/none/fixture"), api.get("/streams/none/export"),
                   stranger.get("/streams/run/export"), stranger.get("/streams/run/fixture")):  # fmt: skip
        assert answer.status_code == 404
    assert api.get("/streams/run/fixture?version=x").status_code == 400

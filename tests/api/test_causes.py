"""`GET /events/{id}/causes`, `GET /events/{id}/effects` and `GET /runs/{stream}/hints`."""

from datetime import UTC, datetime
from typing import Any

import pytest

from memory import limits
from memory.flight import analysis
from memory.models import Hint, Stream, Tenant
from memory.tenancy import tenant_scope
from tests.api.conftest import ApiClient

RUN = [
    {"id": "say/1", "type": "message.added", "payload": {"role": "user", "content": "Find a flight, please."}},
    {"id": "call/1", "type": "tool.call", "payload": {"tool_call_id": "c1", "name": "search"}, "causation_id": "say/1"},
    {"id": "result/1", "type": "tool.result", "payload": {"tool_call_id": "c1", "name": "search", "content": ""}},
    {"id": "say/2", "type": "message.added", "payload": {"role": "tool", "tool_call_id": "c1", "content": ""}},
    {"id": "say/3", "type": "message.added", "payload": {"role": "assistant", "content": "There is none."}},
]


@pytest.fixture
def run(api: ApiClient) -> str:
    assert api.post("/streams/run/events", {"events": RUN}).status_code == 201
    return "run"


@pytest.fixture
def hinted(run: str, acme: Tenant) -> str:
    """The run with hints at its result and at its end."""
    with tenant_scope(acme.pk):
        stream = Stream.objects.named(run)
        analysis.catch_up(stream)
        Hint.objects.filter(stream=stream).delete()
        for version, severity, rule in ((3, "high", "empty_result"), (5, "low", "unusual_cost")):
            Hint.objects.create(
                tenant=acme,
                stream=stream,
                rule=rule,
                severity=severity,
                version=version,
                evidence=[version],
                first_evidence=version,
                sentence=f"Step {version} is suspicious.",
                tokens_before=0,
                found_at=datetime.now(UTC),
            )
    return run


def page(api: ApiClient, path: str) -> Any:
    answer = api.get(path)
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_causes_lead_from_an_answer_to_the_result_that_was_empty(api: ApiClient, hinted: str) -> None:
    told = page(api, "/events/say/3/causes")
    assert (told["stream"], told["version"], told["suspect"], told["analysed_to"]) == ("run", 5, 3, 5)
    assert told["is_whole"]
    assert [(hop["cause"], hop["effect"], hop["kind"], hop["how"]) for hop in told["path"]] == [
        (4, 5, "entered", "said_since"),
        (3, 4, "handed", "same_id"),
    ]
    assert [hop["way_certainty"] for hop in told["path"]] == [0.5, 0.5]
    assert [(step["version"], step["type"], step["summary"]) for step in told["steps"]] == [
        (5, "message.added", "There is none."),
        (4, "message.added", ""),
        (3, "tool.result", "(empty)"),
    ]
    assert [found["rule"] for found in told["hints"]] == ["empty_result"]
    assert {(hop["cause"], hop["effect"]) for hop in told["hops"]} >= {(1, 2), (2, 3), (3, 4), (4, 5)}
    assert all(hop["sentence"] for hop in told["hops"])


def test_effects_lead_from_a_result_to_the_answer(api: ApiClient, run: str) -> None:
    told = page(api, "/events/result/1/effects")
    assert [(hop["cause"], hop["effect"]) for hop in told["hops"]] == [(3, 4), (4, 5)]
    assert told["is_whole"]


def test_a_run_that_is_not_analysed_so_far_says_so(api: ApiClient, run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    catch_up = analysis.catch_up
    monkeypatch.setattr(analysis, "catch_up", lambda stream: catch_up(stream, 2))
    told = page(api, "/events/say/3/causes")
    assert (told["analysed_to"], told["is_whole"], told["hops"]) == (2, False, [])
    assert page(api, "/events/say/3/causes")["analysed_to"] == 4
    assert page(api, "/events/say/3/causes")["is_whole"]


def test_hints_are_listed_in_the_order_of_the_run(api: ApiClient, hinted: str) -> None:
    told = page(api, "/runs/run/hints")
    assert [(found["version"], found["severity"]) for found in told["results"]] == [(3, "high"), (5, "low")]
    assert (told["analysed_to"], told["version"], told["next"]) == (5, 5, None)
    address = told["results"][0]["event"].partition("/api/v1")[2]
    assert page(api, address)["results"][0]["id"] == "result/1"
    assert [found["version"] for found in page(api, "/runs/run/hints?severity=low")["results"]] == [5]
    assert [found["version"] for found in page(api, "/runs/run/hints?rule=empty_result")["results"]] == [3]


def test_hints_come_in_pages(api: ApiClient, hinted: str) -> None:
    first = page(api, "/runs/run/hints?limit=1")
    second = page(api, first["next"].partition("/api/v1")[2])
    assert [found["version"] for found in first["results"] + second["results"]] == [3, 5]
    assert second["next"] is None


def test_tokens_after_a_hint_are_counted_until_now(api: ApiClient, hinted: str) -> None:
    usage = {"input_tokens": 90, "output_tokens": 5}
    api.post("/streams/run/events", {"events": [{"type": "llm.response", "payload": {"usage": usage}}]})
    assert [found["tokens_after"] for found in page(api, "/runs/run/hints")["results"][:2]] == [95, 95]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/events/nothing/causes", 404),
        ("/events/nothing/effects", 404),
        ("/events/caf%C3%A9/causes", 404),
        ("/events/%00/causes", 404),
        ("/runs/nothing/hints", 404),
        ("/runs/run/hints?severity=awful", 400),
        ("/runs/run/hints?rule=none", 400),
        ("/runs/run/hints?limit=0", 400),
        ("/runs/run/hints?cursor=x", 400),
    ],
)
def test_what_is_not_there_or_asked_wrongly_is_a_problem(api: ApiClient, run: str, path: str, status: int) -> None:
    answer = api.get(path)
    assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json")


def test_another_tenants_run_does_not_exist(stranger: ApiClient, nobody: ApiClient, hinted: str) -> None:
    for path in ("/events/say/3/causes", "/events/say/3/effects", "/runs/run/hints"):
        assert stranger.get(path).status_code == 404
        assert nobody.get(path).status_code == 401


def test_of_an_erased_run_nothing_is_told(api: ApiClient) -> None:
    opened = api.post("/sessions", {"user_id": "ann"}).json()["id"]
    events = [{**event, "id": f"{event['id']}x", "causation_id": None} for event in RUN]
    api.post(f"/streams/{opened}/events", {"events": events})
    assert page(api, "/events/say/3x/causes")["hops"]
    rows = api.delete(f"/sessions/{opened}").json()["rows"]
    assert rows["links"] > 0
    assert rows["pieces"] > 0
    assert page(api, "/events/say/3x/causes")["hops"] == []
    assert page(api, f"/runs/{opened}/hints")["results"] == []


def test_hints_of_a_rule_that_is_switched_off_are_left_out(api: ApiClient, hinted: str, acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        limits.put("ARES_HINTS_OFF", "empty_result")
    assert [found["rule"] for found in page(api, "/runs/run/hints")["results"]] == ["unusual_cost"]
    assert page(api, "/events/say/3/causes")["suspect"] == 5


def test_an_empty_result_that_an_answer_ignores_is_found_from_the_answer(api: ApiClient) -> None:
    asked = [{"id": "c1", "type": "function", "function": {"name": "search_flights", "arguments": "{}"}}]
    empty = {"tool_call_id": "c1", "name": "search_flights", "content": "[]"}
    events = [
        ("message.added", {"role": "user", "content": "Find me a flight to Boston on Friday."}),
        ("message.added", {"role": "assistant", "content": None, "tool_calls": asked}),
        ("tool.call", {"tool_call_id": "c1", "name": "search_flights", "arguments": {}}),
        ("tool.result", empty),
        ("message.added", {"role": "tool", **empty}),
        ("message.added", {"role": "assistant", "content": "Flight HAT204 leaves at nine. It is booked for you."}),
    ]
    drafts = [{"id": f"f{n}", "type": kind, "payload": payload} for n, (kind, payload) in enumerate(events, start=1)]
    assert api.post("/streams/flight/events", {"events": drafts}).status_code == 201
    told = page(api, "/events/f6/causes")
    assert told["suspect"] == 4
    assert "empty_result" in [found["rule"] for found in told["hints"]]
    assert [hop["cause"] for hop in told["path"]] == [5, 4]

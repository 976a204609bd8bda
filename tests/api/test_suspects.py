"""`GET /runs/{stream}/suspects`."""

from typing import Any

import pytest

from memory import limits
from memory.flight import first_bad_step
from memory.models import Tenant
from memory.tenancy import tenant_scope
from tests.api.conftest import ApiClient

SEARCHED = [
    ("message.added", {"role": "user", "content": "Which runbook applies to PAY-5021?"}),
    ("message.added", {"role": "assistant", "content": "I look for the runbook first."}),
    ("tool.call", {"name": "search", "arguments": {"q": "PAY-5021"}}),
    ("tool.result", {"name": "search", "content": "[]"}),
    ("message.added", {"role": "assistant", "content": "RB-100 applies. I follow it."}),
]


@pytest.fixture
def recorded(api: ApiClient) -> None:
    events = [{"type": kind, "payload": payload} for kind, payload in SEARCHED]
    assert api.post("/streams/run/events", {"events": events}).status_code == 201


def asked(api: ApiClient, stream: str = "run") -> Any:
    answer = api.get(f"/runs/{stream}/suspects")
    assert answer.status_code == 200
    return answer.json()


def test_the_step_that_decided_the_run_is_told_with_the_reason(api: ApiClient, recorded: None) -> None:
    told = asked(api)

    [first] = told["suspects"]
    assert (first["version"], first["speaker"], first["hints"]) == (4, "assistant", ["empty_result"])
    assert first["reason"].startswith("The result of search brought nothing")
    assert 0 < first["score"] <= 1
    assert (told["read_to"], told["version"]) == (5, 5)


def test_a_rule_that_is_off_suspects_nothing(api: ApiClient, recorded: None, acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        limits.put("ARES_HINTS_OFF", "empty_result")
    assert asked(api)["suspects"] == []


def test_of_a_long_run_its_first_events_are_judged(
    api: ApiClient, recorded: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first_bad_step, "MOST_READ", 3)
    assert asked(api) == {"suspects": [], "read_to": 3, "version": 5}


def test_another_tenants_run_is_not_found(api: ApiClient, recorded: None, stranger: ApiClient) -> None:
    assert stranger.get("/runs/run/suspects").status_code == 404
    assert api.get("/runs/none/suspects").status_code == 404

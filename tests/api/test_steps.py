"""`GET /runs/{stream}/steps/{version}/changes`, `…/context`, `…/fork`, and `GET /runs/{a}/diff/{b}`."""

from typing import Any

import pytest

from memory.models import Stream, Tenant
from memory.tenancy import tenant_scope
from tests.api.conftest import ApiClient

USER = {"role": "user", "content": "Is order 7 paid?"}
CALLS = [{"id": "c1", "type": "function", "function": {"name": "look_up", "arguments": '{"order": 7}'}}]
TOOLS = [{"type": "function", "function": {"name": "look_up"}}]
EVENTS: list[dict[str, Any]] = [
    {"type": "message.added", "payload": {**USER, "message_id": "m1"}},
    {"type": "llm.call", "payload": {"call_id": "l1", "model": "gpt-4o", "messages": [USER], "tools": TOOLS}},
    {"type": "llm.response", "payload": {"call_id": "l1", "content": None, "tool_calls": CALLS}},
    {"type": "tool.call", "payload": {"tool_call_id": "c1", "name": "look_up", "arguments": {"order": 7}}},
    {"type": "tool.result", "payload": {"tool_call_id": "c1", "name": "look_up", "content": ""}},
    {"type": "llm.call", "payload": {"model": "gpt-4o", "messages": [{"role": "user", "content": "In short?"}]}},
]


def record(api: ApiClient, name: str, events: list[dict[str, Any]]) -> None:
    assert api.post(f"/streams/{name}/events", {"events": events}).status_code == 201


def test_changes_are_those_of_the_event_itself_by_default(api: ApiClient) -> None:
    record(api, "run", EVENTS)
    told = api.get("/runs/run/steps/4/changes").json()
    assert (told["before"]["version"], told["after"]["version"]) == (3, 4)
    fields = {part["field"]: part["pairs"] for part in told["changes"]}
    assert fields["pending_tool_calls"][0]["before"] is None
    assert fields["pending_tool_calls"][0]["after"]["name"] == "look_up"
    assert {pair["key"] for pair in fields["counters"]} == {"events", "tool_calls"}


def test_changes_against_any_other_step(api: ApiClient) -> None:
    record(api, "run", EVENTS)
    assert api.get("/runs/run/steps/4/changes?against=4").json()["changes"] == []
    back = api.get("/runs/run/steps/1/changes?against=6").json()
    assert back["before"] == {"stream": "run", "version": 6}


def test_changes_against_a_step_of_another_run_are_what_was_done_otherwise(api: ApiClient) -> None:
    record(api, "run", EVENTS)
    record(api, "other", [{"type": "agent.heartbeat", "payload": {}}, *EVENTS])
    told = api.get("/runs/run/steps/5/changes?against=6&against_stream=other").json()
    assert {part["field"] for part in told["changes"]} == {"version", "agent", "counters"}


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/runs/run/steps/7/changes", 404),
        ("/runs/run/steps/1/changes?against=7", 404),
        ("/runs/run/steps/1/changes?against=-1", 400),
        ("/runs/run/steps/1/changes?against_stream=nowhere", 404),
        ("/runs/run/steps/99999999999999999999999999/context", 404),
        ("/runs/run/steps/7/fork", 404),
        ("/runs/nowhere/steps/1/fork", 404),
        ("/runs/run/diff/nowhere", 404),
        ("/runs/run/diff/run?limit=0", 400),
        ("/runs/run/diff/run?first_line=x", 400),
    ],
)
def test_what_is_not_there_or_makes_no_sense_is_refused(api: ApiClient, path: str, status: int) -> None:
    record(api, "run", EVENTS)
    assert api.get(path).status_code == status


def test_another_tenants_runs_do_not_exist(api: ApiClient, stranger: ApiClient) -> None:
    record(api, "run", EVENTS)
    record(stranger, "mine", EVENTS)
    for path in ("/runs/run/steps/1/changes", "/runs/run/steps/1/context", "/runs/run/steps/1/fork"):
        assert stranger.get(path).status_code == 404
    assert stranger.get("/runs/mine/diff/run").status_code == 404
    assert stranger.get("/runs/mine/steps/1/changes?against_stream=run").status_code == 404


def test_what_left_the_context_is_told_with_since_when(api: ApiClient) -> None:
    record(api, "run", EVENTS)
    before = api.get("/runs/run/steps/5/context").json()
    assert (before["prompt"], [line["version"] for line in before["held"]], before["left"]) == (2, [1], [])
    after = api.get("/runs/run/steps/6/context").json()
    assert after["held"] == []
    [left] = after["left"]
    assert (left["version"], left["last_in"], left["left_at"], left["experiences"]) == (1, 2, 6, [])


def test_without_a_prompt_nothing_is_known_of_the_context(api: ApiClient) -> None:
    record(api, "run", EVENTS[:1])
    told = api.get("/runs/run/steps/1/context").json()
    assert (told["prompt"], told["held"], told["left"], told["never"]) == (None, [], [], [])


def test_a_context_built_here_names_what_it_held_and_left_out(api: ApiClient) -> None:
    session = api.post("/sessions", {"user_id": "u"}).json()["id"]
    for number in range(3):
        api.post(f"/sessions/{session}/messages", {"role": "user", "content": f"Message {number}"})
    api.post(f"/sessions/{session}/context", {"input": "And?", "max_history": 10})
    api.post(f"/sessions/{session}/context", {"input": "And?", "max_history": 1})
    version = api.get(f"/streams/{session}/events?direction=backward&limit=1").json()["results"][0]["version"]
    told = api.get(f"/runs/{session}/steps/{version}/context").json()
    assert [line["summary"] for line in told["held"]] == ["Message 2"]
    assert [line["summary"] for line in told["left"]] == ["Message 0", "Message 1"]
    assert told["left_out"][0]["reason"]


def test_a_fork_is_the_next_request_with_the_results_that_followed(api: ApiClient) -> None:
    record(api, "run", EVENTS)
    told = api.get("/runs/run/steps/3/fork").json()
    answer = {"role": "assistant", "tool_calls": CALLS}
    assert told["request"] == {"model": "gpt-4o", "tools": TOOLS, "messages": [USER, answer]}
    assert [each["tool_call_id"] for each in told["fixture"]["remaining"]] == ["c1"]
    assert told["events"] == [
        {"type": "run.forked", "payload": {"stream": "run", "version": 3, "hash": told["fixture"]["hash"]}}
    ]


def test_a_fork_of_a_run_without_prompts_has_its_conversation_and_tools(api: ApiClient) -> None:
    opened = {"type": "session.created", "payload": {"session_id": "s", "metadata": {"tools": TOOLS}}}
    record(api, "run", [opened, {"type": "message.added", "payload": {**USER, "message_id": "m"}}])
    assert api.get("/runs/run/steps/2/fork").json()["request"] == {"tools": TOOLS, "messages": [USER]}


def test_lineage_is_kept_when_the_forks_events_come_back(api: ApiClient, acme: Tenant) -> None:
    record(api, "run", EVENTS)
    fork = api.get("/runs/run/steps/3/fork").json()
    assert api.get("/runs/run/steps/3/fork").json()["stream"] != fork["stream"]
    answer = api.post(f"/streams/{fork['stream']}/events", {"events": fork["events"], "expected_version": 0})
    assert answer.status_code == 201
    with tenant_scope(acme.pk):
        found = Stream.objects.forks_of("run").get()
        assert (found.name, found.forked_from, found.forked_at) == (fork["stream"], "run", 3)


@pytest.mark.parametrize(
    "payload",
    [{}, {"stream": "run"}, {"stream": "a b", "version": 1}, {"stream": "run", "version": True},
     {"stream": "run", "version": 2**60}, {"stream": ["run"], "version": 1}, {"stream": "r" * 300, "version": 1}],
)  # fmt: skip
def test_a_lineage_that_names_no_step_is_recorded_and_passed_over(
    api: ApiClient, acme: Tenant, payload: dict[str, Any]
) -> None:
    record(api, "fork", [{"type": "run.forked", "payload": payload}])
    with tenant_scope(acme.pk):
        assert Stream.objects.named("fork").forked_from == ""


def test_two_runs_part_where_the_same_call_was_answered_differently(api: ApiClient) -> None:
    other = [*EVENTS[:4], {"type": "tool.result", "payload": {"name": "look_up", "content": "paid"}}, *EVENTS[5:]]
    record(api, "a", EVENTS)
    record(api, "b", other)
    told = api.get("/runs/a/diff/b").json()
    assert told["parting"]["line"] == 4
    assert told["parting"]["why"] == "the same call was answered differently"
    assert (told["parting"]["a"]["summary"], told["parting"]["b"]["summary"]) == ("(empty)", "paid")
    assert told["parting"]["meets_at_line"] == 5
    assert told["lines"] == 6
    assert [line["fate"] for line in told["results"]] == ["changed", "same"]
    assert told["after"]["a"]["events"] == 2
    assert told["is_whole"] is True
    assert len(api.get("/runs/a/diff/b?first_line=0&limit=3").json()["results"]) == 3


def test_a_run_does_not_part_from_itself(api: ApiClient) -> None:
    record(api, "a", EVENTS)
    told = api.get("/runs/a/diff/a").json()
    assert (told["parting"], told["after"]["a"]["events"]) == (None, 0)

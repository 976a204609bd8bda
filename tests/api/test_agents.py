"""`GET /agents`, `GET /agents/{id}` and `POST /agents/{id}/recovery`."""

from memory.models import Event
from tests.api.conftest import ApiClient


def work(api: ApiClient, agent_id: str = "ops") -> str:
    """An agent with a session, a message and an open task; returns the session's id."""
    own: str = api.post("/sessions", {"user_id": "ann", "agent_id": agent_id}).json()["id"]
    api.post(f"/sessions/{own}/messages", {"role": "user", "content": "hello"})
    api.post("/tasks", {"session_id": own, "input": {"big": 2**70}})
    return own


def test_an_agent_is_shown_with_its_health_and_the_reason(api: ApiClient) -> None:
    own = work(api)
    api.post("/streams/agent:ops/events", {"events": [{"type": "agent.heartbeat", "payload": {"agent_id": "ops"}}]})
    shown = api.get("/agents/ops").json()
    assert (shown["id"], shown["health"], shown["open_tasks"], shown["streams"], shown["restarts"]) == (
        "ops",
        "running",
        1,
        2,
        0,
    )
    assert shown["reason"].startswith("It works on 1 open task")
    assert (shown["newest_stream"], shown["last_session_id"]) == (own, own)
    assert shown["last_heartbeat_at"] >= shown["last_work_at"]
    assert api.get("/agents").json()["results"] == [shown]


def test_agents_come_in_pages(api: ApiClient) -> None:
    for name in "cabed":
        api.post(
            "/streams/s-" + name + "/events", {"events": [{"type": "agent.started", "payload": {"agent_id": name}}]}
        )
    page = api.get("/agents?limit=2").json()
    seen = [agent["id"] for agent in page["results"]]
    while page["next"]:
        page = api.get(page["next"].partition("/api/v1")[2]).json()
        seen += [agent["id"] for agent in page["results"]]
    assert seen == list("abcde")


def test_an_agent_whose_id_holds_slashes_has_an_address(api: ApiClient) -> None:
    work(api, "inspect/web arena/ünit")
    assert api.get("/agents/inspect/web%20arena/%C3%BCnit").json()["id"] == "inspect/web arena/ünit"
    assert api.post("/agents/inspect%2Fweb%20arena%2F%C3%BCnit/recovery").status_code == 200


def test_a_recovery_gives_everything_back(api: ApiClient) -> None:
    own = work(api)
    response = api.post("/agents/ops/recovery", {"limit": 10})
    assert response.status_code == 200
    told = response.json()
    assert told["state"]["session"]["id"] == own
    assert [(said["role"], said["content"], said["tool_calls"]) for said in told["conversation_history"]] == [
        ("user", "hello", None)
    ]
    assert [task["input"] for task in told["open_tasks"]] == [{"big": 2**70}]
    assert (told["experiences"], told["missing"], told["session_id"], told["stream"]) == ([], [], own, own)
    assert (told["proof"]["verified"], told["proof"]["to_version"], told["restored_version"]) == (True, 3, 4)
    assert told["flapping"] == {"is_flapping": False, "restarts": 1, "seconds": 600}
    assert api.get("/agents/ops").json()["health"] == "restored"


def test_a_recovery_needs_no_body(api: ApiClient) -> None:
    work(api)
    assert api.post("/agents/ops/recovery").status_code == 200


def test_a_repeated_recovery_with_an_idempotency_key_records_nothing(api: ApiClient, in_acme: object) -> None:
    work(api)
    first = api.post("/agents/ops/recovery", {}, Idempotency_Key="k")
    again = api.post("/agents/ops/recovery", {}, Idempotency_Key="k")
    assert (again["Idempotency-Replayed"], again.json()) == ("true", first.json())
    assert Event.objects.filter(type="agent.restored").count() == 1


def test_an_agent_of_nobody_or_of_another_tenant_does_not_exist(api: ApiClient, stranger: ApiClient) -> None:
    work(api)
    for answer in (
        api.get("/agents/nobody"), api.post("/agents/nobody/recovery"), api.get("/agents/a%00b"), api.post("/agents/a%00b/recovery"),
        stranger.get("/agents/ops"), stranger.post("/agents/ops/recovery"),
    ):  # fmt: skip
        assert (answer.status_code, answer.json()["type"]) == (404, "urn:aresweb:problem:not-found")
    assert stranger.get("/agents").json()["results"] == []


def test_a_wrong_body_is_refused(api: ApiClient) -> None:
    work(api)
    for body in ([], "text", {"limit": 0}, {"limit": "many"}, {"limit": 501}, {"limit": None}):
        assert api.post("/agents/ops/recovery", body).status_code == 400

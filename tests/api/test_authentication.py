"""Who may ask: whoever presents a usable key, and then only for the own tenant's things."""

from datetime import timedelta
from threading import Event as Signal

import pytest
from django.test import Client
from django.utils import timezone

from memory.models import ApiKey, Tenant
from memory.tenancy import tenant_scope
from tests import tables
from tests.api.conftest import ApiClient
from tests.threads import threads

PATHS = [
    ("POST", "/sessions"), ("GET", "/sessions/x"), ("DELETE", "/sessions/x"), ("POST", "/sessions/x/messages"),
    ("GET", "/sessions/x/messages"), ("POST", "/tasks"), ("GET", "/tasks/x"), ("PATCH", "/tasks/x"), ("GET", "/streams"),
    ("POST", "/streams/x/events"), ("GET", "/streams/x/events"), ("GET", "/streams/x/state"), ("GET", "/events"),
    ("OPTIONS", "/sessions"),
]  # fmt: skip


def is_refused(response: object) -> bool:
    return (
        response.status_code == 401
        and response["Content-Type"] == "application/problem+json"
        and response["WWW-Authenticate"].startswith("Bearer")
        and response.json()["detail"]
    )


@pytest.mark.parametrize(("method", "path"), PATHS)
def test_nothing_is_told_or_written_without_a_key(nobody: ApiClient, acme: Tenant, method: str, path: str) -> None:
    assert is_refused(nobody.call(method, path, {"user_id": "u"}))
    assert sum(tables.row_counts()["acme", table] for table in tables.isolated()) == 0


@pytest.mark.parametrize(
    "header",
    ["", "Bearer", "Bearer ", "Bearer x", "Bearer ares_", "Bearer ares_000000000000_" + "x" * 43, "Basic YTpi", "ares_{key}", "Bearer {key}x",
     "Bearer x{key}", "Bearer {key} {key}", "Bearer {upper}", "Token {key}", "Bearer \xe9", "Bearer ares_\xff_\xff", "Bearer ares__", "Bearer \0",
     "Bearer ares_00000000000\0_" + "x" * 43, "Bearer " + "x" * 100_000],
)  # fmt: skip
def test_what_is_no_key_opens_nothing(acme_key: str, header: str) -> None:
    bare = acme_key.removeprefix("ares_")
    text = header.format(key=bare if "ares_{" in header else acme_key, upper=acme_key.upper())
    response = Client(raise_request_exception=False).get("/api/v1/streams", headers={"Authorization": text})
    assert is_refused(response)


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER", "Bearer  "])
def test_the_scheme_may_be_written_in_any_case(acme_key: str, scheme: str) -> None:
    assert Client().get("/api/v1/streams", headers={"Authorization": f"{scheme} {acme_key} "}).status_code == 200


def test_a_key_whose_secret_is_wrong_opens_nothing(acme_key: str) -> None:
    other = "A" if acme_key[-1] != "A" else "B"
    assert is_refused(ApiClient(acme_key[:-1] + other).get("/streams"))


def test_a_revoked_key_opens_nothing_from_then_on(api: ApiClient, in_acme: Tenant) -> None:
    assert api.get("/streams").status_code == 200
    key = ApiKey.objects.get()
    key.revoke(timezone.now())
    assert is_refused(api.get("/streams"))
    revoked_at = key.revoked_at
    key.revoke(timezone.now())
    assert key.revoked_at == revoked_at


@pytest.mark.parametrize(("minutes", "status"), [(1, 200), (0, 401), (-1, 401)])
def test_a_key_opens_until_it_expires(in_acme: Tenant, minutes: int, status: int) -> None:
    _, text = ApiKey.objects.issue(in_acme, "short-lived", timezone.now() + timedelta(minutes=minutes))
    assert ApiClient(text).get("/streams").status_code == status


def test_wrong_revoked_and_expired_keys_are_refused_in_the_same_words(api: ApiClient, in_acme: Tenant) -> None:
    _, expired = ApiKey.objects.issue(in_acme, "expired", timezone.now())
    ApiKey.objects.exclude(name="expired").update(revoked_at=timezone.now())
    answers = {
        client.get("/streams").content
        for client in (api, ApiClient(expired), ApiClient("ares_000000000000_" + "x" * 43))
    }
    assert len(answers) == 1


def test_the_secret_is_nowhere_in_the_database(acme_key: str, acme: Tenant) -> None:
    assert tables.holding(acme_key) == []
    assert tables.holding(acme_key.split("_", 2)[2]) == []


def test_the_time_of_last_use_is_kept_to_the_minute(api: ApiClient, in_acme: Tenant) -> None:
    before = timezone.now()
    api.get("/streams")
    first = ApiKey.objects.get().last_used_at
    assert before <= first <= timezone.now()
    api.get("/streams")
    assert ApiKey.objects.get().last_used_at == first
    ApiKey.objects.update(last_used_at=first - timedelta(minutes=1))
    api.get("/streams")
    assert ApiKey.objects.get().last_used_at > first - timedelta(minutes=1)


@pytest.mark.django_db(transaction=True)
def test_a_slow_request_does_not_hold_up_the_next_one_with_the_same_key(acme: Tenant, acme_key: str) -> None:
    def slow() -> None:
        with tenant_scope(acme.pk):
            ApiKey.objects.get().note_use(timezone.now(), "127.0.0.1")
            noted.set()
            assert may_end.wait(10)

    noted, may_end = Signal(), Signal()
    with threads() as several:
        slowly = several.start(slow)
        assert noted.wait(10)
        assert several.start(lambda: ApiClient(acme_key).get("/streams").status_code).result(5) == 200
        may_end.set()
        slowly.result()


def test_another_tenants_things_are_answered_like_things_that_do_not_exist(api: ApiClient, stranger: ApiClient) -> None:
    session = api.post("/sessions", {"user_id": "u"}).json()["id"]
    task = api.post("/tasks", {"session_id": session, "input": "x"}).json()["id"]
    api.post("/streams/run-1/events", {"events": [{"type": "a.b"}]})
    message = {"role": "user", "content": "hi"}
    requests = [
        ("GET", "/sessions/{session}", None), ("DELETE", "/sessions/{session}", None), ("GET", "/sessions/{session}/messages", None),
        ("POST", "/sessions/{session}/messages", message), ("POST", "/tasks", {"session_id": "{session}", "input": "x"}),
        ("GET", "/tasks/{task}", None), ("PATCH", "/tasks/{task}", {"status": "completed"}), ("GET", "/streams/{stream}/events", None),
        ("GET", "/streams/{stream}/state", None), ("GET", "/streams/{session}/events", None),
        ("POST", "/streams/{session}/events", {"events": [{"type": "a.b"}]}),
    ]  # fmt: skip
    theirs = {"session": session, "task": task, "stream": "run-1"}
    unknown = {"session": "sess_" + "0" * 24, "task": "task_" + "0" * 24, "stream": "run-0"}
    before = tables.row_counts()

    def answer(method: str, path: str, body: object, ids: dict[str, str]) -> tuple[int, str]:
        sent = body and {**body, **({"session_id": ids["session"]} if "session_id" in body else {})}
        response = stranger.call(method, path.format(**ids), sent)
        text = response.content.decode()
        for name, known in ids.items():
            text = text.replace(known, f"<{name}>")
        return response.status_code, text

    for method, path, body in requests:
        assert answer(method, path, body, theirs) == answer(method, path, body, unknown)
        assert answer(method, path, body, theirs)[0] == 404, path
    assert stranger.get("/streams").json()["results"] == []
    assert tables.row_counts() == before


def test_another_tenants_stream_name_is_free(api: ApiClient, stranger: ApiClient) -> None:
    body = {"events": [{"id": "e1", "type": "a.b"}], "expected_version": 0}
    assert [client.post("/streams/run-1/events", body).status_code for client in (api, stranger)] == [201, 201]
    assert (
        api.get("/streams/run-1/events").json()["results"][0]["hash"]
        != stranger.get("/streams/run-1/events").json()["results"][0]["hash"]
    )


def test_a_dashboard_session_is_no_key(acme: Tenant, admin_client: Client) -> None:
    assert is_refused(admin_client.get("/api/v1/streams"))

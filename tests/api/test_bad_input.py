"""Bad input: a clear error for every case and at every endpoint, never a 5xx and never a partial write."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from memory.models import Tenant
from memory.tenancy import tenant_scope
from tests import tables
from tests.api import hostile
from tests.api.conftest import ApiClient
from tests.layers.test_reshaping import made

# Every place where a body is taken: method, path with `{session}` and `{task}`, and a body that is accepted.
WRITES: dict[str, tuple[str, str, Any]] = {
    "open a session": ("POST", "/sessions", {"user_id": "u", "agent_id": "a", "metadata": {"k": "v"}}),
    "add a message": (
        "POST", "/sessions/{session}/messages",
        {"role": "user", "content": "hi", "name": "n", "tool_calls": [{"id": "c"}], "tool_call_id": "c",
         "occurred_at": "2026-05-01T09:30:00Z"},
    ),
    "add messages": ("POST", "/sessions/{session}/messages", [{"role": "user", "content": "hi"}] * 2),
    "open a task": ("POST", "/tasks", {"session_id": "{session}", "user_id": "u", "input": {"do": "it"}}),
    "end a task": ("PATCH", "/tasks/{task}", {"status": "completed", "output": {"done": True}}),
    "append events": (
        "POST", "/streams/run-1/events",
        {"events": [{"id": "e1", "type": "tool.call", "payload": {"k": "v"}, "metadata": {"m": 1},
                     "occurred_at": "2026-05-01T09:30:00Z", "causation_id": "c", "correlation_id": "d"}],
         "expected_version": 0},
    ),
    "keep a document": ("POST", "/knowledge", {"title": "t", "text": "x", "metadata": {"k": "v"}}),
    "keep a tool": ("POST", "/tools", {"name": "n", "description": "d", "schema": {"type": "object"}}),
    "search": (
        "POST", "/search",
        {"query": "x", "limit": 5, "plan": {"vector_weight": 0}, "filters": {"user_id": "u"}, "stream": "{session}"},
    ),
    "judge an experience": ("POST", "/experiences/{experience}/feedback", {"verdict": "helpful", "note": "n"}),
    "merge experiences": ("POST", "/experiences/{experience}/merges", {"other_id": "{other}"}),
    "split an experience": (
        "POST", "/experiences/{experience}/splits", {"parts": [{"problem": "p", "solution": "a"}, {"solution": "b"}]},
    ),
    "append to a session": ("POST", "/streams/{session}/events", {"events": [{"type": "llm.call", "payload": {}}]}),
}  # fmt: skip
FIELDS = {
    **{name: [*body, "", "extra"] for name, (_, _, body) in WRITES.items() if isinstance(body, dict)},
    "add messages": ["", "role", "content"],
}
FIELDS["append events"] += [f"0.{field}" for field in WRITES["append events"][2]["events"][0]]
MARK = '"\ufffemark"'


@pytest.fixture
def ids(api: ApiClient, acme: Tenant) -> dict[str, str]:
    """A session, an open task and two experiences."""
    session = api.post("/sessions", {"user_id": "u"}).json()["id"]
    task = api.post("/tasks", {"session_id": session, "user_id": "u", "input": "x"}).json()["id"]
    with tenant_scope(acme.pk):
        experience, other = made("It is line 9.").pk, made("It stops here.").pk
    return {"session": session, "task": task, "experience": experience, "other": other}


@pytest.fixture
def unchanged(ids: dict[str, str]) -> Callable[[], None]:
    """Asserts that no table has another number of rows than before."""
    before = tables.row_counts()

    def check() -> None:
        assert tables.row_counts() == before

    return check


def filled(value: Any, ids: dict[str, str]) -> Any:
    text = json.dumps(value)
    for name, own in ids.items():
        text = text.replace(f"{{{name}}}", own)
    return json.loads(text)


def spoilt(body: Any, place: str, with_text: bytes) -> bytes:
    """The body as bytes, with this JSON text at the place: a field, `0.field` in the first event, or "" for all of it."""
    if not place:
        return with_text
    mark = json.loads(MARK)
    if isinstance(body, list):
        body = [body[0], {**body[0], place: mark}]
    elif place.startswith("0."):
        body = {**body, "events": [{**body["events"][0], place[2:]: mark}]}
    else:
        body = {**body, place: mark}
    return json.dumps(body, ensure_ascii=False).encode().replace(MARK.encode(), with_text)


def is_problem(response: Any) -> bool:
    """A client's error, told as problem details."""
    detail = response.json()
    return (
        400 <= response.status_code < 500
        and response["Content-Type"] == "application/problem+json"
        and detail["status"] == response.status_code
        and bool(detail["title"] and detail["detail"] and detail["type"])
    )


@pytest.mark.parametrize("name", WRITES)
def test_the_body_that_the_other_tests_spoil_is_accepted(api: ApiClient, ids: dict[str, str], name: str) -> None:
    method, path, body = WRITES[name]
    assert api.call(method, path.format(**ids), filled(body, ids)).status_code in (200, 201)


@pytest.mark.parametrize("name", WRITES)
def test_what_can_never_be_recorded_is_refused_wherever_it_stands(
    api: ApiClient, ids: dict[str, str], unchanged: Callable[[], None], name: str
) -> None:
    method, path, body = WRITES[name]
    for place in FIELDS[name]:
        for what, text in hostile.NEVER.items():
            if place == "extra" and (what in hostile.READABLE or name.startswith("append")):
                continue  # a field that nobody reads
            response = api.call(method, path.format(**ids), spoilt(filled(body, ids), place, text))
            assert is_problem(response), (place, what, response.content)
    unchanged()


@pytest.mark.parametrize("name", WRITES)
def test_odd_values_are_recorded_or_refused_with_nothing_written(
    api: ApiClient, ids: dict[str, str], name: str
) -> None:
    method, path, body = WRITES[name]
    rows = tables.row_counts()
    for place in FIELDS[name]:
        for value in hostile.ODD:
            text = json.dumps(value).encode()
            response = api.call(method, path.format(**ids), spoilt(filled(body, ids), place, text))
            before, rows = rows, tables.row_counts()
            assert response.status_code in (200, 201) or (is_problem(response) and rows == before), (
                place,
                value,
                response.content,
            )


@pytest.mark.parametrize("name", WRITES)
def test_a_body_that_is_no_json_is_refused(
    api: ApiClient, ids: dict[str, str], unchanged: Callable[[], None], name: str
) -> None:
    method, path, body = WRITES[name]
    sent = json.dumps(filled(body, ids)).encode()
    for broken in (b"", b" ", b"\0", b"{", sent[:-1], sent + sent, sent + b"x", b"\xef\xbb\xbf" + sent, sent.decode().encode("utf-16"),
                   b"null", b"1", b'"text"', b"[]", b"[[]]", b"{}", b"{'a': 1}", b'{"a": 01}', b"user_id=u"):  # fmt: skip
        assert is_problem(api.call(method, path.format(**ids), broken)), broken
    unchanged()


@pytest.mark.parametrize("name", WRITES)
def test_a_body_of_another_media_type_is_refused(
    api: ApiClient, ids: dict[str, str], unchanged: Callable[[], None], name: str
) -> None:
    method, path, body = WRITES[name]
    for media_type in (
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/xml",
        "",
        ";",
        "a/b/c",
        "json",
    ):
        response = api.client.generic(
            method, f"/api/v1{path.format(**ids)}", json.dumps(filled(body, ids)), media_type, headers=api.headers
        )
        assert is_problem(response), media_type
        assert response.status_code in (400, 415), media_type
    unchanged()


def test_a_body_over_the_limit_is_refused_unread(
    api: ApiClient, ids: dict[str, str], unchanged: Callable[[], None]
) -> None:
    for name, (method, path, _) in WRITES.items():
        response = api.call(method, path.format(**ids), b" " * (16 * 2**20 + 1))
        assert (response.status_code, response.json()["limit"]) == (413, 16 * 2**20), name
    for length in ("9" * 5000, "-1", "x"):
        response = api.client.generic(
            "POST", "/api/v1/sessions", b"{}", "application/json", headers=api.headers, CONTENT_LENGTH=length
        )
        assert response.status_code in (400, 413), length
    unchanged()


def test_a_payload_over_the_limit_is_refused_and_one_just_under_it_is_not(api: ApiClient, ids: dict[str, str]) -> None:
    fits, does_not = ({"s": "x" * (4 * 2**20 - len('{"s":""}') + extra)} for extra in (0, 1))
    for field in ("payload", "metadata"):
        path = f"/streams/{field}/events"
        assert api.post(path, {"events": [{"type": "a.b", field: fits}]}).status_code == 201
        before = tables.row_counts()
        assert api.post(path, {"events": [{"type": "a.b"}, {"type": "a.b", field: does_not}]}).status_code == 413
        assert tables.row_counts() == before
    assert (
        api.post(f"/sessions/{ids['session']}/messages", {"role": "user", "content": "x" * (4 * 2**20)}).status_code
        == 413
    )
    assert api.post("/tasks", {"session_id": ids["session"], "input": "x" * (4 * 2**20)}).status_code == 413
    assert api.post("/sessions", {"user_id": "u", "metadata": does_not}).status_code == 413
    assert api.patch(f"/tasks/{ids['task']}", {"status": "failed", "output": does_not}).status_code == 413
    assert tables.row_counts() == before | {
        key: count for key, count in tables.row_counts().items() if key not in before
    }


def test_nesting_up_to_the_limit_is_recorded(api: ApiClient) -> None:
    for depth, status in ((99, 201), (100, 400)):  # the payload is a level of its own
        nested: Any = "x"
        for _ in range(depth):
            nested = [nested]
        assert (
            api.post("/streams/run/events", {"events": [{"type": "a.b", "payload": {"a": nested}}]}).status_code
            == status
        )


PATHS = [
    "/sessions/{}", "/sessions/{}/messages", "/tasks/{}", "/streams/{}/events", "/streams/{}/state", "/knowledge/{}", "/tools/{}",
    "/experiences/{}", "/experiences/{}/revisions", "/experiences/{}/feedback", "/experiences/{}/reversions", "/experiences/{}/merges",
    "/experiences/{}/splits", "/distillations/{}", "/distillations/{}/acceptances", "/sessions/{}/distillations", "/tasks/{}/distillations",
]  # fmt: skip
NAMES = [
    "%00",
    "%ED%A0%80",
    "%FF",
    "%C3%A9",
    "sess_%00",
    "task_%00",
    "..",
    "%2e%2e",
    "%20",
    "%0a",
    "x" * 5000,
    "%25",
    "'",
    '"',
    "sess_",
    "%F0%9F%98%80",
]


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PATCH", "DELETE", "OPTIONS", "PUT", "TRACE", "BREW"])
def test_odd_names_in_an_address_are_not_found_or_refused(
    api: ApiClient, unchanged: Callable[[], None], method: str
) -> None:
    bodies = [{"events": [{"type": "a.b"}]}, {"role": "user", "content": "x"}, {"status": "completed"}, [None]]
    for path in PATHS:
        for name in NAMES:
            for body in bodies if method in ("POST", "PATCH") else [None]:
                response = api.call(method, path.format(name), body)
                assert response.status_code < 500, (path, name, response.content)
                assert response.status_code >= 400 or method == "OPTIONS", (path, name)
                assert method in ("HEAD", "OPTIONS") or is_problem(response), (path, name)
    unchanged()


@pytest.mark.parametrize("charset", ["utf-8", "utf-16", "latin-1", "no-such"])
def test_a_body_is_utf_8_whatever_charset_a_client_names(api: ApiClient, charset: str) -> None:
    kind = f"application/json; charset={charset}"
    response = api.client.generic("POST", "/api/v1/sessions", '{"user_id": "é"}'.encode(), kind, headers=api.headers)
    assert (response.status_code, response.json()["user_id"]) == (201, "é")


@pytest.mark.parametrize(
    "accept",
    [
        "",
        "*/*",
        "application/json",
        "text/html",
        "application/problem+json",
        ";;;",
        "a",
        "a/b;q=x",
        "é",
        "\0",
        "," * 1000,
        "*/*;" * 1000,
    ],
)
def test_whatever_a_client_accepts_it_gets_an_answer(api: ApiClient, accept: str) -> None:
    for path in ("/streams", "/sessions/x"):
        response = api.get(path, Accept=accept)
        assert response.status_code in (200, 404, 406)
        assert response.json()


def test_an_address_that_does_not_exist_is_answered_with_problem_details(api: ApiClient, nobody: ApiClient) -> None:
    for client in (api, nobody):
        for path in ("/nothing", "/sessions/", "/streams/run/events/1", "/streams//events", "/%00", "/%FF"):
            response = client.get(path)
            assert response.status_code == 404, path
            assert is_problem(response), path

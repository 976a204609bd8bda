"""Lists come in pages whose links stay right while rows are added."""

import base64
from itertools import chain

import pytest

from tests.api.conftest import ApiClient


@pytest.fixture
def messages(api: ApiClient) -> str:
    """The address of 25 messages."""
    path = f"/sessions/{api.post('/sessions', {'user_id': 'ann'}).json()['id']}/messages"
    api.post(path, [{"role": "user", "content": str(n)} for n in range(25)])
    return path


def walk(api: ApiClient, path: str, way: str = "next") -> list[list[str]]:
    pages = []
    while path:
        page = api.get(path).json()
        assert page.keys() == {"next", "previous", "results"}
        pages.append([item.get("content") or item["name"] for item in page["results"]])
        path = (page[way] or "").partition("/api/v1")[2]
    return pages


def test_pages_go_through_everything_once_and_back(api: ApiClient, messages: str) -> None:
    pages = walk(api, f"{messages}?limit=10")
    assert pages == [[str(n) for n in range(start, min(start + 10, 25))] for start in (0, 10, 20)]
    second = api.get(api.get(f"{messages}?limit=10").json()["next"].partition("/api/v1")[2]).json()
    assert [item["content"] for item in api.get(second["previous"].partition("/api/v1")[2]).json()["results"]] == pages[
        0
    ]
    assert walk(api, messages) == [[str(n) for n in range(25)]]


def test_rows_that_are_added_meanwhile_move_no_page(api: ApiClient) -> None:
    for n in range(6):
        api.post(f"/streams/run-{n}/events", {"events": [{"type": "a.b"}]})
    first = api.get("/streams?limit=3").json()
    api.post("/streams/run-9/events", {"events": [{"type": "a.b"}]})
    assert [stream["name"] for stream in first["results"]] == ["run-5", "run-4", "run-3"]
    assert walk(api, first["next"].partition("/api/v1")[2]) == [["run-2", "run-1", "run-0"]]
    assert list(chain(*walk(api, "/streams?limit=2"))) == [f"run-{n}" for n in (9, 5, 4, 3, 2, 1, 0)]


def test_filters_stay_in_the_links(api: ApiClient) -> None:
    for n in range(5):
        api.post(f"/streams/run-{n}/events", {"events": [{"type": "a.b", "payload": {"agent_id": f"a{n % 2}"}}]})
    assert walk(api, "/streams?agent_id=a0&limit=2") == [["run-4", "run-2"], ["run-0"]]


def forged(text: str) -> str:
    return base64.b64encode(text.encode()).decode().replace("+", "%2B")


CURSORS = [
    "x", "%00", "%FF", "٣", "", forged("p=x"), forged("p=2026-05-01"), forged("p=2026-05-01T00:00:00"), forged("p=%00"), forged("r=x"),
    forged("o=x"), forged("p=1e5"), forged("p=" + "9" * 5000), forged("p=2026-13-45 00:00:00+00:00"), forged("o=-1"),
    base64.b64encode(b"\xff\xfe").decode(),
]  # fmt: skip


@pytest.mark.parametrize("cursor", CURSORS)
def test_a_cursor_that_is_none_is_refused_or_shows_the_beginning(api: ApiClient, messages: str, cursor: str) -> None:
    for path in (messages, "/streams"):
        response = api.get(f"{path}?cursor={cursor}")
        assert response.status_code in (200, 400), (path, response.content)
        assert response.status_code == 400 or response.json()["previous"] is None


@pytest.mark.parametrize("limit", ["0", "-1", "1001", "x", "", "1.5", "%00", "٣", "9" * 5000, "1 ", "+1"])
def test_a_size_that_is_none_is_refused(api: ApiClient, messages: str, limit: str) -> None:
    session = messages.split("/")[2]
    for path in (messages, "/streams", "/events", f"/streams/{session}/events"):
        response = api.get(f"{path}?limit={limit}")
        assert (response.status_code, response["Content-Type"]) == (400, "application/problem+json"), path
        assert "limit" in response.json()["detail"]


@pytest.mark.parametrize(
    "query",
    [
        "from_version=-1",
        "from_version=x",
        "from_version=9223372036854775808",
        "direction=up",
        "direction=",
        "direction=%00",
    ],
)
def test_a_place_in_a_stream_that_is_none_is_refused(api: ApiClient, messages: str, query: str) -> None:
    assert api.get(f"/streams/{messages.split('/')[2]}/events?{query}").status_code == 400

"""`POST` and `GET /streams/{stream}/events`."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.api.pages import Place, stream_page
from tests.api.conftest import ApiClient
from tests.events.making import values

RUN = "/streams/run-1/events"


def events(*ids: str, **fields: Any) -> dict[str, Any]:
    return {"events": [{"id": name, "type": "tool.call", "payload": {"n": name}} for name in ids], **fields}


def test_events_are_appended_and_read_back(api: ApiClient) -> None:
    sent = {"id": "e1", "type": "tool.call", "payload": {"b": 1, "a": [None, 1.5]}, "metadata": {"host": "x"},
            "occurred_at": "2026-05-01T11:30:00.5+02:00", "causation_id": "c", "correlation_id": "d"}  # fmt: skip
    response = api.post(RUN, {"events": [sent, {"type": "a.b"}], "expected_version": 0})
    assert response.status_code == 201
    answer = response.json()
    first, second = answer["events"]
    assert answer["version"] == 2
    assert {
        **sent,
        "occurred_at": "2026-05-01T09:30:00.500000Z",
        "version": 1,
        "stream": "run-1",
        "erased_at": None,
    }.items() <= first.items()
    assert (second["payload"], second["metadata"], second["causation_id"], second["version"]) == ({}, {}, None, 2)
    assert second["id"].startswith("evt_")
    assert len(bytes.fromhex(second["hash"])) == 32
    assert api.get(RUN).json()["results"] == answer["events"]


@pytest.mark.parametrize("stream", ["aresweb:memory", "aresweb:anything"])
def test_what_aresweb_does_by_itself_is_for_nobody_else_to_tell(api: ApiClient, stream: str) -> None:
    answer = api.post(f"/streams/{stream}/events", events("e1"))
    assert (answer.status_code, answer.json()["type"]) == (400, "urn:aresweb:problem:invalid")
    assert api.get(f"/streams/{stream}/events").status_code == 404
    assert api.post("/search", {"query": "x", "stream": stream}).status_code == 400


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=20)
@given(
    st.dictionaries(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=5), values, max_size=4
    )
)
def test_a_payload_comes_back_as_it_was_sent(api: ApiClient, payload: dict[str, Any]) -> None:
    response = api.post(RUN, {"events": [{"type": "a.b", "payload": payload}]})
    version = response.json()["version"]
    assert api.get(f"{RUN}?from_version={version}").json()["results"][0]["payload"] == payload


@pytest.mark.parametrize("number", [2**53 + 1, -(2**63) - 1, 2**64, 10**1000 + 1])
def test_integers_over_2_to_the_53_are_kept_exactly(api: ApiClient, number: int) -> None:
    response = api.post(RUN, {"events": [{"type": "a.b", "payload": {"n": number}, "metadata": {"n": number}}]})
    for content in (response.content, api.get(RUN).content, api.get("/streams/run-1/state").content):
        assert b'"version"' in content
    assert str(number).encode() in response.content
    assert api.get(RUN).content.count(str(number).encode()) == 2


def test_a_wrong_version_is_a_conflict_that_tells_the_actual_one(api: ApiClient) -> None:
    api.post(RUN, events("a", "b"))
    response = api.post(RUN, events("c", expected_version=1))
    assert response.status_code == 409
    problem = response.json()
    assert (problem["type"], problem["expected_version"], problem["actual_version"]) == (
        "urn:aresweb:problem:wrong-version",
        1,
        2,
    )
    assert api.post("/streams/new/events", events("c", expected_version=5)).json()["actual_version"] == 0
    assert [stream["name"] for stream in api.get("/streams").json()["results"]] == ["run-1"]


def test_the_same_events_again_are_answered_with_the_original_ones(api: ApiClient) -> None:
    first = api.post(RUN, events("a", "b", expected_version=0))
    again = api.post(RUN, events("a", "b", expected_version=0))
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json() == first.json()
    more = api.post(RUN, events("b", "c"))
    assert (more.status_code, [event["version"] for event in more.json()["events"]]) == (201, [2, 3])


def test_the_same_id_with_other_content_is_a_conflict(api: ApiClient) -> None:
    api.post(RUN, events("a"))
    response = api.post(RUN, {"events": [{"type": "a.b"}, {"id": "a", "type": "tool.call", "payload": {"n": "other"}}]})
    assert response.status_code == 409
    assert (response.json()["type"], response.json()["id"]) == ("urn:aresweb:problem:event-id-taken", "a")
    assert len(api.get(RUN).json()["results"]) == 1


def test_a_thousand_events_are_taken_and_one_more_is_not(api: ApiClient) -> None:
    assert api.post(RUN, {"events": [{"type": "a.b"}] * 1000}).json()["version"] == 1000
    response = api.post(RUN, {"events": [{"type": "a.b"}] * 1001})
    assert (response.status_code, response.json()["limit"]) == (413, 1000)
    assert api.get("/streams").json()["results"][0]["version"] == 1000


def test_a_clock_that_is_a_year_ahead_is_kept_and_changes_no_order(api: ApiClient) -> None:
    api.post(RUN, {"events": [{"type": "a.b", "occurred_at": "2099-01-01T00:00:00Z"}]})
    api.post(RUN, {"events": [{"type": "a.b", "occurred_at": "1999-01-01T00:00:00Z"}]})
    shown = api.get(RUN).json()["results"]
    assert [event["occurred_at"][:4] for event in shown] == ["2099", "1999"]
    assert shown[0]["recorded_at"] < shown[1]["recorded_at"] < "2099"


def test_a_stream_that_does_not_exist_is_not_found_and_reading_makes_none(api: ApiClient) -> None:
    for path in (RUN, "/streams/run-1/state"):
        assert api.get(path).status_code == 404
    assert api.get("/streams").json()["results"] == []


def walk(api: ApiClient, path: str, way: str) -> list[list[int]]:
    """The versions on each page from there on."""
    pages = []
    while path:
        page = api.get(path).json()
        pages.append([event["version"] for event in page["results"]])
        path = (page[way] or "").partition("/api/v1")[2]
    return pages


@pytest.fixture
def ten(api: ApiClient) -> None:
    """A stream of ten events."""
    api.post(RUN, events(*(f"e{n}" for n in range(10))))


@pytest.mark.usefixtures("ten")
def test_pages_go_forward_and_backward_through_every_event_once(api: ApiClient) -> None:
    assert walk(api, f"{RUN}?limit=4", "next") == [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10]]
    assert walk(api, f"{RUN}?limit=4&direction=backward", "next") == [[10, 9, 8, 7], [6, 5, 4, 3], [2, 1]]
    assert walk(api, f"{RUN}?limit=4&from_version=9", "previous") == [[9, 10], [5, 6, 7, 8], [1, 2, 3, 4]]
    assert walk(api, f"{RUN}?limit=4&from_version=3", "previous") == [[3, 4, 5, 6], [1, 2]]
    assert walk(api, f"{RUN}?limit=4&direction=backward&from_version=8", "previous") == [[8, 7, 6, 5], [10, 9]]
    assert walk(api, f"{RUN}?limit=4&from_version=0", "next") == walk(api, f"{RUN}?limit=4", "next")
    assert walk(api, f"{RUN}?limit=4&from_version=99", "previous") == [[], [7, 8, 9, 10], [3, 4, 5, 6], [1, 2]]
    assert walk(api, f"{RUN}?limit=4&direction=backward&from_version=99", "next") == [
        [10, 9, 8, 7],
        [6, 5, 4, 3],
        [2, 1],
    ]


@pytest.mark.usefixtures("ten")
def test_following_a_stream_goes_on_where_the_last_page_ended(api: ApiClient) -> None:
    assert api.get(f"{RUN}?from_version=11").json() == {
        "next": None, "previous": "http://testserver/api/v1/streams/run-1/events?direction=forward&from_version=1&limit=10",
        "results": [],
    }  # fmt: skip
    api.post(RUN, events("new"))
    assert [event["id"] for event in api.get(f"{RUN}?from_version=11").json()["results"]] == ["new"]


@given(st.integers(0, 40), st.integers(1, 12), st.integers(1, 30), st.booleans())
def test_neighbouring_pages_touch_and_do_not_overlap(first: int, limit: int, version: int, forward: bool) -> None:
    def numbers(place: Place) -> list[int]:
        start, most = place
        return [
            n for n in (range(start, start + most) if forward else range(start, start - most, -1)) if 1 <= n <= version
        ]

    page = stream_page(first, limit, version, forward)
    way = 1 if forward else -1
    here = numbers(page.here)
    if page.next:
        assert numbers(page.next)[0] == here[-1] + way
    elif here:
        assert here[-1] == (version if forward else 1)
    if page.previous:
        before = numbers(page.previous)
        assert before[-1] + way == page.here.from_version
        assert len(before) == page.previous.limit <= limit
    else:
        assert page.here.from_version == (1 if forward else version)


@pytest.mark.parametrize("kind", ["session.created", "session.expired", "session.deleted"])
def test_how_a_session_fares_is_not_for_clients_to_tell(api: ApiClient, kind: str) -> None:
    name = api.post("/sessions", {"user_id": "ann"}).json()["id"]
    answer = api.post(f"/streams/{name}/events", {"events": [{"type": kind}]})
    assert answer.status_code == 400
    assert api.get(f"/streams/{name}/state").json()["version"] == 1
    assert api.post(RUN, {"events": [{"type": kind}]}).status_code == 201, "a stream of the client's own is its own"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (RUN, {"events": [{"type": "a.b"}], "expectedVersion": 7}),
        ("/sessions", {"user_id": "ann", "titel": "x"}),
        ("/tasks", {"session_id": "sess_x", "input": "x", "outptu": 1}),
    ],
)
def test_a_misspelt_field_is_refused_and_named(api: ApiClient, path: str, body: dict[str, Any]) -> None:
    answer = api.post(path, body)
    assert answer.status_code == 400
    assert "unknown fields" in answer.json()["detail"]

"""`GET /events`: every stream's events in one order."""

import pytest

from memory.models import Tenant
from tests.api.conftest import ApiClient
from tests.horizon import wait_for_the_feed

pytestmark = pytest.mark.django_db(transaction=True)


def append(api: ApiClient, stream: str, *ids: str) -> None:
    assert (
        api.post(f"/streams/{stream}/events", {"events": [{"id": name, "type": "a.b"} for name in ids]}).status_code
        == 201
    )


def test_the_feed_goes_through_all_streams_once_and_on_from_its_cursor(api: ApiClient, acme: Tenant) -> None:
    append(api, "one", "a", "b")
    append(api, "two", "c")
    append(api, "one", "d", "e")
    wait_for_the_feed(acme)
    seen, path = [], "/events?limit=2"
    while path:
        page = api.get(path).json()
        seen += [(event["stream"], event["id"]) for event in page["results"]]
        path = (page["next"] or "").partition("/api/v1")[2]
    assert seen == [("one", "a"), ("one", "b"), ("two", "c"), ("one", "d"), ("one", "e")]
    rest = api.get(f"/events?after={page['cursor']}").json()
    assert rest == {"next": None, "previous": None, "cursor": page["cursor"], "results": []}
    append(api, "two", "f")
    wait_for_the_feed(acme)
    assert [event["id"] for event in api.get(f"/events?after={page['cursor']}").json()["results"]] == ["f"]


def test_the_feed_is_empty_at_first_and_shows_no_other_tenants_events(api: ApiClient, stranger: ApiClient) -> None:
    assert api.get("/events").json() == {"next": None, "previous": None, "cursor": "0-0", "results": []}
    append(stranger, "theirs", "a")
    assert api.get("/events").json()["results"] == []


@pytest.mark.parametrize(
    "query",
    [
        "after=x",
        "after=1-",
        "after=-1-1",
        "after=99999999999999999999-1",
        "after=%00",
        "limit=0",
        "limit=1001",
        "limit=x",
        "limit=",
        "limit=-1",
    ],
)
def test_what_is_no_cursor_or_no_size_is_refused(api: ApiClient, query: str) -> None:
    response = api.get(f"/events?{query}")
    assert (response.status_code, response["Content-Type"]) == (400, "application/problem+json")

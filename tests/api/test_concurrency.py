"""The promises of the event store while many clients write at the same time, each on a connection of its own."""

import http.client
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from threading import Event as Signal
from typing import Any

import pytest

from memory.events import store, verification
from memory.models import Event, Stream, Tenant
from memory.tenancy import tenant_scope
from tests.api.test_server import free_port, serving
from tests.events.making import drafted
from tests.horizon import wait_for_the_feed
from tests.threads import at_once, threads

pytestmark = pytest.mark.django_db(transaction=True)

WRITERS = 8
EACH = 12
PATIENCE = 30


class Caller:
    """One client with one connection to a real server."""

    def __init__(self, port: int, key: str) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        self.headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        extra = {name.replace("_", "-"): text for name, text in headers.items()}
        data = None if body is None else json.dumps(body)
        self.connection.request(method, f"/api/v1{path}", data, {**self.headers, **extra})
        answer = self.connection.getresponse()
        return answer.status, json.loads(answer.read())

    def append(self, stream: str, *ids: str, **more: Any) -> tuple[int, Any]:
        events = [{"id": name, "type": "note.made", "payload": {"n": 2**60}} for name in ids]
        return self.call("POST", f"/streams/{stream}/events", {"events": events, **more})

    def close(self) -> None:
        self.connection.close()


@pytest.fixture
def port(acme: Tenant) -> Iterator[int]:
    """Where a real server with several processes listens."""
    chosen = free_port()
    with serving(chosen):
        yield chosen


def in_order(tenant: Tenant, name: str) -> int:
    """The version of a stream that verifies."""
    with tenant_scope(tenant.pk):
        stream = Stream.objects.named(name)
        assert verification.verify(stream).faults == 0
        return stream.version


def test_of_writers_who_expect_versions_one_wins_each_and_the_others_are_told_the_actual_one(
    port: int, acme: Tenant, acme_key: str
) -> None:
    """Each writer reads the version, appends at it, and tries again with what the refusal says."""

    def write(writer: int) -> list[int]:
        won: list[int] = []
        with closing(Caller(port, acme_key)) as caller:
            expected = 0
            while len(won) < EACH:
                ids = [f"w{writer}-{len(won)}-{part}" for part in "ab"]
                status, answer = caller.append("run", *ids, expected_version=expected)
                if status == 201:
                    assert [event["version"] for event in answer["events"]] == [expected + 1, expected + 2]
                    won.append(expected)
                    expected = answer["version"]
                else:
                    assert (status, answer["type"]) == (409, "urn:aresweb:problem:wrong-version")
                    assert answer["actual_version"] > answer["expected_version"] == expected
                    expected = answer["actual_version"]
        return won

    won = at_once([lambda writer=writer: write(writer) for writer in range(WRITERS)])
    total = WRITERS * EACH * 2
    assert sorted(version for each in won for version in each) == list(range(0, total, 2))
    assert in_order(acme, "run") == total
    with tenant_scope(acme.pk):
        events = list(Event.objects.order_by("version"))
    assert [event.version for event in events] == list(range(1, total + 1))
    expected_ids = {f"w{writer}-{n}-{part}" for writer in range(WRITERS) for n in range(EACH) for part in "ab"}
    assert Counter(event.event_id for event in events) == Counter(expected_ids)
    assert all(one.event_id[:-1] == other.event_id[:-1] for one, other in zip(events[::2], events[1::2], strict=True))


def test_a_follower_of_all_streams_misses_nothing_and_gets_nothing_twice_while_many_write_and_one_commits_late(
    port: int, acme: Tenant, acme_key: str
) -> None:
    written, may_commit, finished = Signal(), Signal(), Signal()

    def write(writer: int) -> None:
        with closing(Caller(port, acme_key)) as caller:
            for n in range(EACH):
                assert caller.append(f"w{writer}", f"w{writer}-{n}-a", f"w{writer}-{n}-b")[0] == 201

    def write_slowly() -> None:
        with tenant_scope(acme.pk):
            store.append("slow", [drafted(event_id="slow-1")])
            written.set()
            assert may_commit.wait(PATIENCE)
            store.append("slow", [drafted(event_id="slow-2")])

    def follow() -> list[dict[str, Any]]:
        seen: list[dict[str, Any]] = []
        cursor = ""
        with closing(Caller(port, acme_key)) as caller:
            while True:
                was_finished = finished.is_set()
                status, page = caller.call("GET", f"/events?limit=7&after={cursor}")
                assert status == 200
                seen += page["results"]
                cursor = page["cursor"]
                if was_finished and not page["results"]:
                    return seen

    with threads(WRITERS + 2) as several:
        slow = several.start(write_slowly)
        assert written.wait(PATIENCE)
        following = several.start(follow)
        half = [several.start(lambda writer=writer: write(writer)) for writer in range(WRITERS // 2)]
        for future in half:
            future.result()  # committed while the first one is still open
        may_commit.set()
        slow.result()
        rest = [several.start(lambda writer=writer: write(writer)) for writer in range(WRITERS // 2, WRITERS)]
        for future in rest:
            future.result()
        wait_for_the_feed(acme)
        finished.set()
        seen = following.result()
    expected = {f"w{writer}-{n}-{part}" for writer in range(WRITERS) for n in range(EACH) for part in "ab"}
    assert Counter(event["id"] for event in seen) == Counter(expected | {"slow-1", "slow-2"})
    assert [event["id"] for event in seen[:2]] == ["slow-1", "slow-2"]
    for name in ["slow", *(f"w{writer}" for writer in range(WRITERS))]:
        versions = [event["version"] for event in seen if event["stream"] == name]
        assert all(before < after for before, after in pairwise([0, *versions]))
        assert in_order(acme, name) == len(versions)


def test_the_same_request_from_several_clients_is_carried_out_once(port: int, acme: Tenant, acme_key: str) -> None:
    def send(n: int) -> tuple[int, Any]:
        with closing(Caller(port, acme_key)) as caller:
            return caller.append("run", f"mine-{n}-a", f"mine-{n}-b")

    def send_with_key(n: int) -> tuple[int, Any]:
        body = {"events": [{"type": "note.made", "payload": {"n": n}}]}
        with closing(Caller(port, acme_key)) as caller:
            return caller.call("POST", "/streams/keyed/events", body, Idempotency_Key=f"key-{n}")

    for n in range(3):
        answers = at_once([lambda n=n: send(n)] * WRITERS)
        assert sorted(status for status, _ in answers) == [200] * (WRITERS - 1) + [201]
        assert len({json.dumps(answer["events"], sort_keys=True) for _, answer in answers}) == 1
        answers = at_once([lambda n=n: send_with_key(n)] * WRITERS)
        assert {status for status, _ in answers} == {201}
        assert len({json.dumps(answer, sort_keys=True) for _, answer in answers}) == 1
    assert (in_order(acme, "run"), in_order(acme, "keyed")) == (6, 3)

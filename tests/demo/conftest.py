"""An installation that answers over HTTP, and the runs that the demo has recorded there, once for all tests."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.testcases import QuietWSGIRequestHandler
from psycopg.conninfo import make_conninfo
from pytest_django import DjangoDbBlocker
from pytest_django.live_server_helper import LiveServer

from aresweb.demo import Seeded, run_all
from aresweb.demo.client import Client
from aresweb.demo.troubles import TROUBLES
from memory.models import ApiKey, Tenant
from memory.tenancy import tenant_scope

ABANDONED = "api-error"


@dataclass(frozen=True)
class Installation:
    """Where the API answers, with a key for it, and how the demo reaches the database."""

    url: str
    key: str
    database: str


@dataclass(frozen=True)
class Recorded:
    """A run as the API tells it afterwards."""

    stream: dict[str, Any]
    events: list[dict[str, Any]]

    def payloads(self, *types: str) -> list[dict[str, Any]]:
        return [event["payload"] for event in self.events if event["type"] in types]

    @property
    def answer(self) -> str:
        return self.payloads("message.added")[-1]["content"]


@dataclass(frozen=True)
class Demo:
    """Two demos, one after the other, with the same seed; `before` had been abandoned by an earlier one."""

    before: str
    first: list[Seeded]
    second: list[Seeded]
    streams_after_first: list[dict[str, Any]]
    streams_after_second: list[dict[str, Any]]
    runs: dict[str, Recorded]
    abandoned: Recorded


@pytest.fixture(scope="module")
def installation(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Installation]:
    with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as patch:
        # The test server writes an answer in two pieces: on a connection that stays open the second would wait 40 ms.
        patch.setattr(QuietWSGIRequestHandler, "disable_nagle_algorithm", True)
        tenant = Tenant.objects.create(slug="demo", name="Demo")
        with tenant_scope(tenant.pk):
            key = ApiKey.objects.issue(tenant, "demo")[1]
        names = {"HOST": "host", "PORT": "port", "USER": "user", "PASSWORD": "password", "NAME": "dbname"}
        settings = {ours: connection.settings_dict[theirs] for theirs, ours in names.items()}
        server = LiveServer("127.0.0.1")
        yield Installation(server.url, key, make_conninfo(**{name: value for name, value in settings.items() if value}))
        server.stop()
        call_command("flush", interactive=False, verbosity=0)


@pytest.fixture(scope="module")
def client(installation: Installation) -> Iterator[Client]:
    client = Client(installation.url, installation.key)
    yield client
    client.close()


@pytest.fixture(scope="module")
def demo(installation: Installation, client: Client) -> Demo:
    session = {"user_id": "mara", "agent_id": "ops-agent", "metadata": {"origin": f"tests.{ABANDONED}"}}
    before = client.post("/sessions", session)["id"]
    client.post(f"/streams/{before}/events", {"events": [{"type": "agent.started"}]})
    where = (installation.url, installation.key, installation.database, "tests")
    first, after_first = run_all(*where), _streams(client)
    second, after_second = run_all(*where), _streams(client)
    runs = {trouble.name: _read(client, run.session_id) for trouble, run in zip(TROUBLES, first, strict=True)}
    return Demo(before, first, second, after_first, after_second, runs, _read(client, before))


def _streams(client: Client) -> list[dict[str, Any]]:
    return client.get("/streams", limit=1000)["results"]


def _read(client: Client, session_id: str) -> Recorded:
    [stream] = [stream for stream in _streams(client) if stream["name"] == session_id]
    return Recorded(stream, client.get(f"/streams/{session_id}/events", limit=1000)["results"])

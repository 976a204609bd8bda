"""A server for benchmarks: embedded PostgreSQL in a throw-away home, migrated, with one tenant and a key."""

import http.client
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Installation:
    """Where the server listens, and what opens it."""

    port: int
    tenant_id: int
    key: str


@contextmanager
def installation() -> Iterator[Installation]:
    """Start everything, and stop it afterwards. Sets Django up: import nothing of the project before."""
    with tempfile.TemporaryDirectory(prefix="aresweb-bench-") as home:
        port = free_port()
        os.environ |= {
            "ARES_HOME": home,
            "DATABASE_URL": "",  # empty counts as unset, and hides what `.env` says: a benchmark touches no real data
            "ARES_BROKER_URL": "",
            "ARES_HTTPS": "",
            "PORT": str(port),
            "DJANGO_SETTINGS_MODULE": "aresweb.settings",
            "ARES_ALLOWED_HOSTS": "127.0.0.1,localhost,testserver",
        }
        import django

        django.setup()
        from django.core.management import call_command
        from django.db import connections

        from memory import tenants
        from memory.models import ApiKey
        from memory.tenancy import tenant_scope

        call_command("migrate", verbosity=0)
        tenant, _ = tenants.get_or_open("bench")
        with tenant_scope(tenant.pk):
            _, key = ApiKey.objects.issue(tenant, "bench")
        command = [sys.executable, "-m", "gunicorn", "--config", "python:aresweb.gunicorn", "aresweb.wsgi"]
        web = subprocess.Popen([*command, "--log-level", "warning"])
        try:
            _wait(port)
            yield Installation(port, tenant.pk, key)
        finally:
            connections.close_all()
            web.terminate()
            web.wait(20)


def free_port() -> int:
    """A port that nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Client:
    """One connection to the API, kept open."""

    def __init__(self, place: Installation) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", place.port)
        self.headers = {"Authorization": f"Bearer {place.key}", "Content-Type": "application/json"}

    def send(self, method: str, path: str, body: Any = None) -> tuple[int, bytes]:
        """Status and body of the answer."""
        data = json.dumps(body).encode() if body is not None else None
        self.connection.request(method, f"/api/v1{path}", data, self.headers)
        answer = self.connection.getresponse()
        return answer.status, answer.read()

    def append(self, stream: str, events: list[dict[str, Any]]) -> None:
        """Append events, which must succeed."""
        status, answer = self.send("POST", f"/streams/{stream}/events", {"events": events})
        if status != 201:
            raise RuntimeError(f"append was answered with {status}: {answer[:500]!r}")


def _wait(port: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", "/healthz")
            if connection.getresponse().status == 200:
                return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError("the server did not start")

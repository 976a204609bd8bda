"""The whole product as `make run` starts it: what was answered survives whatever happens to the processes."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psutil
import pytest

ROOT = Path(__file__).parents[1]
PATIENCE = 60


class Installation:
    """One home folder and one port; `start` runs `manage.py serve` on them."""

    def __init__(self, home: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        unset = dict.fromkeys(("DATABASE_URL", "ARES_BROKER_URL"), "")
        own = {"ARES_HOME": str(home), "PORT": str(self.port), "ARES_DEMO": "0"}
        self.environment = {**os.environ, **unset, **own, "DJANGO_SETTINGS_MODULE": "aresweb.settings"}
        self.log = home.parent / "serve.log"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> str:
        """Start, wait for the announcement, and return it."""
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "serve"], cwd=ROOT, env=self.environment, stdout=log, stderr=log
            )
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            text = self.log.read_text()
            if "Ctrl-C stops it" in text:
                return text
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        raise AssertionError(f"serve did not start:\n{self.log.read_text()}")

    def manage(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run another command beside it."""
        command = [sys.executable, "manage.py", *arguments]
        return subprocess.run(command, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False)

    def kill_all(self) -> None:
        """kill -9 of the whole tree: supervisor, web server, worker, PostgreSQL."""
        assert self.process is not None
        tree = [psutil.Process(self.process.pid), *psutil.Process(self.process.pid).children(recursive=True)]
        home = self.environment["ARES_HOME"]
        tree += [
            process
            for process in psutil.process_iter(["name", "cmdline"])
            if process.info["name"] == "postgres" and any(home in word for word in process.info["cmdline"] or [])
        ]
        for process in tree:
            try:
                process.kill()
            except psutil.NoSuchProcess:
                continue
        self.process.wait(10)

    def stop(self) -> int:
        """Ctrl-C; returns the exit code."""
        assert self.process is not None
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE)

    def call(self, key: str, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """One request; status and answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        with closing(connection):
            connection.request(method, f"/api/v1{path}", json.dumps(body) if body is not None else None, headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    made = Installation(tmp_path / "home")
    yield made
    if made.process is not None and made.process.poll() is None:
        made.stop()


def test_what_was_answered_survives_kill_9_of_everything(installation: Installation) -> None:
    key = _key(installation.start())
    event = {"type": "note.made", "payload": {"n": 2**60}}
    answered = [
        installation.call(key, "POST", "/streams/run/events", {"events": [event], "expected_version": n})[0]
        for n in range(20)
    ]
    installation.kill_all()
    announced = installation.start()

    status, page = installation.call(key, "GET", "/streams/run/events")

    assert answered == [201] * 20
    assert status == 200
    assert [found["version"] for found in page["results"]] == list(range(1, 21))
    assert _key(announced) == key, "the key is told again, not made anew"


def test_a_command_beside_it_shares_the_database_and_ctrl_c_stops_everything(installation: Installation) -> None:
    installation.start()

    made = installation.manage("create_api_key", "--tenant", "acme", "--name", "beside")
    key = made.stdout.strip()
    status, _ = installation.call(key, "POST", "/sessions", {"user_id": "u"})
    code = installation.stop()

    assert re.fullmatch(r"ares_[0-9a-f]{12}_\S{43}", key), made.stderr
    assert status == 201
    assert code == 0
    assert not [
        process
        for process in psutil.process_iter(["cmdline"])
        if any(installation.environment["ARES_HOME"] in word for word in process.info["cmdline"] or [])
    ]


def test_a_taken_port_is_named(installation: Installation) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", installation.port))
        other.listen()

        refused = installation.manage("serve")

    assert refused.returncode == 1
    assert f"Port {installation.port} is taken" in refused.stderr
    assert "Traceback" not in refused.stderr


def _key(announced: str) -> str:
    found = re.search(r"ares_[0-9a-f]{12}_\S{43}", announced)
    assert found, announced
    return found[0]

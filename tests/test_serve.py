"""The whole product as `make run` starts it: what was answered survives whatever happens to the processes."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import count
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
        _kill([psutil.Process(self.process.pid), *self._tree(), *self._postgres()])
        self.process.wait(10)

    def kill_web_processes(self) -> int:
        """kill -9 of the processes that answer requests; returns how many there were."""
        web = [process for process in self._tree() if _words(process.parent()) & {"gunicorn"}]
        _kill(web)
        return len(web)

    def kill_postgres(self) -> int:
        """kill -9 of the database; returns how many processes named its folder."""
        postgres = self._postgres()
        _kill(postgres)
        return len(postgres)

    def _tree(self) -> list[psutil.Process]:
        assert self.process is not None
        return psutil.Process(self.process.pid).children(recursive=True)

    def _postgres(self) -> list[psutil.Process]:
        home = self.environment["ARES_HOME"]
        return [
            process
            for process in psutil.process_iter(["name", "cmdline"])
            if process.info["name"] == "postgres" and any(home in word for word in process.info["cmdline"] or [])
        ]

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


class Load:
    """Clients that append batches, each to a stream of its own, until the block is left. Batches are told by their ids."""

    SIZE = 5
    CLIENTS = 8

    def __init__(self, installation: Installation, key: str) -> None:
        self.installation = installation
        self.key = key
        self.answered: set[str] = set()
        self.unanswered: set[str] = set()
        self.over = threading.Event()
        self.pool = ThreadPoolExecutor(self.CLIENTS)

    def __enter__(self) -> None:
        self.writing = [self.pool.submit(self._write, number) for number in range(self.CLIENTS)]

    def __exit__(self, *error: object) -> None:
        self.over.set()
        self.pool.shutdown()
        for future in self.writing:
            future.result()

    def wait_for(self, batches: int) -> None:
        """Wait until so many more batches have been answered."""
        goal = len(self.answered) + batches
        deadline = time.monotonic() + PATIENCE
        while len(self.answered) < goal:
            assert time.monotonic() < deadline, f"only {len(self.answered)} of {goal} batches were answered"
            time.sleep(0.01)

    def recorded(self) -> dict[str, int]:
        """How many events of each batch are there."""
        found: Counter[str] = Counter()
        cursor = ""
        while True:
            status, page = self.installation.call(self.key, "GET", f"/events?limit=1000&after={cursor}")
            assert status == 200
            found.update(event["id"].rpartition("-")[0] for event in page["results"])
            cursor = page["cursor"]
            if page["next"] is None:
                return found

    def _write(self, client: int) -> None:
        for number in count():
            if self.over.is_set():
                return
            batch = f"c{client}-{number}"
            events = [{"id": f"{batch}-{n}", "type": "note.made", "payload": {"n": n}} for n in range(self.SIZE)]
            try:
                status, _ = self.installation.call(self.key, "POST", f"/streams/c{client}/events", {"events": events})
            except (OSError, http.client.HTTPException, ValueError):
                status = None
            (self.answered if status == 201 else self.unanswered).add(batch)
            if status != 201:
                time.sleep(0.05)  # as a client waits before it tries again


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


def test_in_the_middle_of_a_load_kill_9_loses_nothing_that_was_answered_and_leaves_no_half_of_a_batch(
    installation: Installation,
) -> None:
    """First of the web server's processes, then of PostgreSQL, then of everything, while eight clients write."""
    key = _key(installation.start())
    load = Load(installation, key)
    with load:
        load.wait_for(30)
        assert installation.kill_web_processes() >= 1
        load.wait_for(30)
        assert installation.kill_postgres() >= 1
        load.wait_for(30)
        installation.kill_all()
    installation.start()

    there = load.recorded()
    report = installation.manage("verify_streams", "--json", "-")

    assert load.unanswered, "nothing was under way when the processes were killed"
    assert load.answered <= there.keys(), "an answered batch is missing"
    assert there.keys() <= load.answered | load.unanswered
    assert set(there.values()) == {Load.SIZE}, "half of a batch is there"
    assert report.returncode == 0, report.stdout + report.stderr
    assert json.loads(report.stdout)["events"] == len(there) * Load.SIZE


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


def _words(process: psutil.Process | None) -> set[str]:
    try:
        return set(process.cmdline()) if process else set()
    except psutil.NoSuchProcess:
        return set()


def _kill(processes: list[psutil.Process]) -> None:
    for process in processes:
        try:
            process.kill()
        except psutil.NoSuchProcess:
            continue


def _key(announced: str) -> str:
    found = re.search(r"ares_[0-9a-f]{12}_\S{43}", announced)
    assert found, announced
    return found[0]

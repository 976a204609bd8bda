"""The tools that several troubles share. A docstring is what the model is told about the tool."""

import socket
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from aresweb.demo.agent import ToolFailed
from aresweb.demo.client import connection_to, exchange
from aresweb.demo.model import readable
from aresweb.demo.scratch import Scratch

TIMED_RUNS = 5
# A tool must not hang where somebody else holds a lock.
LOCK_TIMEOUT_MS = 250


class HttpError(ToolFailed):
    """A service answered with an error."""


def http_request(method: str, url: str, headers: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Send an HTTP request; fails with status, headers and body where the status is 400 or more."""
    with closing(connection_to(url)) as connection:
        answer = exchange(connection, method, url, headers or {})
    seen = {"status": answer.status, "headers": answer.headers, "body": readable(answer.body.decode(errors="replace"))}
    if answer.status >= 400:
        raise HttpError(f"{answer.status} {answer.reason}", **seen)
    return seen


def time_requests(url: str) -> dict[str, Any]:
    """GET an address five times, one request after the other; answers with the milliseconds of each and the least."""
    return _timed(lambda: http_request("GET", url))


def wait(seconds: float) -> str:
    """Do nothing for some seconds."""
    time.sleep(seconds)
    return f"{seconds} s have passed."


def check_port(host: str, port: int) -> dict[str, Any]:
    """Try to connect to a TCP port; answers with whether something listens there."""
    try:
        socket.create_connection((host, port), timeout=1).close()
    except OSError as error:
        return {"host": host, "port": port, "listening": False, "reason": error.strerror or str(error)}
    return {"host": host, "port": port, "listening": True}


class Files:
    """Tools for the files of one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read_file(self, name: str) -> str:
        """The text of a file."""
        return (self._folder / name).read_text(encoding="utf-8")

    def replace_in_file(self, name: str, old: str, new: str) -> str:
        """Replace a text that occurs exactly once in a file; answers with the file's new text."""
        text = self.read_file(name)
        if text.count(old) != 1:
            raise ToolFailed(f"{name} holds {old!r} {text.count(old)} times, not once")
        (self._folder / name).write_text(text.replace(old, new), encoding="utf-8")
        return self.read_file(name)

    def append_to_file(self, name: str, line: str) -> str:
        """Add a line to a file; answers with the file's new text."""
        with (self._folder / name).open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")
        return self.read_file(name)


class Database:
    """Tools for the scratch schema; each use has a connection of its own, so they can run side by side."""

    def __init__(self, scratch: Scratch) -> None:
        self._scratch = scratch

    def run_sql(self, sql: str) -> dict[str, Any]:
        """Run one SQL statement; waits at most 250 ms for a lock. Answers with its status and rows."""
        with self._scratch.connect() as connection:
            connection.execute(f"SET lock_timeout = {LOCK_TIMEOUT_MS}".encode())
            cursor = connection.execute(sql.encode())
            if cursor.description is None:
                return {"status": cursor.statusmessage}
            columns = [column.name for column in cursor.description]
            rows = [dict(zip(columns, row, strict=True)) for row in cursor]
            return {"status": cursor.statusmessage, "rows": rows}

    def time_query(self, sql: str) -> dict[str, Any]:
        """Run a query five times; answers with the milliseconds of each run and the least."""
        with self._scratch.connect() as connection:
            return _timed(lambda: connection.execute(sql.encode()).fetchall())

    def explain(self, sql: str) -> str:
        """What PostgreSQL did to answer a query, and how long each part took (EXPLAIN ANALYZE)."""
        with self._scratch.connect() as connection:
            return "\n".join(line for (line,) in connection.execute(f"EXPLAIN (ANALYZE) {sql}".encode()))


def _timed(action: Callable[[], object]) -> dict[str, Any]:
    milliseconds = []
    for _ in range(TIMED_RUNS):
        begun = time.perf_counter()
        action()
        milliseconds.append(round((time.perf_counter() - begun) * 1000, 2))
    return {"runs_ms": milliseconds, "least_ms": min(milliseconds)}

"""The API over plain HTTP, with retries that record nothing twice."""

import json
import time
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from aresweb.demo.errors import RecorderError, RecorderUnavailable

PREFIX = "/api/v1"
TIMEOUT_SECONDS = 30
# What is waited before the second, third, … try.
RETRY_DELAYS_SECONDS = (0.2, 0.5, 1.0, 2.0)
UNAVAILABLE = 503


class Answer(NamedTuple):
    """An HTTP answer, whatever its status."""

    status: int
    reason: str
    headers: Mapping[str, str]
    body: bytes


def connection_to(url: str) -> HTTPConnection:
    """A connection to the server of this address. It is made by the first request, and again after it was closed."""
    address = urlsplit(url)
    connect = HTTPSConnection if address.scheme == "https" else HTTPConnection
    return connect(address.netloc, timeout=TIMEOUT_SECONDS)


def exchange(
    connection: HTTPConnection, method: str, url: str, headers: Mapping[str, str], body: bytes | None = None
) -> Answer:
    """Send one request and read its answer.

    Raises:
        OSError, HTTPException: there was none.
    """
    address = urlsplit(url)
    path = f"{address.path}?{address.query}" if address.query else address.path
    connection.request(method, path or "/", body, dict(headers))
    response = connection.getresponse()
    return Answer(response.status, response.reason, dict(response.getheaders()), response.read())


class Client:
    """Speaks to one installation with one API key.

    Every method returns the decoded answer and raises RecorderError where the API refuses, or stays unreachable. One
    connection serves all requests of a client; it is for one thread. Close it.
    """

    def __init__(self, url: str, key: str) -> None:
        self._url = url.rstrip("/") + PREFIX
        self._connection = connection_to(url)
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}

    def get(self, path: str, **query: str | int) -> Any:
        """Read."""
        return self._send("GET", f"{path}?{urlencode(query)}" if query else path)

    def post(self, path: str, body: Any, once: str | None = None) -> Any:
        """Write. `once` is the Idempotency-Key, by which a request that is sent again is recognised.

        Events need none: each has an id of its own.
        """
        return self._send("POST", path, body, {"Idempotency-Key": once} if once else {})

    def patch(self, path: str, body: Any) -> Any:
        """Change; saying the same again changes nothing."""
        return self._send("PATCH", path, body)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _send(self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None) -> Any:
        content = None if body is None else json.dumps(body).encode()
        for delay in RETRY_DELAYS_SECONDS:
            try:
                return self._send_once(method, path, content, headers or {})
            except RecorderUnavailable:
                time.sleep(delay)
        return self._send_once(method, path, content, headers or {})

    def _send_once(self, method: str, path: str, content: bytes | None, headers: Mapping[str, str]) -> Any:
        try:
            answer = exchange(self._connection, method, self._url + path, {**self._headers, **headers}, content)
        except (OSError, HTTPException) as error:
            self.close()
            raise RecorderUnavailable(f"{self._url} does not answer: {error}") from error
        if answer.status >= 400:
            refusal = RecorderUnavailable if answer.status == UNAVAILABLE else RecorderError
            raise refusal(f"{method} {self._url}{path}: {answer.status} {answer.reason}: {_detail(answer.body)}")
        try:
            return json.loads(answer.body)
        except ValueError as error:
            raise RecorderError(f"{self._url} answers, but not as aresweb does: {answer.body[:200]!r}") from error


def _detail(body: bytes) -> str:
    """What a refusal says: the `detail` of problem details, else the beginning of whatever it is."""
    try:
        return str(json.loads(body)["detail"])
    except (ValueError, KeyError, TypeError):
        return body[:200].decode(errors="replace")

"""The recording client against a real local server that is not always well."""

import socket
from contextlib import closing

import pytest

from aresweb.demo import client as module
from aresweb.demo.client import Client
from aresweb.demo.errors import RecorderError, RecorderUnavailable
from aresweb.demo.servers import HOST, Request, Response, serving


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "RETRY_DELAYS_SECONDS", (0, 0))


def test_a_busy_service_is_asked_again() -> None:
    statuses = iter([503, 503, 200])
    with serving(lambda _: Response(next(statuses), {"name": "aresweb"})) as url, closing(Client(url, "k")) as client:
        assert client.get("/streams") == {"name": "aresweb"}


def test_a_service_that_stays_busy_is_an_error() -> None:
    busy = {"detail": "The database does not answer."}
    expected = pytest.raises(RecorderUnavailable, match="503 Service Unavailable: The database does not answer")
    with serving(lambda _: Response(503, busy)) as url, closing(Client(url, "k")) as client, expected:
        client.get("/streams")


def test_a_refusal_is_not_repeated_and_tells_the_reason() -> None:
    asked: list[Request] = []

    def refuse(request: Request) -> Response:
        asked.append(request)
        return Response(422, {"detail": "The key was used for another request."})

    expected = pytest.raises(RecorderError, match=r"422 .*: The key was used for another request")
    with serving(refuse) as url, closing(Client(url, "k")) as client, expected:
        client.get("/streams", limit=1)
    assert [(request.path, request.query) for request in asked] == [("/api/v1/streams", {"limit": "1"})]


def test_nobody_listening_is_an_error_with_the_address() -> None:
    with socket.socket() as closed:
        closed.bind((HOST, 0))
        url = f"http://{HOST}:{closed.getsockname()[1]}"
        with closing(Client(url, "k")) as client, pytest.raises(RecorderUnavailable, match=f"{url}/api/v1 does not"):
            client.get("/streams")

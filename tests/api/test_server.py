"""What only a real server shows: bodies that are too long, that do not say how long they are, or that break off."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPResponse
from urllib.parse import quote

import pytest
from django.conf import settings
from django.db import connection

from memory.models import Stream, Tenant
from memory.tenancy import tenant_scope

START_SECONDS = 30
MEBIBYTE = 2**20


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def database_url() -> str:
    """The URL of the tests' database."""
    at = connection.get_connection_params()
    password = f":{quote(at['password'])}" if at.get("password") else ""
    return f"postgres://{at['user']}{password}@{quote(str(at['host']), safe='')}:{at['port']}/{at['dbname']}"


@contextmanager
def serving(port: int) -> Iterator[None]:
    """gunicorn as `manage.py serve` starts it, on the tests' database."""
    environment = os.environ | {"DATABASE_URL": database_url(), "PORT": str(port), "ARES_WEB_WORKERS": "2"}
    command = [sys.executable, "-m", "gunicorn", "--config", "python:aresweb.gunicorn", "aresweb.wsgi"]
    server = subprocess.Popen(
        command, cwd=settings.BASE_DIR, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    try:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and server.poll() is None:
            with closing(socket.socket()) as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        assert server.poll() is None, server.stderr.read().decode()
        yield
    finally:
        server.terminate()
        server.communicate(timeout=START_SECONDS)


class Conversation:
    """One connection, byte by byte."""

    def __init__(self, port: int, key: str) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=20)
        self.key = key
        self.charset = ""

    def begin(self, *headers: str, path: str = "/streams/run-1/events") -> None:
        head = [
            f"POST /api/v1{path} HTTP/1.1",
            "Host: localhost",
            f"Authorization: Bearer {self.key}",
            f"Content-Type: application/json{self.charset}",
        ]
        self.socket.sendall("\r\n".join([*head, *headers, "", ""]).encode())

    def answer(self) -> tuple[int, dict[str, object]]:
        """The status and the body of the answer."""
        response = HTTPResponse(self.socket, method="POST")
        response.begin()
        return response.status, json.loads(response.read())


@pytest.mark.django_db(transaction=True)
def test_the_server_refuses_bodies_that_it_should_not_read_and_the_answer_arrives(acme: Tenant, acme_key: str) -> None:
    port = free_port()
    with serving(port):

        def talk() -> Conversation:
            return Conversation(port, acme_key)

        with closing((huge := talk()).socket):  # a client that sends all of it before it looks for an answer
            huge.begin(f"Content-Length: {64 * MEBIBYTE}")
            for _ in range(64):
                huge.socket.sendall(b" " * MEBIBYTE)
            status, problem = huge.answer()
        assert (status, problem["type"], problem["limit"]) == (413, "urn:aresweb:problem:too-large", 16 * MEBIBYTE)

        with closing((uninvited := talk()).socket):  # the same for every refusal that reads no body
            uninvited.key = "unknown"
            uninvited.begin(f"Content-Length: {8 * MEBIBYTE}")
            uninvited.socket.sendall(b" " * 8 * MEBIBYTE)
            assert uninvited.answer()[0] == 401

        with closing((announced := talk()).socket):  # one that waits for the answer before it sends
            announced.begin(f"Content-Length: {2**62}", "Expect: 100-continue")
            assert announced.answer()[0] == 413

        with closing((chunked := talk()).socket):
            chunked.begin("Transfer-Encoding: chunked")
            chunked.socket.sendall(b"10\r\n" + b" " * 16 + b"\r\n0\r\n\r\n")
            status, problem = chunked.answer()
        assert (status, problem["type"]) == (411, "urn:aresweb:problem:length-required")

        for body in (
            b'{"events": [{"type": "a.b", "payload": {"x": "\xff"}}]}',
            b"\xef\xbb\xbf{}",
            b"\xff\xfe{\x00}\x00",
        ):
            with closing((broken := talk()).socket):
                broken.begin(f"Content-Length: {len(body)}")
                broken.socket.sendall(body)
                assert broken.answer()[0] == 400

        with closing((coded := talk()).socket):  # a charset that is none of a text
            coded.charset = "; charset=hex"
            coded.begin("Content-Length: 2", path="/streams/run-1/events?a=b")
            coded.socket.sendall(b"{}")
            assert coded.answer()[0] == 400

        body = b'{"events": [{"type": "a.b"}]}'
        with closing((cut := talk()).socket):  # one that goes away in the middle
            cut.begin(f"Content-Length: {len(body)}")
            cut.socket.sendall(body[:-4])

        with closing((twice := talk()).socket):  # a connection serves on after an error
            for sent, expected in ((b"[]", 400), (body, 201)):
                twice.begin(f"Content-Length: {len(sent)}")
                twice.socket.sendall(sent)
                assert twice.answer()[0] == expected
    with tenant_scope(acme.pk):
        assert Stream.objects.named("run-1").version == 1

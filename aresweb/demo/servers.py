"""Local HTTP servers that misbehave on purpose."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

HOST = "127.0.0.1"


class Request(NamedTuple):
    """What a service is asked."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]


class Response(NamedTuple):
    """What it answers: the body as JSON."""

    status: int
    body: Any
    headers: Mapping[str, str] = {}


Service = Callable[[Request], Response]


class Server(ThreadingHTTPServer):
    """The standard library's, without asking a name server for its own name."""

    def server_bind(self) -> None:
        TCPServer.server_bind(self)
        self.server_name, self.server_port = self.socket.getsockname()


@contextmanager
def serving(service: Service, port: int = 0) -> Iterator[str]:
    """The service's address while it runs, on a free port unless one is named."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer()

        def do_PUT(self) -> None:
            self._answer()

        def _answer(self) -> None:
            asked = urlsplit(self.path)
            response = service(Request(self.command, asked.path, dict(parse_qsl(asked.query)), dict(self.headers)))
            content = json.dumps(response.body, ensure_ascii=False, default=str).encode()
            self.send_response(response.status)
            for name, value in {"Content-Type": "application/json", **response.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *arguments: Any) -> None:
            """Not into the terminal of whoever runs the demo."""

    with Server((HOST, port), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://{HOST}:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()

"""A real HTTP server on this machine that is an OpenID Connect issuer, as far as a client can tell."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

import jwt

CLIENT, SECRET = "aresweb", "s" * 32


class Issuer:
    """Its address, whom it tells of, and the forms that it was sent."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.person: dict[str, Any] = {}
        self.forms: list[dict[str, str]] = []

    def configuration(self) -> dict[str, Any]:
        return {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "userinfo_endpoint": f"{self.url}/userinfo",
            "jwks_uri": f"{self.url}/keys",
            "token_endpoint_auth_methods_supported": ["client_secret_post"],
        }

    def token(self) -> dict[str, Any]:
        claims = {**self.person, "iss": self.url, "aud": CLIENT, "iat": 1, "exp": 2**31}
        return {"access_token": "access", "token_type": "Bearer", "id_token": jwt.encode(claims, "k" * 32, "HS256")}


@contextmanager
def issuer() -> Iterator[Issuer]:
    """An issuer that runs until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answers = {"/.well-known/openid-configuration": running.configuration(), "/userinfo": running.person}
            self._answer(answers[self.path])

        def do_POST(self) -> None:
            text = self.rfile.read(int(self.headers["Content-Length"])).decode()
            running.forms.append({name: values[0] for name, values in parse_qs(text).items()})
            self._answer(running.token())

        def _answer(self, value: Any) -> None:
            content = json.dumps(value).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    running = Issuer(f"http://127.0.0.1:{server.server_address[1]}")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield running
    finally:
        server.shutdown()
        server.server_close()

"""A client that speaks to the API with a key."""

import json
from typing import Any

import pytest
from django.test import Client


class ApiClient:
    """Sends JSON with a key. Bodies may be bytes, to send what no JSON library would."""

    def __init__(self, key: str | None) -> None:
        self.client = Client(raise_request_exception=False)
        self.headers = {"Authorization": f"Bearer {key}"} if key else {}

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """The response; `headers` names use underscores for dashes."""
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        extra = {name.replace("_", "-"): text for name, text in headers.items()}
        return self.client.generic(
            method, f"/api/v1{path}", data, "application/json", headers={**self.headers, **extra}
        )

    def get(self, path: str, **headers: str) -> Any:
        return self.call("GET", path, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.call("POST", path, body, **headers)

    def patch(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.call("PATCH", path, body, **headers)

    def delete(self, path: str, **headers: str) -> Any:
        return self.call("DELETE", path, **headers)


@pytest.fixture
def api(acme_key: str) -> ApiClient:
    """A client of Acme."""
    return ApiClient(acme_key)


@pytest.fixture
def stranger(globex_key: str) -> ApiClient:
    """A client of another tenant."""
    return ApiClient(globex_key)


@pytest.fixture
def nobody(db: None) -> ApiClient:
    """A client without a key."""
    return ApiClient(None)

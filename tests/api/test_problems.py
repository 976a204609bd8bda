"""Errors become problem details in one place, and tell nothing of what is inside."""

import json
from typing import Any

import pytest
from django.db import InterfaceError, OperationalError

from memory.api import problems
from memory.errors import AresError, Damaged, TenantMissing, Unavailable
from memory.layers import session
from memory.models import Stream
from tests.api.conftest import ApiClient


def raising(error: Exception) -> Any:
    def work(*args: Any, **kwargs: Any) -> None:
        raise error

    return work


@pytest.mark.parametrize("error", [OperationalError("connection refused at 10.0.0.1"), InterfaceError("closed")])
def test_while_the_database_does_not_answer_a_client_may_try_again(
    api: ApiClient, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    monkeypatch.setattr(session, "create", raising(error))
    response = api.post("/sessions", {"user_id": "u"})
    assert (response.status_code, response["Retry-After"]) == (503, "2")
    assert response.json()["type"] == "urn:aresweb:problem:unavailable"
    assert str(error) not in response.content.decode()


def test_an_error_that_nobody_foresaw_is_logged_and_not_told(
    api: ApiClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(session, "create", raising(RuntimeError("a secret")))
    response = api.post("/sessions", {"user_id": "u"})
    assert (response.status_code, response["Content-Type"]) == (500, "application/problem+json")
    assert "secret" not in response.content.decode()
    assert "a secret" in caplog.text


def test_an_error_in_the_middle_leaves_nothing(
    api: ApiClient, monkeypatch: pytest.MonkeyPatch, in_acme: object
) -> None:
    monkeypatch.setattr(session.Session.objects, "create", raising(RuntimeError))
    assert api.post("/sessions", {"user_id": "u"}).status_code == 500
    assert not Stream.objects.exists()


def below(kind: type[AresError]) -> list[type[AresError]]:
    return [kind for child in kind.__subclasses__() for kind in (child, *below(child))]


@pytest.mark.parametrize("kind", below(AresError))
def test_every_error_of_the_domain_has_a_title_a_code_and_a_status(kind: type[AresError]) -> None:
    error = kind.__new__(kind)
    AresError.__init__(error, "what happened", limit=1)
    problem = json.loads(problems.of_error(error, "/path").content)
    assert (problem["title"], problem["type"]) == (kind.__doc__, f"urn:aresweb:problem:{kind.code}")
    assert (problem["detail"], problem["instance"], problem["limit"]) == ("what happened", "/path", 1)
    faults = {TenantMissing: 500, Damaged: 500} | dict.fromkeys((Unavailable, *below(Unavailable)), 503)
    assert problem["status"] in ((faults[kind],) if kind in faults else range(400, 500))

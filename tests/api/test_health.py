"""`/healthz` and `/readyz`, for whoever watches the process: without a key."""

import pytest
from django.db import OperationalError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from aresweb.database.base import as_owner


def test_a_process_that_answers_is_healthy_without_its_database() -> None:
    response = Client().get("/healthz")  # this test has no database
    assert (response.status_code, response.json()) == (200, {"status": "ok"})


def test_a_process_that_can_work_is_ready(db: None) -> None:
    response = Client().get("/readyz")
    assert (response.status_code, response.json()) == (
        200,
        {"status": "ready", "checks": {"database": True, "row_level_security": True, "migrations": True}},
    )


def test_without_its_database_it_is_not_ready(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable() -> None:
        raise OperationalError("connection refused")

    with monkeypatch.context() as patch:
        patch.setattr(connection, "cursor", unreachable)
        response = Client(raise_request_exception=False).get("/readyz")
    assert (response.status_code, response.json()["checks"]["database"]) == (503, False)


def test_before_its_migrations_it_is_not_ready(db: None) -> None:
    (newest,) = MigrationLoader(connection).graph.leaf_nodes("memory")
    with as_owner(connection) as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE (app, name) = (%s, %s)", newest)
    assert newest not in MigrationRecorder(connection).applied_migrations()
    response = Client().get("/readyz")
    assert (response.status_code, response.json()["checks"]) == (
        503,
        {"database": True, "row_level_security": True, "migrations": False},
    )

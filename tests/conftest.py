"""Fixtures for every test: a real PostgreSQL, a fixed cast of two tenants, and clients that speak HTTP."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import OperationalError
from django.db.backends.postgresql.operations import DatabaseOperations
from psycopg.errors import DeadlockDetected

from aresweb.database.base import as_owner
from memory.models import ApiKey, Tenant
from memory.tenancy import tenant_scope

# A browser may have left the server with a request that reads the tables while they are emptied: one of both gives way.
FLUSH_ATTEMPTS = 5


@pytest.fixture(autouse=True, scope="session")
def _emptying_tables_takes_the_owner() -> Iterator[None]:
    """Tests that commit empty all tables afterwards, which the application's role may not do."""
    empty = DatabaseOperations.execute_sql_flush

    def execute_sql_flush(self: DatabaseOperations, statements: list[str]) -> None:
        for attempt in range(1, FLUSH_ATTEMPTS + 1):
            try:
                flush_as_owner(self, statements)
                break
            except OperationalError as error:
                if not isinstance(error.__cause__, DeadlockDetected) or attempt == FLUSH_ATTEMPTS:
                    raise

    def flush_as_owner(self: DatabaseOperations, statements: list[str]) -> None:
        with as_owner(self.connection) as cursor:
            for table in ("memory_event", "memory_auditentry"):
                cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
            empty(self, statements)
            cursor.execute("RESET ROLE")
            for table in ("memory_event", "memory_auditentry"):
                cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")

    DatabaseOperations.execute_sql_flush = execute_sql_flush
    yield
    DatabaseOperations.execute_sql_flush = empty


@pytest.fixture
def acme(db: None) -> Tenant:
    """The tenant that most tests work in."""
    return Tenant.objects.create(slug="acme", name="Acme")


@pytest.fixture
def globex(db: None) -> Tenant:
    """Another tenant, whose data must never show."""
    return Tenant.objects.create(slug="globex", name="Globex")


@pytest.fixture
def in_acme(acme: Tenant) -> Iterator[Tenant]:
    """Acme's scope around the whole test."""
    with tenant_scope(acme.pk):
        yield acme


@pytest.fixture
def acme_key(acme: Tenant) -> str:
    """The text of an API key of Acme."""
    with tenant_scope(acme.pk):
        return ApiKey.objects.issue(acme, "tests")[1]


@pytest.fixture
def globex_key(globex: Tenant) -> str:
    """The text of an API key of Globex."""
    with tenant_scope(globex.pk):
        return ApiKey.objects.issue(globex, "tests")[1]


@pytest.fixture(scope="session")
def sample_data() -> Path:
    """The folder of sample data; the test is skipped where it is missing."""
    folder = Path(os.environ.get("ARES_SAMPLE_DATA") or Path(__file__).parents[2] / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"the sample data is not at {folder}; ARES_SAMPLE_DATA names another place")
    return folder

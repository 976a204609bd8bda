"""Connections to the test database without Django: what somebody finds who gets past the application's code."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from django.db import connection

from aresweb.database.base import APPLICATION_ROLE

Connection = psycopg.Connection[tuple[Any, ...]]


@contextmanager
def application() -> Iterator[Connection]:
    """A connection that works as the application's role; what it did is undone."""
    with owner() as raw:
        raw.execute(f"SET ROLE {APPLICATION_ROLE}")
        raw.commit()
        yield raw


@contextmanager
def owner() -> Iterator[Connection]:
    """A connection of the login role, which owns the tables; what it did is undone."""
    names = ("host", "port", "user", "password", "dbname")
    address = {name: text for name, text in connection.get_connection_params().items() if name in names}
    raw = psycopg.connect(**address)
    try:
        yield raw
    finally:
        raw.rollback()
        raw.close()


def enter(raw: Connection, tenant_id: int | None) -> None:
    """Begin a new transaction in the tenant's scope, or in none."""
    raw.rollback()
    raw.execute("SELECT set_config('aresweb.tenant_id', %s, true)", [str(tenant_id or "")])

"""SQL in files of its own: what migrations install, and the statements that are clearer or faster than the ORM's."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import psycopg
from django.db import connection


@cache
def read(name: str) -> str:
    """The text of `<name>.sql` in this folder."""
    return (Path(__file__).parent / f"{name}.sql").read_text()


def run(name: str, parameters: Mapping[str, Any], *, binary: bool = False) -> list[tuple[Any, ...]]:
    """The rows of the statement in `<name>.sql`, which PostgreSQL parses and plans once a connection.

    Args:
        binary: let values come as PostgreSQL keeps them: for many rows with times, which are slow to read as text.

    Raises:
        django.db.DatabaseError: what Django's own cursors would raise.
    """
    return rows(read(name), parameters, binary=binary)


def rows(statement: str, parameters: Mapping[str, Any], *, binary: bool = False) -> list[tuple[Any, ...]]:
    """The rows of a statement; see `run`."""
    connection.ensure_connection()
    with connection.wrap_database_errors, psycopg.Cursor(connection.connection) as cursor:
        cursor.execute(statement, parameters, prepare=True, binary=binary)
        return cursor.fetchall()

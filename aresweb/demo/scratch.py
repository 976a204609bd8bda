"""A schema of the demo's own in the real database: made, emptied for each trouble, and dropped at the end."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg.conninfo import make_conninfo

from aresweb import env
from aresweb.database.embedded import EmbeddedServer
from aresweb.demo.errors import ScratchUnusable

SCHEMA = "aresweb_demo"
DROP = f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE"
CREATE = f"CREATE SCHEMA {SCHEMA}"
# Whoever holds it is the only demo in this database. The number is an arbitrary one.
LOCK = "SELECT pg_advisory_lock(20250107)"


class Scratch:
    """The schema. Every connection to it works there and nowhere else unless it says so."""

    def __init__(self, database: str) -> None:
        self._database = database

    def connect(self) -> psycopg.Connection:
        """A connection that commits every statement on its own; the caller closes it."""
        connection = psycopg.connect(self._database, autocommit=True)
        connection.execute(f"SET search_path TO {SCHEMA}".encode())
        return connection

    def start_anew(self, *statements: str) -> None:
        """Empty the schema and build what these statements say."""
        with self.connect() as connection:
            for statement in (DROP, CREATE, *statements):
                connection.execute(statement.encode())


@contextmanager
def scratch(database: str) -> Iterator[Scratch]:
    """The schema, for this demo alone: another one waits until this one is through.

    Args:
        database: how psycopg connects, as a URL or `key=value` pairs, as a role that may create schemas.

    Raises:
        ScratchUnusable: the database is out of reach, or the role may not create a schema.
    """
    try:
        guard = psycopg.connect(database, autocommit=True)
    except psycopg.OperationalError as error:
        raise ScratchUnusable(f"The demo troubleshoots in PostgreSQL, which does not answer: {error}") from error
    with guard:
        guard.execute(LOCK)
        try:
            Scratch(database).start_anew()
        except psycopg.errors.InsufficientPrivilege as error:
            raise ScratchUnusable(
                f"The demo works in a schema {SCHEMA} of its own, which its role may not create: {error} "
                "GRANT CREATE ON DATABASE to that role, or set ARES_DEMO=0."
            ) from error
        try:
            yield Scratch(database)
        finally:
            guard.execute(DROP.encode())


def default_database() -> str:
    """The application's own database: DATABASE_URL, else the embedded server, started if need be."""
    environment = env.read()
    if environment.get("DATABASE_URL"):
        return environment["DATABASE_URL"]
    server = EmbeddedServer(env.home(environment))
    server.ensure_running()
    return make_conninfo(**server.connection_parameters)

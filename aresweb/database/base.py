"""Django's PostgreSQL backend with two additions: the embedded server starts when it is first needed, and every
connection works as the application's role.

The login role (the embedded server's, or that of DATABASE_URL) owns the tables and migrates them. Everything else is
done as `aresweb_app`, which is neither superuser nor exempt from row-level security, and which may not change what is
recorded.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db.backends.base.base import NO_DB_ALIAS
from django.db.backends.postgresql import base
from django.db.backends.utils import CursorWrapper
from django.db.utils import OperationalError

from aresweb.database.embedded import EmbeddedServer, EmbeddedServerError

APPLICATION_ROLE = "aresweb_app"
RESTED_SECONDS = 1.0


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection of the application."""

    last_used = 0.0

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        home = self.settings_dict.get("EMBEDDED_HOME")
        if home:
            try:
                EmbeddedServer(home).ensure_running()
            except EmbeddedServerError as error:
                raise OperationalError(str(error)) from error
        return super().get_new_connection(conn_params)

    def close_if_health_check_failed(self) -> None:
        """Ask a connection whether it still lives only when it has rested: the question costs a round trip."""
        now = time.monotonic()
        rested, self.last_used = now - self.last_used, now
        if rested > RESTED_SECONDS:
            super().close_if_health_check_failed()
        else:
            self.health_check_done = True  # or Django would ask later on, in the middle of a transaction

    def init_connection_state(self) -> None:
        super().init_connection_state()
        if self.alias != NO_DB_ALIAS:  # that one creates and drops databases
            with self.cursor() as cursor:
                assume_application_role(cursor)


def assume_application_role(cursor: CursorWrapper) -> None:
    """Work as the application's role from here on; as the login role until the first migration has given it rights."""
    cursor.execute(
        "SELECT set_config('role', rolname, false) FROM pg_roles "
        "WHERE rolname = %s AND has_table_privilege(rolname, to_regclass('django_migrations'), 'SELECT')",
        [APPLICATION_ROLE],
    )


@contextmanager
def as_owner(connection: base.DatabaseWrapper) -> Iterator[CursorWrapper]:
    """Work as the login role, which owns the tables: for migrations, and for tests that empty tables."""
    with connection.cursor() as cursor:
        cursor.execute("RESET ROLE")
        try:
            yield cursor
        finally:
            assume_application_role(cursor)

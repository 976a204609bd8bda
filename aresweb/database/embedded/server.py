"""The front door of the embedded PostgreSQL."""

from pathlib import Path
from typing import TypedDict

import psycopg

from aresweb.database.embedded.cluster import DATABASE, ROLE, ensure_furnished, ensure_initialised
from aresweb.database.embedded.errors import StartFailed
from aresweb.database.embedded.home import PORT, Home, explained
from aresweb.database.embedded.locks import FileLock
from aresweb.database.embedded.postmaster import ensure_ready, find_postmaster, stop_server
from aresweb.database.embedded.use import use_of


class ConnectionParameters(TypedDict):
    """Keyword arguments of `psycopg.connect`; `host` is the directory of the socket."""

    host: str
    port: int
    user: str
    dbname: str


class EmbeddedServer:
    """The server whose data is in `home` (ARES_HOME). Any number of processes, threads and handles share it.

    Making a handle does nothing. A process that has called `ensure_running` uses the server until it ends, is killed or
    calls `release`; the last one out stops it.
    """

    def __init__(self, home: Path) -> None:
        self._home = Home(home.resolve())
        self._use = use_of(self._home)

    @property
    def connection_parameters(self) -> ConnectionParameters:
        """How to connect as the application's role, whether the server runs or not."""
        return {"host": str(self._home.socket_directory), "port": PORT, "user": ROLE, "dbname": DATABASE}

    def ensure_running(self) -> None:
        """Returns when the server takes connections: initialised, started or started again as needed.

        Cheap where it runs, so it is called before every connection. Waits for a server that is starting or stopping.
        Raises EmbeddedServerError.
        """
        if self._use.established and self._is_ready():
            return
        with self._use.mutex, explained(self._home):
            self._home.prepare()
            self._use.begin()
            with self._changing():
                self._home.shorten_log()
                ensure_initialised(self._home)
                ensure_ready(self._home)
                self._furnish()
            self._use.established = True

    def stop(self) -> None:
        """Stops the server now, whoever uses it; the next `ensure_running` of any process starts it again.

        Raises EmbeddedServerError.
        """
        with self._use.mutex, explained(self._home):
            if self._home.run.is_dir():
                with self._changing():
                    stop_server(self._home)
            self._use.end()

    def release(self) -> None:
        """Ends this process's use before its exit does. Raises EmbeddedServerError."""
        self._use.end()

    def _is_ready(self) -> bool:
        postmaster = find_postmaster(self._home.data)
        return postmaster is not None and postmaster.ready

    def _changing(self) -> FileLock:
        """One process at a time starts or stops the server."""
        return FileLock(self._home.run / "start.lock")

    def _furnish(self) -> None:
        try:
            ensure_furnished(self._home.socket_directory)
        except psycopg.Error as error:
            raise StartFailed(
                f"PostgreSQL runs on {self._home.data} but its database cannot be prepared: {error}\nTry again; if "
                f"that does not help, see the log. The last lines of {self._home.log}:\n{self._home.log_tail()}"
            ) from error

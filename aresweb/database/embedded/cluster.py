"""The data directory: made once, and furnished with the role, the database and the extension."""

import os
import shutil
from pathlib import Path

import psycopg
from psycopg import sql

from aresweb.database.embedded.errors import InitialisationFailed, WrongVersion
from aresweb.database.embedded.home import PORT, PRIVATE, Home
from aresweb.database.embedded.postmaster import be_alone
from aresweb.database.embedded.programs import MAJOR_VERSION, run_program

ROLE = "aresweb"
DATABASE = "aresweb"
SUPERUSER = "postgres"
# What PostgreSQL itself prepares; new databases are copies of the second.
MAINTENANCE_DATABASE = "postgres"
TEMPLATE_DATABASE = "template1"

INITDB_OPTIONS = (
    f"--username={SUPERUSER}",
    "--encoding=UTF8",
    # Collation that PostgreSQL carries itself: no upgrade of the system changes the order of an index.
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--data-checksums",
    # Only this user can reach the socket; nothing listens on the network.
    "--auth-local=trust",
    "--auth-host=reject",
    "--no-instructions",
)

# Appended to `postgresql.conf` when the data directory is made, and left alone from then on.
SETTINGS = """

# ------------------------------------------------------------------------------
# aresweb: for a small machine that the application shares.
# Change what you like; it applies from the next start of the server.
# ------------------------------------------------------------------------------
max_connections = 200
shared_buffers = 256MB
effective_cache_size = 1GB
work_mem = 8MB
maintenance_work_mem = 128MB
random_page_cost = 1.1
jit = off

# A write is on the disk when it is answered.
fsync = on
synchronous_commit = on
full_page_writes = on

# Parallel workers share memory in /dev/shm, of which a container often has too little, and wait for few cores.
max_parallel_workers_per_gather = 0
max_parallel_maintenance_workers = 0

# The log stays small and without the contents of rows.
log_line_prefix = '%m [%p] '
log_checkpoints = off
log_min_error_statement = panic
log_error_verbosity = terse

timezone = 'UTC'
log_timezone = 'UTC'
"""


def ensure_initialised(home: Home) -> None:
    """Makes the data directory where there is none. To be called by one process at a time.

    Raises WrongVersion for data of another major version, InitialisationFailed, StartFailed, OSError.
    """
    version_file = home.data / "PG_VERSION"
    if not version_file.exists():
        _initialise(home)
        return
    found = version_file.read_text().strip()
    if found != str(MAJOR_VERSION):
        raise WrongVersion(
            f"The data in {home.data} was made by PostgreSQL {found}, and this aresweb runs PostgreSQL "
            f"{MAJOR_VERSION}. Dump it with the programs of version {found}, move the directory away, start aresweb "
            f"and load the dump; or set DATABASE_URL to a server of version {found} that has the data."
        )


def ensure_furnished(socket_directory: Path) -> None:
    """Makes the role, the extension and the database where they are missing. The server must be ready.

    The database comes last, so where it exists nothing is missing. Raises psycopg.Error.
    """
    with _connect(socket_directory, MAINTENANCE_DATABASE) as connection:
        if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone():
            return
        if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [ROLE]).fetchone():
            connection.execute(
                sql.SQL("CREATE ROLE {} LOGIN NOSUPERUSER NOBYPASSRLS NOREPLICATION CREATEDB CREATEROLE").format(
                    sql.Identifier(ROLE)
                )
            )
    # Only a superuser may create this extension; the application's database and its test databases inherit it.
    with _connect(socket_directory, TEMPLATE_DATABASE) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    with _connect(socket_directory, MAINTENANCE_DATABASE) as connection:
        connection.execute(
            sql.SQL("CREATE DATABASE {} OWNER {}").format(sql.Identifier(DATABASE), sql.Identifier(ROLE))
        )


def _initialise(home: Home) -> None:
    """Under another name first, so that the data directory is whole from the moment it exists."""
    partial = home.path / "postgres.partial"
    with be_alone(home).left_to_heirs() as lock:
        if partial.exists():
            shutil.rmtree(partial)
        partial.mkdir(mode=PRIVATE)
        result = run_program("initdb", f"--pgdata={partial.name}", *INITDB_OPTIONS, directory=home.path, heir_of=lock)
    if result.returncode != 0:
        raise InitialisationFailed(
            f"PostgreSQL could not make its data directory {home.data}:\n{result.stderr.strip()}\n"
            "Correct what it names (as root, PostgreSQL can enter a directory of another user only if that is open to "
            "everybody), set ARES_HOME to another directory, or set DATABASE_URL to a PostgreSQL server."
        )
    with (partial / "postgresql.conf").open("a") as configuration:
        configuration.write(SETTINGS)
        configuration.flush()
        os.fsync(configuration.fileno())
    partial.rename(home.data)
    _sync_directory(home.path)


def _sync_directory(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _connect(socket_directory: Path, database: str) -> psycopg.Connection:
    return psycopg.connect(
        host=str(socket_directory), port=PORT, user=SUPERUSER, dbname=database, connect_timeout=10, autocommit=True
    )

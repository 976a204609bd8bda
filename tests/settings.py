"""The project's settings for tests, which neither read nor write what a developer has: every run has a folder of its own.

Each of pytest's processes has a home in it, with an embedded PostgreSQL of its own, so that neither runs nor processes
beside each other meet: a server's open transactions hold up the readers of events in all of its databases. With
DATABASE_URL, tests make databases of their own on that server. Other variables keep their defaults, whatever the
shell and `.env` say.
"""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

from aresweb import env
from aresweb.database.embedded import EmbeddedServer
from memory import conf

# Names the run's folder to the processes that the first one starts: pytest's workers, and programs under test.
RUN = "ARES_TESTS_RUN"
FIRST = "main"


def begin() -> None:
    """Make the run's folder, with the first process's home in it, and take it away when that process ends."""
    folder = Path(tempfile.mkdtemp(prefix="aresweb-tests-"))
    unset = dict.fromkeys((*env.VARIABLES, *conf.SETTINGS), "")
    os.environ |= {**unset, "DATABASE_URL": os.environ.get("DATABASE_URL", "")}
    os.environ |= {RUN: str(folder), "ARES_HOME": str(folder / FIRST)}
    atexit.register(end, folder)


def end(folder: Path) -> None:
    """Stop the servers of the run, whoever still uses them, and delete its folder."""
    for home in folder.iterdir():
        EmbeddedServer(home).stop()
    shutil.rmtree(folder)


if RUN not in os.environ:
    begin()
if os.environ["ARES_HOME"] == str(Path(os.environ[RUN], FIRST)):  # not a home that a test has chosen
    os.environ["ARES_HOME"] = str(Path(os.environ[RUN], os.environ.get("PYTEST_XDIST_WORKER", FIRST)))

from aresweb.settings import *  # noqa: E402, F403

# The services that tests ask are on this machine.
ARES_PRIVATE_HOSTS = ["127.0.0.1", "localhost"]

"""The project's settings for tests, which neither read nor write what a developer has: every run has a home of its own.

Without DATABASE_URL that home holds an embedded PostgreSQL, so runs beside each other do not meet; with it, tests make
databases of their own on that server. Other variables keep their defaults, whatever the shell and `.env` say.
"""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

from aresweb import env
from aresweb.database.embedded import EmbeddedServer
from memory import conf

# Set for the processes that a run starts: pytest's workers, and programs under test.
RUNNING = "ARES_TESTS_RUNNING"


def begin() -> None:
    """Give this run a home, and take it away when the process ends."""
    home = Path(tempfile.mkdtemp(prefix="aresweb-tests-"))
    variables = dict.fromkeys((*env.VARIABLES, *conf.SETTINGS), "")
    os.environ |= {**variables, "DATABASE_URL": os.environ.get("DATABASE_URL", "")}
    os.environ |= {"ARES_HOME": str(home), RUNNING: "1"}
    atexit.register(end, home)


def end(home: Path) -> None:
    """Stop the server in a home, whoever still uses it, and delete the home."""
    EmbeddedServer(home).stop()
    shutil.rmtree(home)


if RUNNING not in os.environ:
    begin()

from aresweb.settings import *  # noqa: E402, F403

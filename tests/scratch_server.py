"""`python -m tests.scratch_server COMMAND…` runs a command with a DATABASE_URL that names a PostgreSQL of its own.

The server lives in a temporary folder and is gone when the command has ended; the exit code is the command's.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import quote

from aresweb.database.embedded import EmbeddedServer


def main(command: list[str]) -> int:
    """Run the command beside the server."""
    with tempfile.TemporaryDirectory(prefix="aresweb-scratch-") as home:
        server = EmbeddedServer(Path(home))
        server.ensure_running()
        try:
            return subprocess.run(command, env=os.environ | {"DATABASE_URL": url(server)}, check=False).returncode
        finally:
            server.stop()


def url(server: EmbeddedServer) -> str:
    """The URL of a server that listens on a socket."""
    at = server.connection_parameters
    return f"postgres://{at['user']}@{quote(at['host'], safe='')}:{at['port']}/{at['dbname']}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Where the embedded PostgreSQL keeps its things, and who may reach them."""

import hashlib
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from aresweb.database.embedded.errors import HomeUnusable, SocketDirectoryUnsafe

# PostgreSQL names its socket after the port, in the socket's directory. Nothing listens on the network.
PORT = 5432
# What an address of a Unix socket holds, in bytes: 103 on macOS, 107 on Linux.
SOCKET_PATH_MAX_LENGTH = 103
# Fixed, and not TMPDIR or XDG_RUNTIME_DIR: a web server and a cron job with other environments must agree on it.
SHORT_DIRECTORIES = Path("/tmp")  # noqa: S108 - what is made there is checked
PRIVATE = 0o700
LOG_MAX_BYTES = 10 * 1024 * 1024
LOG_TAIL_BYTES = 8 * 1024
LOG_TAIL_LINES = 15


@dataclass(frozen=True, slots=True)
class Home:
    """The paths in ARES_HOME, which is absolute and free of symbolic links. Nothing is read or made to compute them."""

    path: Path

    @property
    def data(self) -> Path:
        return self.path / "postgres"

    @property
    def run(self) -> Path:
        return self.path / "run"

    @property
    def log(self) -> Path:
        return self.path / "logs" / "postgres.log"

    @property
    def socket_directory(self) -> Path:
        """`run`, or a short directory named after the home where the socket's address would not fit.

        A comma or a quotation mark in a path also means something else to PostgreSQL and its clients.
        """
        in_run = str(self.run)
        if len(os.fsencode(f"{in_run}/.s.PGSQL.{PORT}")) <= SOCKET_PATH_MAX_LENGTH and not set(in_run) & set(',"'):
            return self.run
        digest = hashlib.sha256(os.fsencode(self.path)).hexdigest()[:16]
        return SHORT_DIRECTORIES / f"aresweb-{os.geteuid()}-{digest}"

    def prepare(self) -> None:
        """Makes what is missing, and closes `run` and `postgres` to others.

        Raises HomeUnusable where one of them belongs to somebody else, SocketDirectoryUnsafe, OSError.
        """
        self.path.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
        self.log.parent.mkdir(mode=PRIVATE, exist_ok=True)
        self.run.mkdir(mode=PRIVATE, exist_ok=True)
        _close_to_others(self.run)
        if self.data.exists():
            _close_to_others(self.data)
        if self.socket_directory != self.run:
            _make_private(self.socket_directory)

    def shorten_log(self) -> None:
        """Keeps one older log. PostgreSQL appends to the file it has open, so that file is emptied, not renamed."""
        if self.log.exists() and self.log.stat().st_size > LOG_MAX_BYTES:
            shutil.copy2(self.log, self.log.with_name("postgres.log.1"))
            os.truncate(self.log, 0)

    def log_tail(self) -> str:
        """The last lines that PostgreSQL wrote, for a message; may be empty."""
        try:
            with self.log.open("rb") as log:
                log.seek(max(0, self.log.stat().st_size - LOG_TAIL_BYTES))
                text = log.read().decode(errors="replace")
        except FileNotFoundError:
            return ""
        return "\n".join(text.splitlines()[-LOG_TAIL_LINES:])


@contextmanager
def explained(home: Home) -> Iterator[None]:
    """Turns an OSError into HomeUnusable, with what to do."""
    try:
        yield
    except OSError as error:
        raise HomeUnusable(
            f"ARES_HOME ({home.path}) cannot be used: {error}. It must be a directory on a local file system that this "
            "user can write, with space left. Correct that, or set ARES_HOME to another directory."
        ) from error


def _close_to_others(directory: Path) -> None:
    found = directory.lstat()
    if not stat.S_ISDIR(found.st_mode):
        raise HomeUnusable(f"{directory} is not a directory. Move it away, or set ARES_HOME to another directory.")
    if found.st_uid != os.geteuid():
        raise HomeUnusable(
            f"{directory} belongs to user {found.st_uid}, and aresweb runs as user {os.geteuid()}. "
            "Run it as the user who made it, or set ARES_HOME to another directory."
        )
    if found.st_mode & 0o077:
        directory.chmod(PRIVATE)


def _make_private(directory: Path) -> None:
    """Anyone can make directories in its parent, so what is found there is not corrected but refused."""
    with suppress(FileExistsError):
        directory.mkdir(mode=PRIVATE)
    found = directory.lstat()
    if not (stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and stat.S_IMODE(found.st_mode) == PRIVATE):
        raise SocketDirectoryUnsafe(
            f"{directory} must be a directory of user {os.geteuid()} with mode 0700, and is not. Find out who made it "
            "and remove it, or set ARES_HOME to a shorter path, which does not need it."
        )

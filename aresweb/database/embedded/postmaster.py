"""The running server: finding it, starting it, stopping it."""

import shlex
import shutil
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import psutil

from aresweb.database.embedded.errors import EmbeddedServerError, StartFailed, StopFailed
from aresweb.database.embedded.home import PORT, Home
from aresweb.database.embedded.locks import FileLock
from aresweb.database.embedded.programs import run_program

Result = TypeVar("Result")

# For a server to come up (after a crash it first repairs its data) or to go down, in seconds.
PATIENCE = 60
PAUSE = 0.05
# Of `postmaster.pid`, whose first line is the process; counted from 0, and the last.
STATUS_LINE = 7


@dataclass(frozen=True, slots=True)
class Postmaster:
    """The first process of a server. `status` is its own word: `starting`, `ready`, `stopping`, or empty at first."""

    process: psutil.Process
    status: str

    @property
    def ready(self) -> bool:
        return self.status == "ready"


def find_postmaster(data: Path) -> Postmaster | None:
    """The postmaster that lives on the data directory. Cheap: one small file and one process are looked at."""
    try:
        lines = (data / "postmaster.pid").read_text(errors="replace").splitlines()
    except (FileNotFoundError, NotADirectoryError):
        return None
    # The file is written line by line, and says minus the process for a server without a postmaster.
    if not lines or not lines[0].lstrip("-").isdigit():
        return None
    try:
        process = psutil.Process(abs(int(lines[0])))
    except psutil.Error:
        return None
    if not serves(process, data):
        return None
    return Postmaster(process, "".join(lines[STATUS_LINE:]).strip())


def ensure_ready(home: Home) -> None:
    """Starts the server where none is running, and waits until it is ready. To be called by one process at a time.

    Raises StartFailed, OSError and what `run_program` raises.
    """

    def ready() -> Postmaster | None:
        if find_postmaster(home.data) is None:
            alone = _try_be_alone(home)
            if alone is not None:
                _start(home, alone)
        postmaster = find_postmaster(home.data)
        return postmaster if postmaster is not None and postmaster.ready else None

    _in_time(ready, late=lambda: StartFailed(_unready(home)))


def be_alone(home: Home) -> FileLock:
    """Waits until nothing of PostgreSQL works in the home, and gives a lock that keeps it so.

    Every program that is started there inherits the lock, so it is free only when the last of them is gone: also when
    its starter was killed, and also in another container, where it cannot be seen from here.
    Raises StartFailed, OSError.
    """
    return _in_time(lambda: _try_be_alone(home), late=lambda: StartFailed(_unready(home)))


def stop_server(home: Home) -> None:
    """Ends whatever runs on the data, and everybody's connections to it; nobody may be starting a server meanwhile.

    Raises StopFailed after `PATIENCE`.
    """
    postmaster = find_postmaster(home.data)
    if postmaster is None:
        _end_leftovers(home.data)
        return
    process = postmaster.process
    with suppress(psutil.NoSuchProcess):
        process.send_signal(signal.SIGINT)
    _in_time(
        lambda: None if serves(process, home.data) else process, late=lambda: StopFailed(_unstopped(home, process))
    )


def _in_time(attempt: Callable[[], Result | None], late: Callable[[], EmbeddedServerError]) -> Result:
    """Repeats the attempt until it has a result; raises what `late` makes after `PATIENCE`."""
    deadline = time.monotonic() + PATIENCE
    while (result := attempt()) is None:
        if time.monotonic() > deadline:
            raise late()
        time.sleep(PAUSE)
    return result


def serves(process: psutil.Process, data: Path) -> bool:
    """Whether it is a live process of a server on this data. Process numbers are reused; every such process works in
    the data directory, and keeps naming it after somebody deleted the directory."""
    try:
        return (
            process.is_running()
            and process.status() != psutil.STATUS_ZOMBIE
            and process.name() == "postgres"
            and process.cwd() == str(data)
        )
    except psutil.Error:
        return False


def _try_be_alone(home: Home) -> FileLock | None:
    alone = FileLock(home.run / "server.lock")
    return alone if not _end_leftovers(home.data) and alone.try_take() else None


def _end_leftovers(data: Path) -> bool:
    """Ends what a killed postmaster, or a server whose data directory was deleted, has left behind; False if nothing.

    The next server repairs the data as after a crash, which it was.
    """
    leftovers = [process for process in psutil.process_iter() if serves(process, data)]
    for process in leftovers:
        with suppress(psutil.NoSuchProcess):
            process.send_signal(signal.SIGQUIT)
    return bool(leftovers)


def _start(home: Home, alone: FileLock) -> None:
    with alone.left_to_heirs() as lock:
        _remove_stale_files(home)
        result = run_program(
            "pg_ctl",
            "start",
            "--silent",
            "--wait",
            f"--timeout={PATIENCE}",
            # Relative to the home, because pg_ctl hands them to a shell between quotation marks.
            f"--pgdata={home.data.name}",
            f"--log={home.log.relative_to(home.path)}",
            f"--options={_server_options(home)}",
            directory=home.path,
            heir_of=lock,
        )
    if result.returncode != 0:
        raise StartFailed(_failure(home, (result.stdout + result.stderr).strip()))


def _remove_stale_files(home: Home) -> None:
    """Whatever the files of a dead server say, it is dead; PostgreSQL would believe a number that is in use again."""
    (home.data / "postmaster.pid").unlink(missing_ok=True)
    for name in (f".s.PGSQL.{PORT}", f".s.PGSQL.{PORT}.lock"):
        (home.socket_directory / name).unlink(missing_ok=True)


def _server_options(home: Home) -> str:
    """What the home's place and its isolation decide, whatever `postgresql.conf` says; quoted for pg_ctl's shell."""
    options = {
        "listen_addresses": "",
        "port": str(PORT),
        "unix_socket_directories": str(home.socket_directory),
        "unix_socket_permissions": "0700",
    }
    return " ".join(f"-c {shlex.quote(f'{name}={value}')}" for name, value in options.items())


def _unready(home: Home) -> str:
    postmaster = find_postmaster(home.data)
    if postmaster is not None:
        return (
            f"PostgreSQL (process {postmaster.process.pid}) on {home.data} has been {postmaster.status or 'starting'} "
            f"for more than {PATIENCE} s. Wait and try again, unless its log shows that it is stuck. "
            f"The last lines of {home.log}:\n{home.log_tail()}"
        )
    return (
        f"The data in {home.data} is in use by a PostgreSQL that cannot be seen from here, probably in another "
        "container with the same ARES_HOME. Stop that one, or set DATABASE_URL to a PostgreSQL server for both."
    )


def _unstopped(home: Home, process: psutil.Process) -> str:
    return (
        f"PostgreSQL (process {process.pid}) on {home.data} is still shutting down after {PATIENCE} s. It goes on by "
        f"itself. The last lines of {home.log}:\n{home.log_tail()}"
    )


def _failure(home: Home, output: str) -> str:
    free = shutil.disk_usage(home.path).free // (1024 * 1024)
    return (
        f"PostgreSQL did not start on {home.data}: {output}\nCorrect what the log names and start again, or set "
        f"DATABASE_URL to a PostgreSQL server. {free} MiB are free on that file system. "
        f"The last lines of {home.log}:\n{home.log_tail()}"
    )

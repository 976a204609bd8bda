"""`manage.py serve`: everything, in the foreground until Ctrl-C. What `make run` calls."""

import errno
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from aresweb import bootstrap
from aresweb.demo import DemoError, run_each
from aresweb.supervisor import Supervisor

EVERYWHERE = "0.0.0.0"  # noqa: S104  only compared with
START_SECONDS = 60
# Any number that nobody else on the server uses for an advisory lock.
FIRST_START_LOCK = 0x617265737765


class Command(BaseCommand):
    """Migrates, makes the first access, starts the web server and the worker, seeds the demo once."""

    help = "Run aresweb: database, web server and worker, until Ctrl-C."

    def handle(self, *args: Any, **options: Any) -> None:
        port = settings.ARES_PORT
        _check_port(port)
        supervisor = Supervisor()
        supervisor.handle_signals()
        with _alone():
            call_command("migrate", verbosity=0, interactive=False)
            tenant = bootstrap.DEMO_TENANT if settings.ARES_DEMO else "main"
            access = bootstrap.ensure_access(settings.HOME, tenant)
        if supervisor.stopping:
            return
        python = sys.executable
        supervisor.start(
            "web server", [python, "-m", "gunicorn", "--config", "python:aresweb.gunicorn", "aresweb.wsgi"]
        )
        supervisor.start("worker", [python, "manage.py", "qcluster"])
        try:
            _wait_until_ready(supervisor, port)
            self._announce(access, port)
            if settings.ARES_DEMO:
                self._seed(access, port, supervisor)
            ended = supervisor.wait()
        finally:
            self.stdout.write("Stopping …")
            supervisor.stop()
        if ended:
            raise CommandError(f"The {ended} has ended; see the messages above.")

    def _announce(self, access: bootstrap.Access, port: int) -> None:
        password = access.password or "(the one you chose)"
        self.stdout.write(
            f"\n  aresweb    http://localhost:{port}/\n"
            f"  log in     {access.email}  {password}\n"
            f"  API key    {access.api_key}   (tenant {access.tenant.slug})\n"
            f"  API docs   http://localhost:{port}/api/docs/\n"
            f"  data       {settings.HOME}\n\n"
            "  Ctrl-C stops it; nothing is lost.\n"
        )
        self.stdout.flush()

    def _seed(self, access: bootstrap.Access, port: int, supervisor: Supervisor) -> None:
        """Record the demo runs, once: an operator who deletes them does not find them again at the next start."""
        recorded = settings.HOME / "demo.recorded"
        if recorded.exists() or settings.HTTPS:  # behind a proxy that speaks HTTPS this is no place for a demo
            return
        self.stdout.write("  Recording the demo runs …")
        try:
            for seeded in run_each(f"http://{_host()}:{port}", access.api_key):
                self.stdout.write(f"  recorded  {seeded.title}")
                self.stdout.flush()
                if supervisor.stopping:
                    return
        except DemoError as error:
            self.stderr.write(f"  The demo could not be recorded: {error}")
        else:
            recorded.touch()


def _check_port(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.ARES_BIND, port))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise CommandError(f"{settings.ARES_BIND}:{port} cannot be served: {error.strerror}.") from error
            raise CommandError(f"Port {port} is taken. Choose another one: PORT=8001 make run") from error


def _is_ready(port: int) -> bool:
    headers = {"Host": "localhost", "X-Forwarded-Proto": "https" if settings.HTTPS else "http"}
    try:
        with closing(HTTPConnection(_host(), port, timeout=5)) as web:
            web.request("GET", "/readyz", headers=headers)
            return web.getresponse().status == HTTPStatus.OK
    except (OSError, HTTPException):
        return False


def _host() -> str:
    """Where this machine itself reaches the web server."""
    return "127.0.0.1" if settings.ARES_BIND == EVERYWHERE else settings.ARES_BIND


@contextmanager
def _alone() -> Iterator[None]:
    """Wait for another `serve` on the same database to have migrated it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [FIRST_START_LOCK])
        try:
            yield
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [FIRST_START_LOCK])


def _wait_until_ready(supervisor: Supervisor, port: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and not supervisor.stopping:
        ended = supervisor.ended()
        if ended:
            raise CommandError(f"The {ended} did not start; see the messages above.")
        if _is_ready(port):
            return
        time.sleep(0.1)
    if not supervisor.stopping:
        raise CommandError(f"The web server did not become ready within {START_SECONDS} s.")

"""`manage.py serve`: everything, in the foreground until Ctrl-C. What `make run` calls."""

import socket
import sys
import time
from http.client import HTTPConnection
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from aresweb import bootstrap
from aresweb.supervisor import Supervisor
from memory.models import Stream
from memory.tenancy import tenant_scope

HOST = "127.0.0.1"
START_SECONDS = 60


class Command(BaseCommand):
    """Migrates, makes the first access, starts the web server and the worker, seeds the demo once."""

    help = "Run aresweb: database, web server and worker, until Ctrl-C."

    def handle(self, *args: Any, **options: Any) -> None:
        port = settings.ARES_PORT
        _check_port(port)
        call_command("migrate", verbosity=0, interactive=False)
        access = bootstrap.ensure_access(settings.HOME, "demo" if settings.ARES_DEMO else "main")
        supervisor = Supervisor()
        supervisor.handle_signals()
        python = sys.executable
        supervisor.start(
            "web server", [python, "-m", "gunicorn", "--config", "python:aresweb.gunicorn", "aresweb.wsgi"]
        )
        supervisor.start("worker", [python, "manage.py", "qcluster"])
        try:
            _wait_until_ready(supervisor, port)
            self._announce(access, port)
            if settings.ARES_DEMO:
                self._seed(access, port)
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

    def _seed(self, access: bootstrap.Access, port: int) -> None:
        with tenant_scope(access.tenant.pk):
            empty = not Stream.objects.exists()
        if empty:
            self.stdout.write("  Recording the demo runs …")
            call_command("seed_demo", url=f"http://{HOST}:{port}", key=access.api_key, stdout=self.stdout)


def _check_port(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.ARES_BIND, port))
        except OSError as error:
            raise CommandError(
                f"Port {port} is taken ({error.strerror}). Choose another one: PORT=8001 make run"
            ) from error


def _wait_until_ready(supervisor: Supervisor, port: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and not supervisor.stopping:
        ended = supervisor.ended()
        if ended:
            raise CommandError(f"The {ended} did not start; see the messages above.")
        try:
            connection = HTTPConnection(HOST, port, timeout=5)
            connection.request("GET", "/readyz", headers={"Host": "localhost"})
            if connection.getresponse().status == 200:
                return
        except OSError:
            time.sleep(0.1)
    if not supervisor.stopping:
        raise CommandError(f"The web server did not become ready within {START_SECONDS} s.")

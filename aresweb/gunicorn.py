"""How gunicorn serves: threads in a few processes, so that an agent's call is cheap and a page can be followed live.

WSGI, not ASGI: measured on the same machine, Django answers a synchronous view three times as fast (ADR 2).
"""

from typing import Any

from django.conf import settings

import aresweb.wsgi  # noqa: F401  sets Django up, so that the settings can be read
from memory.manager import MemoryManager

bind = f"{settings.ARES_BIND}:{settings.ARES_PORT}"
worker_class = "gthread"
workers = settings.ARES_WEB_WORKERS
threads = 32
keepalive = 30
timeout = 60
graceful_timeout = 3
control_socket_disable = True

_manager = MemoryManager("aresweb", lambda _: None)


def post_worker_init(worker: Any) -> None:
    """A process is about to answer its first request."""
    _manager.start()


def worker_exit(server: Any, worker: Any) -> None:
    """A process has answered its last one."""
    _manager.stop()

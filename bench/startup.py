"""From `manage.py serve` on a fresh home to the printed address: what `make run` takes apart from installing."""

import os
import signal
import subprocess
import sys
import tempfile
from time import perf_counter

from bench.report import publish
from bench.server import Installation, free_port

TIMES = 3


def run(place: Installation) -> None:
    """Start it several times, each with a new home, and take the middle one."""
    spans = sorted(_start() for _ in range(TIMES))
    publish("startup", "Start on a fresh home", ("what", "seconds"), [("to the printed address", spans[TIMES // 2])])


def _start() -> float:
    with tempfile.TemporaryDirectory(prefix="aresweb-bench-") as home:
        environment = {**os.environ, "ARES_HOME": home, "PORT": str(free_port()), "ARES_DEMO": "0"}
        began = perf_counter()
        serve = subprocess.Popen(
            [sys.executable, "manage.py", "serve"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert serve.stdout
        try:
            for line in serve.stdout:
                if b"http://" in line:
                    return perf_counter() - began
            raise RuntimeError("serve ended before it announced its address")
        finally:
            serve.send_signal(signal.SIGINT)
            serve.communicate()

"""Runs the web server and the worker as children, until one of them ends or a signal comes."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import FrameType

GRACE_SECONDS = 10
PR_SET_PDEATHSIG = 1


@dataclass(slots=True)
class Supervisor:
    """The children by name. When this process dies, even by kill -9, Linux ends them too."""

    children: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    stopping: bool = False

    def start(self, name: str, command: Sequence[str]) -> None:
        """Start a child in a process group of its own, so that Ctrl-C reaches it through us and once."""
        self.children[name] = subprocess.Popen(  # noqa: S603  commands of our own
            command,
            start_new_session=True,
            preexec_fn=_die_with_parent,  # noqa: PLW1509  there are no threads here yet
        )

    def handle_signals(self) -> None:
        """Let Ctrl-C and SIGTERM end `wait`."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._stop)

    def ended(self) -> str | None:
        """The name of a child that has ended, if one has."""
        return next((name for name, child in self.children.items() if child.poll() is not None), None)

    def wait(self) -> str | None:
        """Wait for a signal (None) or for a child to end (its name)."""
        while not self.stopping:
            name = self.ended()
            if name:
                return name
            time.sleep(0.2)
        return None

    def stop(self) -> None:
        """End all children: politely, then by force after GRACE_SECONDS."""
        for child in self.children.values():
            if child.poll() is None:
                child.terminate()
        deadline = time.monotonic() + GRACE_SECONDS
        for child in self.children.values():
            try:
                child.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self.stopping = True


def _die_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)

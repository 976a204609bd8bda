"""Locks between processes."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType


class FileLock:
    """A `flock` on one file. The kernel releases it when the process ends, however it ends.

    The lock belongs to the open file rather than to the process, so whoever inherits the descriptor holds it too. A
    forked child must `abandon` it; a program that is to keep it is run within `left_to_heirs`.
    Every method raises OSError where the file cannot be opened. Not safe for several threads at once.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None

    @property
    def held(self) -> bool:
        return self._descriptor is not None

    def share(self) -> None:
        """Holds the lock along with others who share it, once nobody has it alone."""
        if not self.held:
            self._acquire(fcntl.LOCK_SH)

    def try_take(self) -> bool:
        """Holds the lock alone, from nothing or from sharing it. While others have it: False, and nothing is held."""
        try:
            self._acquire(fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def release(self) -> None:
        """Unlocks, also for those who inherited the lock."""
        if self._descriptor is not None:
            fcntl.flock(self._descriptor, fcntl.LOCK_UN)
            self.abandon()

    @contextmanager
    def left_to_heirs(self) -> Iterator[int]:
        """The descriptor of the held lock, for programs to inherit; from then on it is theirs and no longer ours."""
        if self._descriptor is None:
            raise ValueError(f"{self._path} is not locked")
        try:
            yield self._descriptor
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Lets go of this process's descriptor only: those who inherited the lock, or left it to us, keep it."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> None:
        """Holds the lock alone, once nobody else has it."""
        self._acquire(fcntl.LOCK_EX)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def _acquire(self, operation: int) -> None:
        if self._descriptor is None:
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._descriptor, operation)
        except BaseException:
            # A refused change from shared to exclusive has lost the shared lock as well.
            self.abandon()
            raise

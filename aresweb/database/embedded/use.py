"""Who uses the server: it runs while some process does, and the last one out stops it."""

import atexit
import os
import threading
from functools import cache

from aresweb.database.embedded.home import Home, explained
from aresweb.database.embedded.locks import FileLock
from aresweb.database.embedded.postmaster import stop_server


class Use:
    """This process's use of the server in one home; a forked child starts without one.

    `mutex` is held by the thread that starts or stops the server. `established` is true once this process has seen the
    server ready and furnished.
    """

    def __init__(self, home: Home) -> None:
        self.mutex = threading.RLock()
        self.established = False
        self._home = home
        self._users = FileLock(home.run / "users.lock")
        atexit.register(self.end)
        # No thread is in the middle of something, with a lock in its hands, when a child is made.
        os.register_at_fork(
            before=self.mutex.acquire, after_in_parent=self.mutex.release, after_in_child=self._begin_life_as_child
        )

    def begin(self) -> None:
        """Waits while the last user of before is stopping the server. Raises OSError."""
        self._users.share()

    def end(self) -> None:
        """Stops the server if no other process uses it. Runs at exit; a killed process's use ends without it.

        Raises StopFailed, HomeUnusable.
        """
        with self.mutex, explained(self._home):
            self.established = False
            if self._users.held and self._users.try_take():
                try:
                    stop_server(self._home)
                finally:
                    self._users.release()

    def _begin_life_as_child(self) -> None:
        self._users.abandon()
        self.established = False
        self.mutex.release()


@cache
def use_of(home: Home) -> Use:
    """The one that every handle in this process shares."""
    return Use(home)

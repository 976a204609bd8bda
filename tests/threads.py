"""Work in several threads, each with a database connection of its own, for tests of what happens at the same time."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from django.db import connection

T = TypeVar("T")


class Threads:
    """Starts work; its result is the future's."""

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self._pool = pool

    def start(self, work: Callable[[], T]) -> "Future[T]":
        """Do it in a thread."""

        def connected() -> T:
            try:
                return work()
            finally:
                connection.close()

        return self._pool.submit(connected)


@contextmanager
def threads(most: int = 8) -> Iterator[Threads]:
    """Threads that have ended when the block has."""
    with ThreadPoolExecutor(most) as pool:
        yield Threads(pool)


def at_once(works: list[Callable[[], T]]) -> list[T]:
    """The results of doing all of this at the same time."""
    with threads(len(works)) as several:
        return [future.result() for future in [several.start(work) for work in works]]

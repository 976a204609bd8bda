"""Work in the database that may take only so long: PostgreSQL cancels the statement that would take longer, so nothing
that a client can ask for takes a connection for ever.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import OperationalError, transaction
from psycopg.errors import QueryCanceled

from memory import sql
from memory.errors import TooSlow, Unavailable


class Deadline:
    """The time by which something must be done. Ask for `renew` before each statement that may take long."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._ends = time.monotonic() + seconds

    def is_over(self) -> bool:
        """Whether no time is left."""
        return time.monotonic() >= self._ends

    def renew(self) -> None:
        """Give the next statements the time that is left.

        Raises:
            TooSlow: none is.
        """
        left = int((self._ends - time.monotonic()) * 1000)
        if left <= 0:
            raise TooSlow(f"It was not done within {self.seconds:g} s.")
        _set_timeout(str(left))


@contextmanager
def within(seconds: float) -> Iterator[Deadline]:
    """A savepoint whose statements must be done in this time, waiting for locks included; what fails in it leaves the
    transaction around it as it was. Needs a transaction.

    Raises:
        TooSlow: time was over between two statements.
        django.db.OperationalError: PostgreSQL cancelled one.
    """
    with transaction.atomic():
        ((before,),) = sql.run("statement_timeout", {})
        deadline = Deadline(seconds)
        deadline.renew()
        yield deadline
        _set_timeout(before)  # where it failed, rolling back to the savepoint does this


@contextmanager
def bounded(seconds: float, what: str) -> Iterator[None]:
    """Statements that may take so long each. If one is stopped, the transaction around it goes on.

    Raises:
        Unavailable: one took longer; `what` names it in the sentence.
    """
    try:
        with within(seconds):
            yield
    except OperationalError as error:
        if was_stopped(error):
            raise Unavailable(f"{what} took longer than {seconds:g} s and was stopped.") from error
        raise


def was_stopped(error: Exception) -> bool:
    """Whether the error says that time was over: between two statements, or in one that PostgreSQL cancelled."""
    return isinstance(error, TooSlow) or isinstance(error.__cause__, QueryCanceled)


def _set_timeout(timeout: str) -> None:
    sql.run("set_statement_timeout", {"timeout": timeout})

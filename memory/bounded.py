"""A bound on how long PostgreSQL may work: nothing that a client can ask for takes a connection for ever."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import OperationalError, transaction
from psycopg.errors import QueryCanceled

from memory import sql
from memory.errors import Unavailable


@contextmanager
def bounded(seconds: float, what: str) -> Iterator[None]:
    """Statements in this block may take so long each. If one is stopped, the transaction around it goes on.

    Raises:
        Unavailable: one took longer; `what` names it in the sentence.
    """
    try:
        with transaction.atomic():
            ((before,),) = sql.run("statement_timeout", {})
            sql.run("set_statement_timeout", {"timeout": f"{seconds * 1000:.0f}"})
            yield
            sql.run("set_statement_timeout", {"timeout": before})
    except OperationalError as error:
        if isinstance(error.__cause__, QueryCanceled):
            raise Unavailable(f"{what} took longer than {seconds:g} s and was stopped.") from error
        raise

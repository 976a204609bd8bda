"""A migration cannot have its lock, and trying the same thing again does not help."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from aresweb.demo.agent import Turn
from aresweb.demo.model import Story, call, finish, give_up, use
from aresweb.demo.scratch import Scratch
from aresweb.demo.tools import Database
from aresweb.demo.troubles.trouble import Trouble, World

STATEMENT = "ALTER TABLE invoices ADD COLUMN due_on date"
QUESTION = f"Please run this migration, it is only one column: {STATEMENT}"
TRIES = 3


@contextmanager
def build(scratch: Scratch) -> Iterator[World]:
    """Invoices that a forgotten transaction reads from: it sits idle and keeps its lock."""
    scratch.start_anew("CREATE TABLE invoices AS SELECT n AS id, n * 10 AS amount FROM generate_series(1, 1000) AS n")
    with scratch.connect() as forgotten, forgotten.transaction():
        forgotten.execute("SELECT sum(amount) FROM invoices")
        yield World([Turn(QUESTION, plan)], [Database(scratch).run_sql])


def plan(question: str) -> Story:
    """Try three times, each time the same way. It never asks who holds the lock."""
    [statement] = re.findall(r"ALTER .+", question)
    thought = "I run it."
    for _ in range(TRIES):
        [done] = yield use(thought, call(Database.run_sql, sql=statement))
        if "error" not in done:
            return finish(f"Done: {done['status']}.")
        thought = "That may have been a coincidence. I try again."
    return give_up(f"The migration failed {TRIES} times: {done['error']}. The table is as it was.")


TROUBLE = Trouble("lock-timeout", "A migration of one column", "mara@example.com", build)

"""A query reads a whole table because no index serves it."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from aresweb.demo.agent import Turn
from aresweb.demo.model import Story, call, finish, give_up, use
from aresweb.demo.scratch import Scratch
from aresweb.demo.tools import Database
from aresweb.demo.troubles.trouble import Trouble, World

ORDERS = """
CREATE UNLOGGED TABLE orders AS
SELECT n AS id, n * 7919 % 5000 AS customer_id, now() - n * interval '1 minute' AS placed_at,
       n * 37 % 20000 / 100.0 AS amount, repeat(md5(n::text), 2) AS note
FROM generate_series(1, 200000) AS n
"""
QUERY = "SELECT id, placed_at, amount FROM orders WHERE customer_id = 4711 ORDER BY placed_at DESC LIMIT 20"
QUESTION = (
    f"The page with a customer's last orders is slow. It runs this query:\n{QUERY}\nPlease find out why, and repair it."
)
# An index that does not make a query at least this many times faster was not the answer.
LEAST_GAIN = 3


@contextmanager
def build(scratch: Scratch) -> Iterator[World]:
    """200,000 orders without an index."""
    scratch.start_anew(ORDERS, "ANALYZE orders")
    database = Database(scratch)
    yield World([Turn(QUESTION, plan)], [database.time_query, database.explain, database.run_sql])


def plan(question: str) -> Story:
    """Measure, explain, add the index that the plan asks for, measure again."""
    [query] = re.findall(r"SELECT .+", question)
    [before] = yield use("First I measure how slow it is.", call(Database.time_query, sql=query))
    [explained] = yield use(
        f"It takes {before['least_ms']} ms. I look at where the time goes.", call(Database.explain, sql=query)
    )
    scan = re.search(r"Seq Scan on (\w+).*?Filter: \((\w+) = .*?(Rows Removed by Filter: \d+)", explained, re.DOTALL)
    if not scan:
        return give_up(
            f"The query takes {before['least_ms']} ms, and its plan shows no scan that an index would spare."
        )
    table, column, removed = scan.groups()
    yield use(
        f"It reads all of {table} for the rows of one {column} ({removed}): an index is missing.",
        call(Database.run_sql, sql=f"CREATE INDEX {table}_{column} ON {table} ({column})"),
    )
    [after] = yield use("The index is there. I measure again.", call(Database.time_query, sql=query))
    [explained] = yield use("I make sure that it is the index which helps.", call(Database.explain, sql=query))
    gain = before["least_ms"] / after["least_ms"]
    if f"{table}_{column}" not in explained or gain < LEAST_GAIN:
        return give_up(
            f"An index on {table} ({column}) does not help: {after['least_ms']} ms, {before['least_ms']} before."
        )
    return finish(
        f"The query read all of {table} to find the rows of one {column}. I created the index {table}_{column}: the "
        f"best of five runs fell from {before['least_ms']} ms to {after['least_ms']} ms ({gain:.0f} times faster), and "
        "the plan shows that the index is used."
    )


TROUBLE = Trouble("slow-query", "The page with a customer's last orders is slow", "mara@example.com", build)

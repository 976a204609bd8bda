"""A longer conversation about two things: rows that should not be there, and a service that is slow."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

from aresweb.demo.agent import Turn
from aresweb.demo.model import Story, call, finish, give_up, urls_in, use
from aresweb.demo.scratch import Scratch
from aresweb.demo.servers import Request, Response, serving
from aresweb.demo.tools import Database, http_request, time_requests
from aresweb.demo.troubles.trouble import Trouble, World

TABLES = """
CREATE TABLE customers (id int PRIMARY KEY, email text NOT NULL);
INSERT INTO customers SELECT n, 'customer' || n % 298 || '@example.com' FROM generate_series(1, 300) AS n;
CREATE TABLE orders (id int PRIMARY KEY, customer_id int NOT NULL, amount int NOT NULL);
INSERT INTO orders SELECT n, n % 303 + 1, n % 90 + 1 FROM generate_series(1, 3000) AS n;
ANALYZE customers, orders
"""
SIZES = (
    "SELECT relname AS table, reltuples::bigint AS rows, pg_total_relation_size(oid) AS bytes FROM pg_class "
    "WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' ORDER BY relname"
)
# Each finds the rows that should not be there.
CHECKS = {
    "unknown customers in orders": (
        "SELECT customer_id, count(*) AS orders FROM orders WHERE customer_id NOT IN (SELECT id FROM customers) "
        "GROUP BY customer_id ORDER BY customer_id"
    ),
    "shared addresses": (
        "SELECT email, array_agg(id ORDER BY id) AS ids FROM customers "
        "GROUP BY email HAVING count(*) > 1 ORDER BY email"
    ),
    "orders of nothing": "SELECT id FROM orders WHERE amount <= 0 ORDER BY id",
}
NEWEST = (
    "SELECT count(*) AS orders, max(id) AS newest, (SELECT max(id) FROM orders) AS newest_of_all FROM orders "
    "WHERE customer_id IN"
)
KEY = "ALTER TABLE orders ADD CONSTRAINT orders_customer FOREIGN KEY (customer_id) REFERENCES customers (id)"
STRAY_ORDER = "INSERT INTO orders (id, customer_id, amount) VALUES (100000, 999999, 1)"
# What the search computes anew for each request unless it keeps its ranking.
RANKED = 40_000


class Shop:
    """Three services. The search ranks everything on every request until it is told to keep the ranking."""

    def __init__(self) -> None:
        self._keep = False
        self._ranking: list[str] = []

    def answer(self, request: Request) -> Response:
        """`/catalogue`, `/basket`, `/search`, and `/search/settings` to see (GET) and change (PUT)."""
        if request.path == "/search/settings":
            if request.method == "PUT":
                self._keep = request.query.get("keep_ranking") == "yes"
            return Response(200, {"keep_ranking": "yes" if self._keep else "no"})
        if request.path == "/search":
            return Response(200, {"found": self._ranked()[:3]})
        return Response(200, {"items": 3})

    def _ranked(self) -> list[str]:
        if not (self._keep and self._ranking):
            self._ranking = sorted(hashlib.sha256(str(n).encode()).hexdigest() for n in range(RANKED))
        return self._ranking


@contextmanager
def build(scratch: Scratch) -> Iterator[World]:
    """Customers and orders with some rows amiss, and the shop's three services."""
    scratch.start_anew(TABLES)
    with serving(Shop().answer) as url:
        turns = [
            Turn("Before the audit: how large are our tables, and is something wrong in customers or orders?", audit),
            Turn("Make sure that no order without a customer can come in any more. Delete nothing.", protect),
            Turn(
                f"Something else: the shop feels slow. Which is it, {url}/catalogue, {url}/basket or {url}/search?",
                find_slow,
            ),
            Turn(
                f"Can you make {url}/search faster? There is {url}/search/settings, but no deployment today.", speed_up
            ),
        ]
        yield World(turns, [Database(scratch).run_sql, http_request, time_requests])


def audit(_: str) -> Story:
    """Sizes first, then all checks side by side, then a closer look at the stray orders."""
    [sizes] = yield use("I begin with the tables themselves.", call(Database.run_sql, sql=SIZES))
    told = ", ".join(f"{row['table']} has {row['rows']} rows in {row['bytes'] // 1024} KiB" for row in sizes["rows"])
    checked = yield use(
        f"{told}. The checks do not depend on each other: I run them together.",
        *(call(Database.run_sql, sql=sql) for sql in CHECKS.values()),
    )
    found = {name: result["rows"] for name, result in zip(CHECKS, checked, strict=True)}
    counts = "; ".join(f"{len(rows)} {name}" for name, rows in found.items())
    strays = [str(row["customer_id"]) for row in found["unknown customers in orders"]]
    if not strays:
        return finish(f"{told}. Found: {counts}.")
    [newest] = yield use(
        "Do the stray orders come from the past, or do new ones come in?",
        call(Database.run_sql, sql=f"{NEWEST} ({', '.join(strays)})"),
    )
    [row] = newest["rows"]
    return finish(
        f"{told}. Found: {counts}. {row['orders']} orders name the customers {', '.join(strays)}, who do not exist. "
        f"The newest of them is order {row['newest']} of {row['newest_of_all']}."
    )


def protect(_: str) -> Story:
    """Add the foreign key; where old rows forbid it, for new rows alone; and try to break it."""
    [added] = yield use("A foreign key says exactly that.", call(Database.run_sql, sql=KEY))
    if "error" in added:
        [added] = yield use(
            "The stray orders that are there forbid it, and I must not delete them. NOT VALID binds new rows alone.",
            call(Database.run_sql, sql=f"{KEY} NOT VALID"),
        )
    [refused] = yield use("I try to add a stray order: it must fail.", call(Database.run_sql, sql=STRAY_ORDER))
    if "error" not in refused:
        return give_up("The constraint does not hold: a stray order was taken.")
    return finish(
        "Orders now have a foreign key to customers, NOT VALID: it binds every new row and leaves the old ones alone. "
        "A stray order of mine was refused. VALIDATE CONSTRAINT orders_customer when the old ones are cleared."
    )


def find_slow(question: str) -> Story:
    """Measure all at once, then the slowest alone, lest the others disturbed it."""
    urls = urls_in(question)
    timings = yield use("I measure all three.", *(call(time_requests, url=url) for url in urls))
    measured = {url: timing["least_ms"] for url, timing in zip(urls, timings, strict=True)}
    slowest = max(measured, key=measured.__getitem__)
    [alone] = yield use(
        f"{slowest} is the slowest. I measure it alone, lest the others disturbed it.", call(time_requests, url=slowest)
    )
    told = ", ".join(f"{url.rpartition('/')[2]} {best} ms" for url, best in measured.items())
    return finish(f"It is {slowest}: {alone['least_ms']} ms at best when measured alone. All three together: {told}.")


def speed_up(question: str) -> Story:
    """Look at the settings, change the one that saves work, and compare."""
    url, settings = urls_in(question)
    [before, current] = yield use(
        "I need its time now, to compare, and its settings.",
        call(time_requests, url=url),
        call(http_request, method="GET", url=settings),
    )
    if current["body"]["keep_ranking"] == "yes":
        return give_up("The ranking is kept already; there is nothing to set that would help.")
    yield use(
        "It computes the ranking anew for each request. I switch keep_ranking on.",
        call(http_request, method="PUT", url=f"{settings}?keep_ranking=yes"),
    )
    [after] = yield use("I measure again.", call(time_requests, url=url))
    if after["least_ms"] >= before["least_ms"]:
        return give_up(f"keep_ranking does not help: {after['least_ms']} ms, {before['least_ms']} ms before.")
    return finish(
        f"Yes: with keep_ranking on, the search takes {after['least_ms']} ms instead of {before['least_ms']} ms "
        "(the best of five requests). The setting holds until the service restarts, so put it into the next deployment."
    )


TROUBLE = Trouble("shop-checkup", "Audit of the tables, and a slow search", "mara@example.com", build)

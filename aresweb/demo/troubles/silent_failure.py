"""Nothing fails, and the answer is wrong: a search with a wrong filter finds nothing, and the agent does not notice."""

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from aresweb.demo.agent import Turn
from aresweb.demo.model import Story, call, finish, use
from aresweb.demo.scratch import Scratch
from aresweb.demo.tools import Files
from aresweb.demo.troubles.trouble import Trouble, World

TABLE = "CREATE TABLE runbooks (id text PRIMARY KEY, service text NOT NULL, title text NOT NULL, body text NOT NULL)"
# The search knows services by their team's name (payments), the agent by the name in the alert (checkout-api).
RUNBOOKS = [
    ("RB-100", "general", "Restart a service", "Drain it, restart one instance after the other, watch the error rate."),
    ("RB-117", "catalogue", "CAT-2003: the index is stale", "Rebuild the search index from the nightly dump."),
    ("RB-204", "payments", "PAY-4010: the bank declines", "Tell the customer to choose another card. Do not retry."),
    (
        "RB-207",
        "payments",
        "PAY-5021: a capture is in doubt",
        "Do NOT restart: open captures would be sent twice. Stop the queue, reconcile with the bank, resume it.",
    ),
    ("RB-310", "shipping", "SHP-0007: labels are not printed", "Clear the printer's queue and print the labels again."),
]
SEARCH = """
SELECT id, title, body FROM runbooks
WHERE service = %(service)s AND to_tsvector('simple', title || ' ' || body) @@ websearch_to_tsquery('simple', %(words)s)
ORDER BY id
"""
QUESTION = (
    "checkout-api reports PAY-5021 for one order in ten. Which runbook applies? Write it into incident.md, please."
)


class Runbooks:
    """The runbooks' search."""

    def __init__(self, scratch: Scratch) -> None:
        self._scratch = scratch

    def search_runbooks(self, words: str, service: str) -> list[dict[str, Any]]:
        """Find the runbooks of a service that hold these words."""
        with self._scratch.connect() as connection:
            found = connection.execute(SEARCH.encode(), {"words": words, "service": service})
            return [{"id": key, "title": title, "body": body} for key, title, body in found]


@contextmanager
def build(scratch: Scratch) -> Iterator[World]:
    """Five runbooks, the right one among them, and the notes of the incident."""
    scratch.start_anew(TABLE)
    with scratch.connect() as connection, connection.cursor() as cursor:
        cursor.executemany("INSERT INTO runbooks VALUES (%s, %s, %s, %s)", RUNBOOKS)
    with tempfile.TemporaryDirectory(prefix="aresweb-demo-") as folder:
        (Path(folder) / "incident.md").write_text("# Incident: checkout-api\n", encoding="utf-8")
        yield World([Turn(QUESTION, plan)], [Runbooks(scratch).search_runbooks, Files(Path(folder)).append_to_file])


def plan(question: str) -> Story:
    """Search under the name that the user gave, and answer from what was found, however little it is."""
    service, code = re.findall(r"^(\S+) reports (\S+)", question)[0]
    [found] = yield use(
        f"I look for the runbook for {code}.", call(Runbooks.search_runbooks, words=code, service=service)
    )
    runbook = found[0]["id"] if found else "RB-100"
    advice = found[0]["title"] if found else f"restart {service}"
    yield use(
        f"{runbook} applies. I note it.",
        call(Files.append_to_file, name="incident.md", line=f"- {code}: follow {runbook} ({advice})."),
    )
    return finish(
        f"{runbook} applies: {advice}. {code} comes from a stuck instance, and following the runbook resolves it. I "
        "have written it into incident.md."
    )


TROUBLE = Trouble("silent-failure", "Which runbook applies to PAY-5021?", "priya@example.com", build)

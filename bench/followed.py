"""Appending over HTTP with one client and with eight at once, with and without somebody who follows `GET /events`.

Each client appends single events to a stream of its own, as agents do. The follower asks again at once while there is
more, and otherwise after a pause, as docs/api.md says; it must have seen every event in the end.
"""

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter

from bench.report import publish
from bench.samples import events
from bench.server import Client, Installation

CLIENTS = (1, 8)
EVENTS = 1600
ROUNDS = 3
PAUSE = 0.1
PATIENCE = 60


class Follower(threading.Thread):
    """Reads the feed from the place where it is now, until it is told how many events to wait for and has them."""

    def __init__(self, place: Installation) -> None:
        super().__init__()
        self.client = Client(place)
        self.cursor, self.seen, self.last = self._end(), 0, 0.0
        self.expected: int | None = None

    def run(self) -> None:
        """Follow."""
        deadline = time.monotonic() + PATIENCE
        while (self.expected is None or self.seen < self.expected) and time.monotonic() < deadline:
            if not self._read():
                time.sleep(PAUSE)

    def _read(self) -> bool:
        """One page; whether there is more at once."""
        status, body = self.client.send("GET", f"/events?limit=1000&after={self.cursor}")
        if status != 200:
            raise RuntimeError(f"the feed was answered with {status}: {body[:500]!r}")
        page = json.loads(body)
        self.cursor = page["cursor"]
        self.seen += len(page["results"])
        if page["results"]:
            self.last = perf_counter()
        return page["next"] is not None

    def _end(self) -> str:
        self.cursor, self.seen = "", 0
        while self._read():
            pass
        return self.cursor


def run(place: Installation) -> None:
    """Measure the four cases in turns, and publish rates, and how far behind the last append the follower was."""
    spent = {(clients, followed): 0.0 for clients in CLIENTS for followed in (False, True)}
    behind: dict[int, list[float]] = {clients: [] for clients in CLIENTS}
    Client(place).append("warm-up", events(1))
    for turn in range(ROUNDS):
        for clients, followed in spent:
            follower = Follower(place) if followed else None
            if follower:
                follower.start()
            name = f"{turn}-{clients}-{'followed' if followed else 'alone'}"
            seconds = _append(place, clients, name)
            ended = perf_counter()
            spent[clients, followed] += seconds
            if follower:
                follower.expected = EVENTS
                follower.join()
                if follower.seen != EVENTS:
                    raise RuntimeError(f"the follower saw {follower.seen} of {EVENTS} events")
                behind[clients].append(follower.last - ended)
    rows = []
    for clients in CLIENTS:
        alone, with_follower = (ROUNDS * EVENTS / spent[clients, followed] for followed in (False, True))
        lag = sum(behind[clients]) / ROUNDS
        rows.append((f"{clients} client{'s' if clients > 1 else ''}", alone, with_follower, with_follower / alone, lag))
    publish(
        "followed",
        f"Appending single events over HTTP, {ROUNDS} × {EVENTS:,} a case",
        ("what", "events/s", "with a follower", "ratio", "follower behind, s"),
        rows,
    )


def _append(place: Installation, clients: int, name: str) -> float:
    """Append all events, so many clients at once; how many seconds that took."""
    share = EVENTS // clients
    batches = [[[event] for event in events(share, seed)] for seed in range(clients)]
    connections = [Client(place) for _ in range(clients)]

    def append(client: int) -> None:
        for batch in batches[client]:
            connections[client].append(f"{name}-{client}", batch)

    began = perf_counter()
    with ThreadPoolExecutor(clients) as several:
        list(several.map(append, range(clients)))
    return perf_counter() - began

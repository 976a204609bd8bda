"""A quiet client beside a noisy tenant: 50 clients at full speed in one tenant, one that asks now and then in another.

The quiet one's p95 is measured alone and beside the noise, in turns, and told as a ratio. Besides: what counting the
requests costs, as the ratio of a request with limits by the minute and without.
"""

import http.client
import json
import statistics
import threading
import time
from functools import partial
from time import perf_counter

from bench.report import publish, seconds
from bench.samples import events
from bench.server import Client, Installation

CLIENTS = 50
ROUNDS = 3
ASKED = 60
PAUSE = 0.02
TAKEN = 300


class Noise:
    """Clients that append as fast as they are answered, until the block ends; `answers` counts by status."""

    def __init__(self, place: Installation) -> None:
        self.place, self.is_over = place, threading.Event()
        self.answers: dict[int, int] = {}
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self._shout, args=(number,)) for number in range(CLIENTS)]

    def __enter__(self) -> "Noise":
        for thread in self.threads:
            thread.start()
        time.sleep(2)
        return self

    def __exit__(self, *raised: object) -> None:
        self.is_over.set()
        for thread in self.threads:
            thread.join()

    def _shout(self, number: int) -> None:
        client, [event] = Client(self.place), events(1, number)
        while not self.is_over.is_set():
            try:
                status, _ = client.send("POST", f"/streams/noise-{number}/events", {"events": [event]})
            except (OSError, http.client.HTTPException):
                client, status = Client(self.place), 0
            with self.lock:
                self.answers[status] = self.answers.get(status, 0) + 1
            if status == 429:
                time.sleep(0.2)


def run(place: Installation) -> None:
    """Measure both, and publish."""
    quiet = Client(_quiet_tenant(place))
    quiet.append("quiet", events(20))
    alone: list[float] = []
    beside: list[float] = []
    answers: dict[int, int] = {}
    for _ in range(ROUNDS):
        alone += _asked(quiet)
        with Noise(place) as noise:
            beside += _asked(quiet)
        for status, number in noise.answers.items():
            answers[status] = answers.get(status, 0) + number
    p95 = [statistics.quantiles(spans, n=20)[-1] * 1000 for spans in (alone, beside)]
    told = json.dumps({str(status): number for status, number in sorted(answers.items())})
    publish(
        "neighbours",
        "The p95 of a quiet client, alone and beside 50 clients of another tenant",
        ("what", "requests", "alone ms", "beside ms", "ratio", "answers to the others"),
        [("GET /streams", len(beside), p95[0], p95[1], p95[1] / p95[0], told)],
    )
    _cost(place)


def _quiet_tenant(place: Installation) -> Installation:
    from memory import tenants
    from memory.models import ApiKey
    from memory.tenancy import tenant_scope

    tenant, _ = tenants.get_or_open("quiet")
    with tenant_scope(tenant.pk):
        _, key = ApiKey.objects.issue(tenant, "quiet")
    return Installation(place.port, tenant.pk, key)


def _asked(client: Client) -> list[float]:
    spans = []
    for _ in range(ASKED):
        began = perf_counter()
        status, _ = client.send("GET", "/streams")
        spans.append(perf_counter() - began)
        if status != 200:
            raise RuntimeError(f"the quiet client was answered with {status}")
        time.sleep(PAUSE)
    return spans


def _cost(place: Installation) -> None:
    """What a request pays for being counted: with pieces of a hundredth, and where each has to ask PostgreSQL."""
    from memory import allowance, tenants
    from memory.models import ApiKey
    from memory.tenancy import tenant_scope

    client = Client(place)
    whole = seconds(lambda: client.send("GET", "/streams?limit=1"), TAKEN)
    rows = []
    for what, limit, times in (
        ("no limit", "0", TAKEN),
        ("60,000 a minute", "60000", TAKEN),
        ("99 a minute: each asks PostgreSQL", "99", 90),
    ):
        tenant, _ = tenants.get_or_open(f"counted-{limit}")
        with tenant_scope(tenant.pk):
            key, _ = ApiKey.objects.issue(tenant, "counted")
        tenants.set_ceilings(tenant, {"ARES_REQUESTS_A_MINUTE": limit}, "command:bench", "")
        taken = seconds(partial(allowance.admit, key, 0), times)
        rows.append((what, taken * 1000, whole * 1000, taken / whole))
    publish(
        "allowance",
        "What counting a request costs, against a whole request (GET /streams?limit=1)",
        ("limit", "counting ms", "request ms", "ratio"),
        rows,
    )

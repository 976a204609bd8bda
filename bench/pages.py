"""The replay page of long runs: server time and bytes of the page, and of what one step of the scrubber asks for."""

import gzip

from bench.report import publish, seconds
from bench.samples import events
from bench.server import Client as ApiClient
from bench.server import Installation

LENGTHS = (100, 10_000, 100_000)
BATCH = 1000
TIMES = 21


def run(place: Installation) -> None:
    """Ask for each page as a logged-in operator, inside this process: server time without the network."""
    from django.test import Client

    from memory import jobs, tenants
    from memory.models import Tenant, User
    from memory.vocabulary import Role

    user = User.objects.create_user("bench@example.com", "not used to log in")
    tenants.join(user, Tenant.objects.get(pk=place.tenant_id), Role.VIEWER)
    client = Client()
    client.force_login(user)
    rows = []
    for length in LENGTHS:
        name = f"page-{length}"
        api = ApiClient(place)
        batch = events(min(BATCH, length))
        for _ in range(max(1, length // BATCH)):
            api.append(name, batch)
        jobs.take_snapshots()
        middle = length // 2
        for what, path in (
            ("page", f"/runs/{name}/?at={middle}"),
            ("step", f"/runs/{name}/steps/{middle + 37}/"),
            ("rows", f"/runs/{name}/timeline/?around={middle}"),
            ("strip", f"/runs/{name}/strip/"),
        ):
            body = client.get(path).content
            span = seconds(lambda p=path: client.get(p), TIMES)  # type: ignore[misc]
            rows.append((f"{length:,} events: {what}", span * 1000, len(body), len(gzip.compress(body))))
    body = client.get("/runs/").content
    rows.append(
        ("list of runs", seconds(lambda: client.get("/runs/"), TIMES) * 1000, len(body), len(gzip.compress(body)))
    )
    publish("pages", "Replay pages", ("what", "median server ms", "bytes", "bytes, compressed"), rows)

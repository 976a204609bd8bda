"""The state at version N of a long stream: it must not take longer the longer the stream is."""

from bench.report import publish, seconds
from bench.samples import events
from bench.server import Client, Installation

LENGTH = 100_000
BATCH = 1000
VERSIONS = (1_000, 1_499, 10_000, 50_000, 99_999, 100_000)
TIMES = 41


def run(place: Installation) -> None:
    """Fill a stream, let the snapshots be taken as the schedule does, and time the state over HTTP."""
    client = Client(place)
    batch = events(BATCH)
    for _ in range(LENGTH // BATCH):
        client.append("long", batch)

    from memory import jobs

    jobs.take_snapshots()
    spans = {version: seconds(lambda v=version: _ask(client, v), TIMES) for version in VERSIONS}  # type: ignore[misc]
    publish(
        "state",
        f"State of a stream of {LENGTH:,} events over HTTP",
        ("after event", "median ms", "against event 1,000"),
        [(f"{version:,}", spans[version] * 1000, spans[version] / spans[1_000]) for version in VERSIONS],
    )


def _ask(client: Client, version: int) -> None:
    status, _ = client.send("GET", f"/streams/long/state?version={version}")
    if status != 200:
        raise RuntimeError(f"state was answered with {status}")

"""Verifying a stream against a plain SELECT of the same rows, read by psycopg, in turns."""

from time import perf_counter

from bench.report import publish
from bench.samples import events
from bench.server import Client, Installation

LENGTH = 50_000
BATCH = 1000
ROUNDS = 5
SELECT = """
    SELECT tenant_id, stream_id, version, event_id, type, payload_json::text, metadata_json::text, occurred_at,
        recorded_at, causation_id, correlation_id, is_error, digest, hash, position, transaction_id, erased_at
    FROM memory_event WHERE tenant_id = aresweb_tenant_id() AND stream_id = %s ORDER BY version
"""


def run(place: Installation) -> None:
    """Verify a stream without snapshots, and with those that the schedule takes, whose states are compared."""
    import psycopg
    from django.db import connection

    from memory import jobs
    from memory.events import verification
    from memory.models import Snapshot, Stream
    from memory.tenancy import tenant_scope

    client = Client(place)
    for seed in range(LENGTH // BATCH):
        client.append("verified", events(BATCH, seed))
    results = []
    for what in ("without snapshots", "with snapshots"):
        if what == "with snapshots":
            jobs.take_snapshots()
        spent = {"select": 0.0, "verify": 0.0}
        with tenant_scope(place.tenant_id):
            stream = Stream.objects.named("verified")
            taken = Snapshot.objects.filter(stream=stream).count()
            for _ in range(ROUNDS):
                began = perf_counter()
                rows = psycopg.Cursor(connection.connection).execute(SELECT, [stream.pk]).fetchall()
                spent["select"] += perf_counter() - began
                began = perf_counter()
                result = verification.verify(stream)
                spent["verify"] += perf_counter() - began
                if (result.version, result.faults) != (len(rows), 0):
                    raise RuntimeError(f"{result.faults} faults in {result.version} of {len(rows)} events")
        select, verify = ROUNDS * LENGTH / spent["select"], ROUNDS * LENGTH / spent["verify"]
        results.append((what, LENGTH, taken, select, verify, verify / select))
    publish(
        "verify",
        "Verifying a stream against a plain SELECT of the same rows through psycopg",
        ("what", "events", "snapshots", "SELECT events/s", "verified events/s", "ratio"),
        results,
    )

"""Recovery of an agent with a stream of 100,000 events: in their table and archived, with snapshots and without, on
fresh and used connections."""

from typing import Any

from bench.report import publish
from bench.samples import events
from bench.server import Client, Installation

LENGTH = 100_000
BATCH = 1000
PHASES = ("snapshot", "read", "verify", "replay", "conversation", "total")
# Its own limit would end the recovery without snapshots on a slow machine; what is measured is how long it takes.
SECONDS = 60


def run(place: Installation) -> None:
    """Recover, and publish the milliseconds of each phase as the proofs tell them. The table's pages are in memory."""
    client = Client(place)
    client.append("recovered", [{"type": "agent.started", "payload": {"agent_id": "bench"}}])
    batch = events(BATCH)
    for _ in range(LENGTH // BATCH):
        client.append("recovered", batch)

    from django.conf import settings
    from django.db import connection

    from memory import jobs, recovery
    from memory.models import Snapshot
    from memory.tenancy import tenant_scope

    settings.ARES = {**settings.ARES, "ARES_RECOVERY_SECONDS": SECONDS}

    def recover(*, fresh: bool) -> dict[str, Any]:
        if fresh:
            connection.close()
        with tenant_scope(place.tenant_id):
            return recovery.proof(recovery.recover("bench"))

    def without_snapshots(*, fresh: bool) -> dict[str, Any]:
        with tenant_scope(place.tenant_id):
            Snapshot.objects.all().delete()
        return recover(fresh=fresh)

    def measured(where: str) -> list[tuple[str, dict[str, Any]]]:
        rows = [
            (f"{where}, none, fresh", without_snapshots(fresh=True)),
            (f"{where}, none, used", without_snapshots(fresh=False)),
        ]
        jobs.take_snapshots()
        rows.append((f"{where}, taken, fresh", recover(fresh=True)))
        return rows + [(f"{where}, taken, used", recover(fresh=False)) for _ in range(3)][-1:]

    rows = measured("hot")
    jobs.compact_streams()
    rows += measured("cold")
    publish(
        "recovery",
        f"Recovery of an agent with a stream of {LENGTH:,} events: milliseconds",
        ("events, snapshots, connection", "replayed", *PHASES, "verified"),
        [
            (what, proof["events_replayed"], *(proof["milliseconds"][name] for name in PHASES), str(proof["verified"]))
            for what, proof in rows
        ],
    )

"""Appending over HTTP against the same rows by INSERT through psycopg into the same table, in turns; and as several
clients, followed or not."""

from time import perf_counter
from typing import Any

from bench import followed
from bench.report import publish
from bench.samples import events
from bench.server import Client, Installation

ROUNDS = 8
BATCHES = 20
SINGLES = 150
COLUMNS = (
    "tenant_id, stream_id, version, event_id, type, payload_json, metadata_json, occurred_at, recorded_at, "
    "causation_id, correlation_id, is_error, digest, hash"
)
VALUES = "(" + ", ".join(["%s"] * 14) + ")"


class Raw:
    """Rows that are ready to be inserted, over a connection of the application's role. One transaction a batch."""

    def __init__(self, place: Installation) -> None:
        import psycopg
        from django.db import connection

        from aresweb.database.base import APPLICATION_ROLE

        self.connection = psycopg.connect(**connection.get_connection_params() | {"cursor_factory": None})
        self.connection.execute(f"SET ROLE {APPLICATION_ROLE}")
        self.connection.execute("SELECT set_config('aresweb.tenant_id', %s, false)", [str(place.tenant_id)])
        self.connection.commit()
        self.place = place

    def rows(self, stream_name: str, batch: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
        """The rows that the store would write for these events."""
        from memory.events import store
        from memory.events.draft import draft
        from memory.models import Stream
        from memory.tenancy import tenant_scope

        with tenant_scope(self.place.tenant_id):
            stream = Stream.objects.filter(name=stream_name).first()
            if stream is None:
                store.append(stream_name, [draft(batch[0], store.limits())])
                stream = Stream.objects.get(name=stream_name)
            from datetime import UTC, datetime

            made = store._chained(stream, [draft(raw, store.limits()) for raw in batch], datetime.now(UTC))
        return [
            (
                event.tenant_id, event.stream_id, event.version, event.event_id, event.type, event.payload_json,
                event.metadata_json, event.occurred_at, event.recorded_at, event.causation_id, event.correlation_id,
                event.is_error, bytes(event.digest), bytes(event.hash),
            )
            for event in made
        ]  # fmt: skip

    def insert(self, rows: list[tuple[Any, ...]]) -> None:
        """One multi-row INSERT and a COMMIT."""
        statement = f"INSERT INTO memory_event ({COLUMNS}) VALUES " + ", ".join([VALUES] * len(rows))
        self.connection.execute(statement, [value for row in rows for value in row])
        self.connection.commit()


def run(place: Installation) -> None:
    """Measure batches of 100 and single events, HTTP and INSERT in turns, and publish rates and ratios."""
    client, raw = Client(place), Raw(place)
    results = []
    for size, count in ((100, BATCHES), (1, SINGLES)):
        spent = {"http": 0.0, "insert": 0.0}
        batches = [events(size, seed) for seed in range(count)]
        client.append("warm-up", batches[0])
        for turn in range(ROUNDS):
            began = perf_counter()
            for batch in batches:
                client.append(f"http-{size}-{turn}", batch)
            spent["http"] += perf_counter() - began
            prepared = []
            rows = raw.rows(f"insert-{size}-{turn}", [event for batch in batches for event in batch])
            prepared = [rows[start : start + size] for start in range(0, len(rows), size)]
            began = perf_counter()
            for part in prepared:
                raw.insert(part)
            spent["insert"] += perf_counter() - began
        total = ROUNDS * count * size
        http, insert = total / spent["http"], total / spent["insert"]
        results.append((f"batches of {size}", total, http, insert, http / insert))
    publish(
        "append",
        "Appending: HTTP against multi-row INSERT through psycopg into the same table",
        ("what", "events", "HTTP events/s", "INSERT events/s", "ratio"),
        results,
    )
    followed.run(place)

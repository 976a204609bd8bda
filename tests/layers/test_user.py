"""Erasing a user's content leaves it in no table, in no segment, and every chain verifies."""

import json
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
import zstandard
from django.core.management import CommandError, call_command
from django.db import connection

from memory.errors import NotFound
from memory.events import compaction, state, store
from memory.layers import session, task, user
from memory.models import IdempotencyKey, Segment, Session, Stream, Tenant
from memory.tenancy import tenant_scope
from tests import tables
from tests.api.conftest import ApiClient
from tests.events.archiving import archive, small_segments
from tests.events.making import drafted
from tests.events.verifying import assert_verifies

pytestmark = pytest.mark.django_db(transaction=True)
SECRET = "geheimnis-47f1"


@pytest.fixture(autouse=True)
def _small() -> Iterator[None]:
    with small_segments():
        yield


@pytest.fixture
def told(acme: Tenant, acme_key: str) -> list[str]:
    """Two sessions and a stream of Ann's with the secret all over, and one of each of Bob's; partly archived, with
    snapshots and kept answers. The names of Ann's streams."""
    api = ApiClient(acme_key)
    names = []
    for who, text in (("ann", SECRET), ("bob", "hello")):
        for n in range(2 if who == "ann" else 1):
            opened = api.post("/sessions", {"user_id": who}, Idempotency_Key=f"{who}-{n}").json()["id"]
            said = [{"role": "user", "content": text}] * 25
            assert api.post(f"/sessions/{opened}/messages", said, Idempotency_Key=f"{who}-{n}-m").status_code == 201
            assert api.post("/tasks", {"session_id": opened, "input": text}).status_code == 201
            names.append(opened)
        events = [{"type": "tool.call", "payload": {"user_id": who, "arguments": text}, "metadata": {"m": text}}] * 35
        run = f"run-of-{who}"
        assert api.post(f"/streams/{run}/events", {"events": events}, Idempotency_Key=f"{who}-s").status_code == 201
        names.append(run)
    for name in names:
        with tenant_scope(acme.pk):
            stream = Stream.objects.named(name)
            state.take_snapshots(stream)
            archive(stream, 7)
    return [*names[:2], "run-of-ann"]


def holding(tenant: Tenant, text: str) -> list[str]:
    """The tables that hold a text in any column, binary ones and what is compressed in them included."""
    found = set(tables.holding(text))
    with tenant_scope(tenant.pk), connection.cursor() as cursor:
        cursor.execute(
            "SELECT table_name, column_name FROM information_schema.columns "
            "WHERE table_schema = 'public' AND data_type = 'bytea'"
        )
        for table, column in cursor.fetchall():
            cursor.execute(f'SELECT "{column}" FROM "{table}" WHERE "{column}" IS NOT NULL')
            for (value,) in cursor.fetchall():
                content = bytes(value)
                if content.startswith(zstandard.FRAME_HEADER):
                    content = zstandard.ZstdDecompressor().decompress(content)
                if text.encode() in content:
                    found.add(table)
    return sorted(found)


def test_nothing_of_the_user_is_left_anywhere_and_the_chains_verify(acme: Tenant, told: list[str]) -> None:
    assert holding(acme, SECRET) == [
        "memory_event", "memory_idempotencykey", "memory_message", "memory_segment", "memory_snapshot", "memory_stream",
        "memory_task",
    ]  # fmt: skip
    with tenant_scope(acme.pk):
        snapshots = sum(Stream.objects.named(name).snapshot_set.count() for name in told)
        receipt = user.erase("ann")
    assert holding(acme, SECRET) == []
    assert (receipt["user_id"], sorted(receipt["sessions"]), receipt["streams"]) == ("ann", sorted(told[:2]), told[2:])
    assert receipt["rows"] == {
        "sessions": 2,
        "messages": 50,
        "tasks": 2,
        "idempotency_keys": 5,
        "events": 7 * 3,
        "archived_events": 20 + 20 + 28,
        "segments": 2 + 2 + 3,
        "snapshots": snapshots,
        "ledger_entries": 0,
        "notes": 0,
    }
    with tenant_scope(acme.pk):
        for name in told:
            assert_verifies(Stream.objects.named(name))


def test_what_others_said_stays(acme: Tenant, told: list[str]) -> None:
    with tenant_scope(acme.pk):
        user.erase("ann")
        assert Session.objects.get().user_id == "bob"
        assert IdempotencyKey.objects.count() == 3
        assert Stream.objects.get(name="run-of-bob").user_id == "bob"
    assert "memory_segment" in holding(acme, "hello")


def test_a_user_without_content_is_not_found(acme: Tenant, globex: Tenant, told: list[str]) -> None:
    for tenant, name in ((acme, "nobody"), (globex, "ann")):
        with tenant_scope(tenant.pk), pytest.raises(NotFound, match="no content"):
            user.erase(name)
    with tenant_scope(acme.pk):
        user.erase("ann")
        with pytest.raises(NotFound):
            user.erase("ann")


def test_the_command_counts_first_and_erases_then(acme: Tenant, told: list[str]) -> None:
    def run(*options: str) -> dict[str, Any]:
        out = StringIO()
        call_command("erase_user", "ann", "--tenant", "acme", *options, stdout=out)
        receipt: dict[str, Any] = json.loads(out.getvalue())
        return receipt

    before = tables.row_counts()
    counted = run("--dry-run")
    assert tables.row_counts() == before
    assert "memory_segment" in holding(acme, SECRET)
    erased = run()
    assert counted == {**erased, "erased_at": None}
    assert holding(acme, SECRET) == []
    for arguments in (("ann", "--tenant", "acme"), ("ann", "--tenant", "nowhere")):
        with pytest.raises(CommandError):
            call_command("erase_user", *arguments)


def test_the_api_answers_with_the_receipt(acme: Tenant, acme_key: str, told: list[str]) -> None:
    api = ApiClient(acme_key)
    response = api.delete("/users/ann/content")
    assert response.status_code == 200
    assert response.json()["rows"]["segments"] == 7
    assert api.delete("/users/ann/content").status_code == 404
    assert holding(acme, SECRET) == []


def test_a_session_that_is_deleted_counts_its_archived_events(acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        opened = session.create("ann").pk
        session.add_messages(opened, [{"role": "user", "content": SECRET}] * 30)
        task.create(opened, "ann", SECRET)
        store.append("another", [drafted()])
        assert archive(Stream.objects.named(opened), 10) == 3
        rows = session.erase(opened)["rows"]
        assert (rows["events"], rows["archived_events"], rows["segments"]) == (10, 22, 3)
        assert Segment.objects.count() == 3
    assert holding(acme, SECRET) == []
    assert compaction.compact_due(acme.pk) == 0

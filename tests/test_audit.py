"""The audit log: numbered, chained, never changed, and verified."""

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from psycopg import errors

from aresweb.database.base import as_owner
from memory import audit, limits
from memory.models import AuditEntry, Tenant
from memory.tenancy import tenant_scope
from tests import raw
from tests.threads import threads

pytestmark = pytest.mark.django_db(transaction=True)


def write(tenant: Tenant, number: int = 3) -> None:
    for n in range(number):
        with tenant_scope(tenant.pk):
            audit.record("user:ann@example.com", "key.created", f"key {n} é", "192.0.2.7", scopes=["read"])


def tamper(statement: str) -> None:
    """Change the log as somebody could who owns the database."""
    with transaction.atomic(), as_owner(connection) as cursor:
        cursor.execute("ALTER TABLE memory_auditentry DISABLE TRIGGER USER")
        cursor.execute("ALTER TABLE memory_auditentry NO FORCE ROW LEVEL SECURITY")
        cursor.execute(statement)
        cursor.execute("ALTER TABLE memory_auditentry FORCE ROW LEVEL SECURITY")
        cursor.execute("ALTER TABLE memory_auditentry ENABLE TRIGGER USER")


def faults(tenant: Tenant) -> list[tuple[int, str]]:
    with tenant_scope(tenant.pk):
        return [(fault.number, fault.fault) for fault in audit.verify().faults]


def test_entries_are_numbered_in_each_tenant_and_verify(acme: Tenant, globex: Tenant) -> None:
    write(acme)
    write(globex, 1)
    with tenant_scope(acme.pk):
        assert list(AuditEntry.objects.order_by("number").values_list("number", flat=True)) == [1, 2, 3]
        assert audit.verify() == audit.Verified(3, [])
    with tenant_scope(globex.pk):
        assert audit.verify() == audit.Verified(1, [])


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("UPDATE memory_auditentry SET actor = 'user:eve@example.com' WHERE number = 2", [(2, "changed")]),
        ("UPDATE memory_auditentry SET detail = '{}' WHERE number = 1", [(1, "changed")]),
        ("DELETE FROM memory_auditentry WHERE number = 2", [(2, "missing")]),
        ("DELETE FROM memory_auditentry WHERE number = 1", [(1, "missing")]),
        ("DELETE FROM memory_auditentry WHERE number = 3", [(3, "end-differs")]),
        ("DELETE FROM memory_auditentry", [(3, "end-differs")]),
        ("UPDATE memory_auditentry SET at = at + interval '1 microsecond' WHERE number = 3", [(3, "changed")]),
    ],
)
def test_a_change_a_loss_and_a_cut_off_end_show(acme: Tenant, statement: str, found: list[tuple[int, str]]) -> None:
    write(acme)
    tamper(statement)
    assert faults(acme) == found


def test_neither_the_application_nor_the_owner_can_change_an_entry(acme: Tenant) -> None:
    write(acme)
    for statement in ("UPDATE memory_auditentry SET actor = ''", "DELETE FROM memory_auditentry"):
        with raw.application() as application:
            raw.enter(application, acme.pk)
            with pytest.raises(errors.InsufficientPrivilege):
                application.execute(statement)
        with raw.owner() as owner:
            raw.enter(owner, acme.pk)
            with pytest.raises(errors.IntegrityConstraintViolation, match="append-only"):
                owner.execute(statement)


def test_an_entry_cannot_be_dated_or_numbered_by_who_writes_it(acme: Tenant) -> None:
    write(acme, 1)
    with raw.application() as application:
        raw.enter(application, acme.pk)
        application.execute(
            "INSERT INTO memory_auditentry (tenant_id, number, at, actor, action, subject, detail, address, previous_hash, hash) "
            "VALUES (%s, 99, '2001-01-01', 'a', 'b', '', '{}', '', '', '')",
            [acme.pk],
        )
        [(number, is_recent)] = application.execute(
            "SELECT number, at > now() - interval '1 minute' FROM memory_auditentry WHERE actor = 'a'"
        ).fetchall()
    assert (number, is_recent) == (2, True)


def test_many_who_write_at_once_make_one_chain(acme: Tenant) -> None:
    with threads() as several:
        for started in [several.start(lambda: write(acme, 5)) for _ in range(4)]:
            started.result()
    assert faults(acme) == []
    with tenant_scope(acme.pk):
        assert AuditEntry.objects.count() == 20


def test_nothing_is_kept_of_what_was_undone(acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        audit.record("user:a", "b")
        transaction.set_rollback(True)
    write(acme, 1)
    assert faults(acme) == []


def test_retention_drops_the_beginning_and_the_rest_verifies(acme: Tenant) -> None:
    write(acme, 5)
    tamper("UPDATE memory_auditentry SET at = at - interval '40 days' WHERE number <= 3")
    # Aged, the entries no longer have their hashes; what follows the dropped ones does.
    with tenant_scope(acme.pk):
        limits.put("ARES_AUDIT_DAYS", "30")
        assert audit.drop_old() == 3
        assert audit.drop_old() == 0
        told = AuditEntry.objects.get(action=audit.DROPPED)
        assert json.loads(told.detail)["through"] == 3
        assert audit.verify() == audit.Verified(3, [])


def test_verify_streams_verifies_the_log_too(acme: Tenant) -> None:
    write(acme)
    tamper("UPDATE memory_auditentry SET subject = 'x' WHERE number = 2")
    out = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("verify_streams", "--tenant", "acme", stdout=out)
    assert ended.value.code == 1
    assert "acme: audit log, entry 2: changed." in out.getvalue()


def test_the_export_holds_every_entry_with_its_hash(acme: Tenant) -> None:
    write(acme)
    lines = [json.loads(line) for line in b"".join(audit.lines(acme.pk)).splitlines()]
    assert [line["number"] for line in lines] == [1, 2, 3]
    assert [line["hash"] for line in lines[:2]] == [line["previous_hash"] for line in lines[1:]]


def test_text_that_postgresql_cannot_hold_is_kept_as_far_as_it_can(acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        audit.record("key:a\0b\ud800", "x", "s" * 1000, detail="\ud800")
        assert AuditEntry.objects.get().actor == "key:ab?"
        assert audit.verify().faults == []


def test_a_log_cannot_be_emptied(acme: Tenant) -> None:
    write(acme)
    with pytest.raises(DatabaseError), transaction.atomic(), as_owner(connection) as cursor:
        cursor.execute("TRUNCATE memory_auditentry")

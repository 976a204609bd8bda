"""Events are appended and never changed: not by the application's role, and not by the owner of the tables either."""

from collections.abc import Iterator

import pytest
from psycopg import errors

from memory.events import store
from memory.models import Event, Tenant
from memory.tenancy import tenant_scope
from tests import raw
from tests.events.making import drafted

pytestmark = pytest.mark.django_db(transaction=True)

CHANGES = {
    "a payload": "UPDATE memory_event SET payload_json = '{}'",
    "an error": "UPDATE memory_event SET is_error = true",
    "a hash": "UPDATE memory_event SET hash = '\\x00'",
    "the order": "UPDATE memory_event SET position = 1, transaction_id = 1",
    "one away": "DELETE FROM memory_event WHERE version = 1",
    "all away": "DELETE FROM memory_event",
    "everything away": "TRUNCATE memory_event",
    "the stream with its events": "TRUNCATE memory_stream CASCADE",
}
GUARD = (
    "SELECT setval('memory_event_position', 1)",
    "ALTER SEQUENCE memory_event_position RESTART",
    "ALTER TABLE memory_event DISABLE TRIGGER ALL",
    "DROP TRIGGER event_append_only ON memory_event",
    "ALTER TABLE memory_event DISABLE ROW LEVEL SECURITY",
    "DROP POLICY tenant_isolation ON memory_event",
    "SELECT aresweb_isolate('memory_event')",
    "CREATE OR REPLACE FUNCTION aresweb_tenant_id() RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint'",
    "SET session_replication_role = replica",
    "CREATE TABLE public.mine (n int)",
    "UPDATE django_migrations SET app = 'x'",
)
COLUMNS = (
    "tenant_id, stream_id, version, event_id, type, payload_json, metadata_json, occurred_at, recorded_at, causation_id, "
    "correlation_id, is_error, digest, hash"
)
VALUES = "tenant_id, stream_id, 99, 'forged', type, '{}', '{}', now(), now(), '', '', false, digest, hash"


@pytest.fixture(autouse=True)
def _recorded(acme: Tenant, globex: Tenant) -> None:
    """Two events in a stream of each tenant."""
    for tenant in (acme, globex):
        with tenant_scope(tenant.pk):
            store.append("run", [drafted(secret="s"), drafted(secret="s")])


@pytest.fixture
def application(acme: Tenant) -> Iterator[raw.Connection]:
    with raw.application() as connection:
        raw.enter(connection, acme.pk)
        yield connection


@pytest.fixture
def owner(acme: Tenant) -> Iterator[raw.Connection]:
    with raw.owner() as connection:
        raw.enter(connection, acme.pk)
        yield connection


def erased(tenant: Tenant) -> int:
    with tenant_scope(tenant.pk):
        return Event.objects.filter(erased_at__isnull=False).count()


@pytest.mark.parametrize("guise", ["", "on"], ids=["plainly", "in the guise of erasure"])
def test_the_application_may_not_change(application: raw.Connection, guise: str) -> None:
    application.execute("SELECT set_config('aresweb.erasing', %s, true)", [guise])
    for statement in CHANGES.values():
        with pytest.raises(errors.InsufficientPrivilege, match="permission denied"), application.transaction():
            application.execute(statement)


def test_the_trigger_refuses_the_owner_too(owner: raw.Connection) -> None:
    assert owner.execute("SELECT count(*) FROM memory_event").fetchone() == (2,)
    for statement in CHANGES.values():
        with pytest.raises(errors.IntegrityConstraintViolation, match="append-only"), owner.transaction():
            owner.execute(statement)


def test_the_owner_in_the_guise_of_erasure_may_neither_delete_nor_truncate(owner: raw.Connection) -> None:
    for what in ("one away", "everything away"):
        owner.execute("SET LOCAL aresweb.erasing = 'on'")
        with pytest.raises(errors.IntegrityConstraintViolation, match="append-only"), owner.transaction():
            owner.execute(CHANGES[what])


def test_the_application_may_not_choose_an_events_place(application: raw.Connection) -> None:
    for column in ("position", "transaction_id", "erased_at"):
        with pytest.raises(errors.InsufficientPrivilege, match="permission denied"), application.transaction():
            application.execute(
                f"INSERT INTO memory_event ({COLUMNS}, {column}) SELECT {VALUES}, NULL FROM memory_event LIMIT 1"
            )


def test_the_application_may_append(application: raw.Connection) -> None:
    added = application.execute(
        f"INSERT INTO memory_event ({COLUMNS}) SELECT {VALUES} FROM memory_event LIMIT 1 RETURNING transaction_id, position"
    ).fetchone()
    assert added[0] == application.execute("SELECT pg_current_xact_id()::text::bigint").fetchone()[0]
    newest = application.execute("SELECT max(position) FROM memory_event WHERE event_id <> 'forged'").fetchone()
    assert added[1] > newest[0]


def test_the_application_may_not_take_the_guard_away(application: raw.Connection) -> None:
    for statement in GUARD:
        with pytest.raises(errors.InsufficientPrivilege), application.transaction():
            application.execute(statement)


def streams(connection: raw.Connection) -> list[int]:
    return [row[0] for row in connection.execute("SELECT id FROM memory_stream").fetchall()]


def test_erasing_blanks_content_and_leaves_what_the_chain_covers(application: raw.Connection, acme: Tenant) -> None:
    kept = "SELECT version, event_id, type, occurred_at, recorded_at, digest, hash, position, transaction_id FROM memory_event"
    before = application.execute(kept).fetchall()
    assert application.execute("SELECT aresweb_erase_events(%s)", streams(application)).fetchone() == (2,)
    assert application.execute(kept).fetchall() == before
    content = application.execute(
        "SELECT DISTINCT payload_json::text, metadata_json::text FROM memory_event"
    ).fetchall()
    assert content == [("{}", "{}")]
    assert application.execute("SELECT aresweb_erase_events(%s)", streams(application)).fetchone() == (0,)


def test_erasing_reaches_the_current_tenant_alone(application: raw.Connection, acme: Tenant, globex: Tenant) -> None:
    ours = streams(application)
    raw.enter(application, globex.pk)
    theirs = streams(application)
    assert application.execute("SELECT aresweb_erase_events(%s)", ours).fetchone() == (0,)
    raw.enter(application, None)
    assert application.execute("SELECT aresweb_erase_events(%s)", theirs).fetchone() == (0,)
    application.commit()
    assert (erased(acme), erased(globex)) == (0, 0)


def test_after_erasing_the_guard_is_back_in_the_same_transaction(owner: raw.Connection) -> None:
    owner.execute("SELECT aresweb_erase_events(%s)", streams(owner))
    with pytest.raises(errors.IntegrityConstraintViolation, match="append-only"):
        owner.execute("UPDATE memory_event SET type = 'a.b'")


def test_nobody_else_may_erase(application: raw.Connection) -> None:
    everybody = application.execute(
        "SELECT has_function_privilege('public', 'aresweb_erase_events(bigint)', 'execute')"
    ).fetchone()
    assert everybody == (False,)

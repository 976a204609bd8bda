"""Row-level security, seen on a raw connection that works as the application's role."""

from collections.abc import Iterator

import pytest
from django.db import ProgrammingError, connection, transaction
from psycopg import errors, sql

from memory import audit
from memory.errors import TenantMissing
from memory.events import compaction, state, store, verification
from memory.flight import notes
from memory.layers import session, task
from memory.models import (
    Allowance,
    ApiKey,
    ExperienceMap,
    Finding,
    IdempotencyKey,
    Membership,
    SavedView,
    Snapshot,
    Stream,
    Tenant,
    User,
)
from memory.tenancy import current_tenant_id, in_each_tenant, tenant_scope
from tests import raw, tables
from tests.events.making import drafted

# Written by privileged functions alone: the application's role has not even the right to.
PRIVILEGED = {"memory_segment", "memory_archivedid"}
# Of these it has no right to update or delete.
APPENDED_ONLY = {"memory_event", "memory_auditentry"}

pytestmark = pytest.mark.django_db(transaction=True)


def fill(tenant: Tenant, user: User) -> str:
    """A row in every table of a tenant; returns the text of its API key."""
    with tenant_scope(tenant.pk):
        opened = session.create("u")
        session.add_messages(opened.pk, [{"role": "user", "content": "hi"}])
        task.create(opened.pk, "u", "input")
        store.append("run", [drafted() for _ in range(499)])
        store.append("run", [drafted("llm.response", content="counted in the ledger")])
        state.take_snapshots(Stream.objects.named("run"))
        compaction.move_oldest(Stream.objects.named("run"), keep=100)
        assert Snapshot.objects.exists()
        verified = verification.verify(Stream.objects.named("run"))
        Finding.objects.create(tenant=tenant, stream=verified.stream, version=1, found_at=verified.verified_at)
        tables.fill_distilled(tenant)
        tables.fill_analysis(tenant)
        Membership.objects.create(tenant=tenant, user=user)
        audit.record("command:tests", "tests.filled", tenant.slug)
        Allowance.objects.create(tenant=tenant, measure="requests", minute=verified.verified_at)
        notes.add(Stream.objects.named("run"), 1, "odd", "bug", user)
        SavedView.objects.create(tenant=tenant, user=user, name="mine", created_at=verified.verified_at)
        ExperienceMap.objects.create(tenant=tenant, drawn_from="x", drawn_at=verified.verified_at, seconds=1)
        IdempotencyKey.objects.create(tenant=tenant, key="k", request_digest=b"d")
        return ApiKey.objects.issue(tenant, "key")[1]


@pytest.fixture
def user() -> User:
    return User.objects.create_user("ann@example.org")


@pytest.fixture
def keys(acme: Tenant, globex: Tenant, user: User) -> dict[str, str]:
    return {tenant.slug: fill(tenant, user) for tenant in (acme, globex)}


@pytest.fixture
def application(keys: dict[str, str]) -> Iterator[raw.Connection]:
    with raw.application() as connection:
        yield connection


def tenants_seen(connection: raw.Connection, table: str) -> set[int]:
    return {row[0] for row in connection.execute(sql.SQL("SELECT tenant_id FROM {}").format(sql.Identifier(table)))}


def test_the_role_is_neither_superuser_nor_exempt_and_owns_nothing(application: raw.Connection) -> None:
    role = (
        "SELECT rolname, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb FROM pg_roles WHERE rolname = current_user"
    )
    assert application.execute(role).fetchone() == ("aresweb_app", False, False, False, False)
    owned = "SELECT count(*) FROM pg_class WHERE relowner = current_user::regrole"
    assert application.execute(owned).fetchone() == (0,)
    inherited = "SELECT count(*) FROM pg_auth_members WHERE member = current_user::regrole"
    assert application.execute(inherited).fetchone() == (0,)


def test_every_table_of_a_tenant_has_row_security_and_forces_it(application: raw.Connection) -> None:
    found = application.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relrowsecurity AND relforcerowsecurity "
        "ORDER BY relname"
    )
    assert [name for (name,) in found] == tables.isolated()
    assert len(tables.isolated()) >= 9


def test_every_policy_that_lets_rows_be_written_holds_them_to_the_tenant(application: raw.Connection) -> None:
    policies = application.execute(
        "SELECT tablename, policyname, cmd, permissive FROM pg_policies ORDER BY 1, 2"
    ).fetchall()
    writing = {table for table, name, command, _ in policies if command != "SELECT"}
    assert writing == set(tables.isolated())
    assert {name for _, name, command, _ in policies if command != "SELECT"} == {"tenant_isolation"}
    assert {name for _, name, command, _ in policies if command == "SELECT"} == {"own_memberships", "presented_key"}


@pytest.mark.parametrize("scope", [None, 0, -1, 2**62])
def test_without_a_tenant_or_with_one_that_is_none_every_table_is_empty(
    application: raw.Connection, scope: int | None
) -> None:
    raw.enter(application, scope)
    assert [table for table in tables.isolated() if tenants_seen(application, table)] == []


def test_a_connection_that_never_heard_of_tenants_sees_nothing(keys: dict[str, str]) -> None:
    with raw.application() as fresh:
        assert all(tenants_seen(fresh, table) == set() for table in tables.isolated())


def test_in_a_scope_every_table_shows_the_rows_of_its_tenant_alone(
    application: raw.Connection, acme: Tenant, globex: Tenant
) -> None:
    for tenant in (acme, globex):
        raw.enter(application, tenant.pk)
        seen = {table: tenants_seen(application, table) for table in tables.isolated()}
        assert seen == {table: {tenant.pk} for table in seen}  # an empty set: `fill` has no row for this table yet


def test_the_owner_of_the_tables_is_held_to_it_too(application: raw.Connection, acme: Tenant) -> None:
    with raw.owner() as owner:
        assert all(tenants_seen(owner, table) == set() for table in tables.isolated())
        raw.enter(owner, acme.pk)
        assert all(tenants_seen(owner, table) == {acme.pk} for table in tables.isolated())


def test_a_row_is_refused_without_a_tenant_and_for_another_one(
    application: raw.Connection, acme: Tenant, globex: Tenant
) -> None:
    for table in sorted(set(tables.isolated()) - PRIVILEGED):
        insert = sql.SQL("INSERT INTO {} (tenant_id) VALUES (%s)").format(sql.Identifier(table))
        for scope, tenant_id in ((None, acme.pk), (globex.pk, acme.pk)):
            raw.enter(application, scope)
            with pytest.raises(errors.InsufficientPrivilege, match=f'row-level security policy for table "{table}"'):
                application.execute(insert, [tenant_id])
        raw.enter(application, acme.pk)
        with pytest.raises(errors.NotNullViolation):  # it is not the policy that refuses half a row in its own scope
            application.execute(insert, [acme.pk])


def test_another_tenants_rows_can_be_neither_changed_nor_deleted_nor_taken_over(
    application: raw.Connection, acme: Tenant, globex: Tenant
) -> None:
    for table in sorted(set(tables.isolated()) - PRIVILEGED - APPENDED_ONLY):
        name = sql.Identifier(table)
        raw.enter(application, globex.pk)
        for statement in (
            "UPDATE {} SET tenant_id = tenant_id WHERE tenant_id = %s",
            "DELETE FROM {} WHERE tenant_id = %s",
        ):
            assert application.execute(sql.SQL(statement).format(name), [acme.pk]).rowcount == 0
        with pytest.raises(errors.InsufficientPrivilege, match="row-level security"):
            application.execute(sql.SQL("UPDATE {} SET tenant_id = %s").format(name), [acme.pk])


def test_every_unique_index_but_a_surrogate_key_begins_with_the_tenant(application: raw.Connection) -> None:
    found = application.execute(
        """
        SELECT table_of.relname, index_of.relname,
               (SELECT array_agg(attname ORDER BY place) FROM unnest(indkey::int2[]) WITH ORDINALITY AS keys (number, place)
                JOIN pg_attribute ON attrelid = indrelid AND attnum = number)
        FROM pg_index
        JOIN pg_class AS index_of ON index_of.oid = indexrelid
        JOIN pg_class AS table_of ON table_of.oid = indrelid
        WHERE indisunique AND table_of.relname = ANY(%s)
        """,
        [tables.isolated()],
    ).fetchall()
    others = {index: columns for _, index, columns in found if columns[0] != "tenant_id"}
    assert {tuple(columns) for columns in others.values()} == {("id",)}
    assert all(index.endswith("_pkey") for index in others)
    assert len(found) > len(others) > 0


def test_every_reference_between_tables_of_tenants_holds_the_tenant_too(application: raw.Connection) -> None:
    """A foreign key does not heed row-level security: without the tenant in it, it would reach into another's rows."""
    found = application.execute(
        """
        SELECT conname, array_agg(attname::text) FROM pg_constraint
        JOIN pg_attribute ON attrelid = conrelid AND attnum = ANY(conkey)
        WHERE contype = 'f' AND conrelid::regclass::text = ANY(%(tables)s) AND confrelid::regclass::text = ANY(%(tables)s)
        GROUP BY conname
        """,
        {"tables": tables.isolated()},
    ).fetchall()
    assert len(found) >= 5
    assert [name for name, columns in found if "tenant_id" not in columns] == []


def test_a_reference_into_another_tenant_is_refused(application: raw.Connection, acme: Tenant, globex: Tenant) -> None:
    raw.enter(application, acme.pk)
    theirs = {
        name: application.execute(f"SELECT min(id) FROM memory_{name}").fetchone()[0] for name in ("stream", "session")
    }
    copies = {
        "event": ("stream", "version, event_id, type, payload_json, metadata_json, occurred_at, recorded_at, causation_id, correlation_id, is_error, digest, hash"),
        "snapshot": ("stream", "version, reducer_version, stream_hash, state, created_at"),
        "session": ("stream", "id, user_id, agent_id, metadata, message_count, created_at, last_active_at, expires_at"),
        "message": ("session", "id, number, event_version, role, name, content, tool_call_id, occurred_at, recorded_at"),
        "verification": ("stream", "verified_at, version, faults, clean_version, clean_hash"),
        "finding": ("stream", "version, fault, detail, found_at"),
        "ledgerentry": ("stream", "version, kind, method, model, occurred_at, raw_tokens, sent_tokens, saved_tokens, input_tokens, cached_tokens, output_tokens, reasoning_tokens, is_reported, request_key"),
        "analysis": ("stream", "version, ruleset, key, analysed_at"),
        "causallink": ("stream", "effect, cause, kind, certainty, how"),
        "hint": ("stream", "rule, severity, version, evidence, first_evidence, sentence, tokens_before, found_at"),
        "piece": ("stream", "digest, version"),
        "task": ("session", "id, user_id, status, created_at, updated_at"),
    }  # fmt: skip
    own = {"id": "'copy'", "event_id": "'copy'"}
    for table, (reference, columns) in copies.items():
        raw.enter(application, globex.pk)
        values = ", ".join(own.get(column, column) for column in columns.split(", "))
        with pytest.raises(errors.ForeignKeyViolation):
            application.execute(
                f"INSERT INTO memory_{table} (tenant_id, {reference}_id, {columns}) "
                f"SELECT tenant_id, %s, {values} FROM memory_{table} LIMIT 1",
                [theirs[reference]],
            )


def test_a_user_sees_the_own_memberships_and_nothing_after_the_statement(
    keys: dict[str, str], application: raw.Connection, user: User, acme: Tenant, globex: Tenant
) -> None:
    other = User.objects.create_user("bob@example.org")
    with tenant_scope(acme.pk):
        Membership.objects.create(tenant=acme, user=other)
    assert [member.tenant.slug for member in Membership.objects.of(user)] == ["acme", "globex"]
    assert [member.tenant.slug for member in Membership.objects.of(other)] == ["acme"]
    assert not Membership.objects.exists()
    with tenant_scope(globex.pk):
        assert [member.tenant.slug for member in Membership.objects.of(other)] == ["acme"]
        assert [member.user_id for member in Membership.objects.all()] == [user.pk]
    raw.enter(application, None)
    application.execute("SELECT set_config('aresweb.user_id', %s, true)", [str(other.pk)])
    assert [row[0] for row in application.execute("SELECT user_id FROM memory_membership")] == [other.pk]
    assert application.execute("UPDATE memory_membership SET role = 'admin'").rowcount == 0
    assert application.execute("DELETE FROM memory_membership").rowcount == 0
    application.rollback()
    assert tenants_seen(application, "memory_membership") == set()


def test_a_key_is_found_by_its_prefix_and_nothing_is_seen_after_the_statement(
    keys: dict[str, str], application: raw.Connection, acme: Tenant, globex: Tenant
) -> None:
    prefix = keys["globex"].split("_")[1]
    raw.enter(application, acme.pk)
    found = application.execute("SELECT tenant_id, prefix FROM aresweb_keys_with_prefix(%s)", [prefix]).fetchall()
    assert found == [(globex.pk, prefix)]
    assert tenants_seen(application, "memory_apikey") == {acme.pk}
    application.rollback()
    for nothing in ("", "%", "0" * 12, prefix[:-1]):
        assert application.execute("SELECT FROM aresweb_keys_with_prefix(%s)", [nothing]).fetchall() == []
    application.execute("SELECT set_config('aresweb.key_prefix', %s, true)", [prefix])
    assert application.execute("UPDATE memory_apikey SET revoked_at = now()").rowcount == 0
    application.rollback()
    assert tenants_seen(application, "memory_apikey") == set()


def test_a_key_is_found_by_its_whole_text_alone(keys: dict[str, str], acme: Tenant) -> None:
    text = keys["acme"]
    found = ApiKey.objects.presented(text)
    assert found is not None
    assert (found.tenant_id, ApiKey.objects.exists()) == (acme.pk, False)
    mark, prefix, secret = text.split("_", 2)
    for other in ("", text[:-1], text + "x", text.upper(), f"{mark}_{prefix}_{'x' * 43}", f"{mark}__{secret}", f"x_{prefix}_{secret}",
                  f"{mark}_{prefix}_", f" {text}", f"{text}\n", f"{mark}_{prefix}\0_{secret}", f"{mark}_\ud800_{secret}", "%", "_" * 50):  # fmt: skip
        assert ApiKey.objects.presented(other) is None, other


def scope_of_postgres() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('aresweb.tenant_id', true)")
        return cursor.fetchone()[0] or ""


def test_nested_scopes_restore_the_outer_tenant(acme: Tenant, globex: Tenant) -> None:
    with tenant_scope(acme.pk):
        with tenant_scope(globex.pk):
            assert (current_tenant_id(), scope_of_postgres()) == (globex.pk, str(globex.pk))
            with tenant_scope(globex.pk):
                pass
            assert scope_of_postgres() == str(globex.pk)
        assert (current_tenant_id(), scope_of_postgres()) == (acme.pk, str(acme.pk))
        with pytest.raises(ZeroDivisionError), tenant_scope(globex.pk):
            raise ZeroDivisionError
        assert (current_tenant_id(), scope_of_postgres()) == (acme.pk, str(acme.pk))
        with pytest.raises(ProgrammingError), tenant_scope(globex.pk), connection.cursor() as cursor:
            cursor.execute("SYNTAX ERROR")
        assert (current_tenant_id(), scope_of_postgres()) == (acme.pk, str(acme.pk))
    assert scope_of_postgres() == ""
    with pytest.raises(TenantMissing):
        current_tenant_id()


def test_a_scope_inside_another_transaction_ends_with_its_block(acme: Tenant) -> None:
    with transaction.atomic():
        with tenant_scope(acme.pk):
            assert scope_of_postgres() == str(acme.pk)
        assert scope_of_postgres() == ""


def test_work_in_each_tenant_sees_one_after_the_other_and_goes_on_after_a_failure(acme: Tenant, globex: Tenant) -> None:
    with tenant_scope(acme.pk):
        store.append("run", [drafted()])
    assert in_each_tenant(lambda: Stream.objects.count() + 10) == 21

    def work() -> int:
        if current_tenant_id() == acme.pk:
            Stream.objects.update(title="half done")
            raise ZeroDivisionError
        store.append("run", [drafted()])
        return 1

    with pytest.raises(ExceptionGroup) as caught:
        in_each_tenant(work)
    assert [type(error) for error in caught.value.exceptions] == [ZeroDivisionError]
    assert caught.value.exceptions[0].__notes__ == ["In tenant acme."]
    with tenant_scope(acme.pk):
        assert Stream.objects.get().title == ""
    with tenant_scope(globex.pk):
        assert Stream.objects.count() == 1

"""Whose data a transaction may see. Row-level security enforces it; this module tells PostgreSQL who is asking.

Without a scope every tenant's table is empty and refuses rows. There is no way to see several tenants at once: what
must go through all of them (`in_each_tenant`) visits one after the other.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.db import connection, transaction

from memory import sql
from memory.errors import TenantMissing
from memory.models.tenant import Tenant

_current: ContextVar[int | None] = ContextVar("tenant", default=None)


@contextmanager
def tenant_scope(tenant_id: int) -> Iterator[None]:
    """A transaction that sees and writes the rows of one tenant, and no others.

    Scopes may be nested; the inner one's tenant holds inside of it and the outer one's again after it.
    """
    outer = _current.get()
    with transaction.atomic():
        _tell_postgres(tenant_id)
        token = _current.set(tenant_id)
        try:
            yield
        finally:
            _current.reset(token)
    if connection.in_atomic_block and outer != tenant_id:  # what was set holds until the outermost transaction ends
        _tell_postgres(outer)


def current_tenant_id() -> int:
    """The tenant of the scope around the caller.

    Raises:
        TenantMissing: there is no scope.
    """
    tenant_id = _current.get()
    if tenant_id is None:
        raise TenantMissing("Open a tenant_scope first.")
    return tenant_id


def in_each_tenant(work: Callable[[], int]) -> int:
    """Do the same work for every tenant that is not suspended, one scope and transaction each; returns the sum. For
    scheduled jobs.

    Raises:
        ExceptionGroup: it failed for some tenants; the others had their turn all the same.
    """

    def scoped(tenant_id: int) -> int:
        with tenant_scope(tenant_id):
            return work()

    return for_each_tenant(scoped)


def for_each_tenant(work: Callable[[int], int]) -> int:
    """The same for work that opens its own scopes, since it wants several transactions; it is given the tenant's id.

    Raises:
        ExceptionGroup: it failed for some tenants; the others had their turn all the same.
    """
    done = 0
    failures = []
    for tenant in Tenant.objects.working().order_by("id"):
        try:
            done += work(tenant.pk)
        except Exception as error:  # noqa: BLE001  raised below
            error.add_note(f"In tenant {tenant.slug}.")
            failures.append(error)
    if failures:
        raise ExceptionGroup(f"The work failed for {len(failures)} tenants.", failures)
    return done


def _tell_postgres(tenant_id: int | None) -> None:
    sql.run("set_tenant", {"tenant_id": str(tenant_id or "")})

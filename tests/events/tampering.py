"""Changing what is recorded behind the application's back, as whoever owns the database can."""

from collections.abc import Iterator
from contextlib import contextmanager

from memory.models import Tenant
from tests import raw


@contextmanager
def tampering(tenant: Tenant) -> Iterator[raw.Connection]:
    """A connection on which events of a tenant can be changed, deleted and put in; it is committed at the end."""
    with raw.owner() as owner:
        raw.enter(owner, tenant.pk)
        owner.execute("ALTER TABLE memory_event DISABLE TRIGGER USER")
        yield owner
        owner.execute("ALTER TABLE memory_event ENABLE TRIGGER USER")
        owner.commit()


def tamper(tenant: Tenant, *statements: str) -> None:
    """Carry out these statements, each of which must find something to change."""
    with tampering(tenant) as owner:
        for statement in statements:
            assert owner.execute(statement).rowcount > 0, statement

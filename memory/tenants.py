"""Opening a tenant, the people who look after it, and stopping, resuming and erasing it as a whole.

Who does it, and from where, stands in the tenant's audit log.
"""

import re
from datetime import UTC, datetime
from typing import Any

from django.db import transaction
from django_q.models import Task as FinishedJob

from memory import allowance, audit, limits, sql
from memory.conf import SETTINGS
from memory.errors import Conflict, Invalid
from memory.layers import hot
from memory.models import Membership, Tenant, User
from memory.tenancy import tenant_scope
from memory.vocabulary import Role

SLUG_PATTERN = re.compile(r"[a-z0-9][a-z0-9-]{0,62}", re.ASCII)
BY_COMMAND = "command:aresweb"
NAME_MAX_LENGTH = 200


def get_or_open(slug: str) -> tuple[Tenant, bool]:
    """The tenant with this slug, opened if it is new; whether it was.

    The installation's administrators become visible members of a new tenant, so that somebody can log in to it.

    Raises:
        Invalid: the slug is not lower-case letters, digits and dashes, or longer than 63 characters.
    """
    check_slug(slug)
    tenant, opened = Tenant.objects.get_or_create(slug=slug, defaults={"name": slug.replace("-", " ").capitalize()})
    if opened:
        _keep(tenant, BY_COMMAND, "tenant.created")
        for user in User.objects.filter(is_superuser=True, is_active=True):
            join(user, tenant, Role.ADMIN)
    return tenant, opened


def create(slug: str, name: str, actor: str, address: str) -> Tenant:
    """Open a tenant that nobody belongs to yet.

    Raises:
        Invalid: the slug is none, or the name is missing or too long. Conflict: there is a tenant with this slug.
    """
    check_slug(slug)
    if not name or len(name) > NAME_MAX_LENGTH:
        raise Invalid(f"A tenant needs a name of at most {NAME_MAX_LENGTH} characters.")
    tenant, opened = Tenant.objects.get_or_create(slug=slug, defaults={"name": name})
    if not opened:
        raise Conflict(f"There is a tenant {slug!r} already.")
    _keep(tenant, actor, "tenant.created", address)
    return tenant


def check_slug(slug: str) -> None:
    """Refuse what cannot name a tenant.

    Raises:
        Invalid: it cannot.
    """
    if not SLUG_PATTERN.fullmatch(slug):
        raise Invalid(f"{slug!r} cannot name a tenant: use lower-case letters, digits and dashes, at most 63.")


def join(user: User, tenant: Tenant, role: Role, actor: str = BY_COMMAND, address: str = "") -> None:
    """Make the user a member with this role, for everybody there to see."""
    with tenant_scope(tenant.pk):
        Membership.objects.update_or_create(tenant=tenant, user=user, defaults={"role": role})
        audit.record(actor, "member.joined", user.email, address, role=role)


def suspend(tenant: Tenant, actor: str, address: str) -> None:
    """Stop everything that is done for the tenant; its admins may look. Work that waits goes on waiting."""
    with transaction.atomic():
        if Tenant.objects.filter(pk=tenant.pk, suspended_at=None).update(suspended_at=datetime.now(UTC)):
            _keep(tenant, actor, "tenant.suspended", address)


def resume(tenant: Tenant, actor: str, address: str) -> None:
    """Let everything go on; the worker finds within a minute what waited."""
    with transaction.atomic():
        if Tenant.objects.filter(pk=tenant.pk).exclude(suspended_at=None).update(suspended_at=None):
            _keep(tenant, actor, "tenant.resumed", address)


def set_ceilings(tenant: Tenant, values: dict[str, str], actor: str, address: str) -> None:
    """Bound what a tenant may take; an empty text gives back the installation's.

    Raises:
        Invalid: one of them is no ceiling, or not what it must be; none is set.
    """
    for name in values:
        if name not in SETTINGS or not SETTINGS[name].ceiling:
            raise Invalid(f"{name!r} is no limit of a tenant.")
    with tenant_scope(tenant.pk):
        for name, text in values.items():
            limits.put(name, text)
        audit.record(actor, "tenant.limited", tenant.slug, address, **values)
    allowance.forget()


def measure_storage() -> int:
    """Note what the content of the tenant of the scope takes, in bytes; returns 1 where there is any."""
    [(tenant_id, stored)] = sql.run("measure_storage", {})
    Tenant.objects.filter(pk=tenant_id).update(stored_bytes=stored, measured_at=datetime.now(UTC))
    return int(stored > 0)


def count(tenant: Tenant) -> dict[str, int]:
    """How many rows of the tenant each table holds: what erasing it would delete."""
    with tenant_scope(tenant.pk):
        return {relation: held for relation, held in sql.run("count_tenant", {}) if held}


def erase(tenant: Tenant) -> dict[str, Any]:
    """Delete the tenant with everything, events, archive and audit log too; the receipt is all that is left.

    Returns:
        `{tenant, name, erased_at, audit_hash, rows}`: `audit_hash` is that of the log's last entry, `rows` counts by
        table.

    Raises:
        Conflict: it is not suspended: something may still be writing.
    """
    with tenant_scope(tenant.pk):
        found = Tenant.objects.select_for_update().get(pk=tenant.pk)
        if found.suspended_at is None:
            raise Conflict("Suspend the tenant first: nothing may be writing while it is erased.")
        rows = {relation: held for relation, held in sql.run("erase_tenant", {}) if held}
        rows["finished_jobs"] = _forget_jobs(tenant.pk)
    hot.forget()
    allowance.forget()
    return {
        "tenant": tenant.slug,
        "name": tenant.name,
        "erased_at": datetime.now(UTC),
        "audit_hash": bytes(found.audit_hash or b"").hex(),
        "rows": rows,
    }


def _forget_jobs(tenant_id: int) -> int:
    """Jobs that are done and were about the tenant; those that wait find nothing when their turn comes."""
    about = [job.pk for job in FinishedJob.objects.iterator() if job.args and job.args[0] == tenant_id]
    return int(FinishedJob.objects.filter(pk__in=about).delete()[0])


def _keep(tenant: Tenant, actor: str, action: str, address: str = "") -> None:
    with tenant_scope(tenant.pk):
        audit.record(actor, action, tenant.slug, address)

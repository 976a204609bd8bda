"""Opening a tenant: the row, and the people who look after it."""

import re

from memory.errors import Invalid
from memory.models import Membership, Tenant, User
from memory.tenancy import tenant_scope
from memory.vocabulary import Role

SLUG_PATTERN = re.compile(r"[a-z0-9][a-z0-9-]{0,62}", re.ASCII)


def get_or_open(slug: str) -> tuple[Tenant, bool]:
    """The tenant with this slug, opened if it is new; whether it was.

    The installation's administrators become visible members of a new tenant, so that somebody can log in to it.

    Raises:
        Invalid: the slug is not lower-case letters, digits and dashes, or longer than 63 characters.
    """
    if not SLUG_PATTERN.fullmatch(slug):
        raise Invalid(f"{slug!r} cannot name a tenant: use lower-case letters, digits and dashes, at most 63.")
    tenant, opened = Tenant.objects.get_or_create(slug=slug, defaults={"name": slug.replace("-", " ").capitalize()})
    if opened:
        for user in User.objects.filter(is_superuser=True, is_active=True):
            join(user, tenant, Role.ADMIN)
    return tenant, opened


def join(user: User, tenant: Tenant, role: Role) -> None:
    """Make the user a member with this role."""
    with tenant_scope(tenant.pk):
        Membership.objects.update_or_create(tenant=tenant, user=user, defaults={"role": role})

"""The one table of permissions: what may be done, from which role on, and by a key of which scope. Pure.

The pages and the API name a permission for everything that they do, and let through whom this table lets through; the
page of permissions shows it.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum

from memory.vocabulary import Role, Scope


class Permission(StrEnum):
    """Something that may be done in a tenant, or with tenants."""

    SEE = "see"
    RECALL = "recall"
    VERIFY = "verify"
    RECORD = "record"
    EDIT = "edit"
    OPERATE = "operate"
    ARCHIVE = "archive"
    ERASE = "erase"
    SETTINGS = "settings"
    MEMBERS = "members"
    KEYS = "keys"
    LIMITS = "limits"
    AUDIT = "audit"
    TENANTS = "tenants"


@dataclass(frozen=True, slots=True)
class Rule:
    """Who may: members from a role on, keys with a scope; None where none may. Some are for the installation's admins.

    `is_kept` says that a change made with it is kept in the audit log; the others are kept in the streams themselves.
    """

    meaning: str
    role: Role | None = None
    scope: Scope | None = None
    for_installation: bool = False
    is_kept: bool = True


RULES: Mapping[Permission, Rule] = {
    Permission.SEE: Rule(
        "See runs, agents, memory, documents, tools and savings", Role.VIEWER, Scope.READ, is_kept=False
    ),
    Permission.RECALL: Rule(
        "Search, build contexts and recover agents, which is recorded", Role.VIEWER, Scope.READ, is_kept=False
    ),
    Permission.VERIFY: Rule("Verify a run", Role.OPERATOR, Scope.READ),
    Permission.RECORD: Rule(
        "Record events, sessions, messages and tasks, have them distilled, and tell what helped",
        None,
        Scope.INGEST,
        is_kept=False,
    ),
    Permission.EDIT: Rule(
        "Change and delete experiences, documents and tools, and accept drafts", Role.OPERATOR, Scope.MANAGE
    ),
    Permission.OPERATE: Rule("See the queues, try work again, and distil runs again", Role.OPERATOR),
    Permission.ARCHIVE: Rule("Archive the older events of a run", Role.ADMIN),
    Permission.ERASE: Rule("Delete sessions, and erase users of agents", Role.ADMIN, Scope.MANAGE),
    Permission.SETTINGS: Rule("Change the tenant's settings and retention", Role.ADMIN),
    Permission.MEMBERS: Rule("Manage members and their roles", Role.ADMIN),
    Permission.KEYS: Rule("Make, rotate and revoke keys", Role.ADMIN),
    Permission.LIMITS: Rule("See what is used of the limits", Role.ADMIN),
    Permission.AUDIT: Rule("See and export the audit log", Role.ADMIN),
    Permission.TENANTS: Rule("Create, limit, suspend and erase tenants, and join one", for_installation=True),
}


def may_role(role: Role | str, permission: Permission) -> bool:
    """Whether a member with this role may do it."""
    least = RULES[permission].role
    return least is not None and list(Role).index(Role(role)) >= list(Role).index(least)


def may_scopes(scopes: Collection[str], permission: Permission) -> bool:
    """Whether a key with these scopes may do it."""
    scope = RULES[permission].scope
    return scope is not None and scope in scopes


def of_role(role: Role | str) -> frozenset[Permission]:
    """All that a member with this role may do."""
    return frozenset(permission for permission in Permission if may_role(role, permission))

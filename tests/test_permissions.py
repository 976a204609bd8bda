"""The table of permissions, and that every address of the project names one of it."""

import pytest

from memory import permissions
from memory.api.views import TenantView
from memory.permissions import RULES, Permission
from memory.vocabulary import Role, Scope
from tests.access import addresses

# What has no rule since it is nobody's: health, the schema and its documentation.
OPEN = {"healthz", "readyz", "api/schema/", "api/docs/"}
# Django's admin has one rule for all of it: tests/administration/.
ADMIN = "admin/"


def methods(view: type[TenantView]) -> set[str]:
    """What a view of the API answers to."""
    return {name.upper() for name in ("get", "post", "put", "patch", "delete") if hasattr(view, name)}


def test_every_address_says_what_it_takes() -> None:
    unruled = []
    for address in addresses():
        if address.place.startswith(ADMIN):
            continue
        if address.place.startswith("api/v1/"):
            ruled = address.view is not None and methods(address.view) == set(address.view.permissions)
        else:
            ruled = address.place in OPEN or hasattr(address.pattern.callback, "permissions")
        if not ruled:
            unruled.append(address.place)
    assert unruled == []
    assert {address.place for address in addresses()} >= OPEN


def test_pages_that_anybody_may_see_are_those_that_log_in_or_out() -> None:
    ruled = [each for each in addresses() if getattr(each.pattern.callback, "permissions", None) == ()]
    public = {each.place for each in ruled if not getattr(each.pattern.callback, "is_personal", False)}
    assert {place.split("/")[0].lstrip("^") for place in public} == {
        "login", "logout", "password", "invitations", "oidc"
    }  # fmt: skip
    own = {each.place for each in ruled} - public
    assert {place.split("/")[0] for place in own} == {"account"}


def test_every_permission_has_a_rule_and_every_rule_is_used() -> None:
    assert set(RULES) == set(Permission)
    named: set[Permission] = set()
    for address in addresses():
        named.update(address.view.permissions.values() if address.view else ())
        named.update(getattr(address.pattern.callback, "permissions", ()))
    assert named >= set(Permission)


def test_each_role_may_what_the_ones_before_it_may() -> None:
    viewer, operator, admin = (permissions.of_role(role) for role in Role)
    assert viewer < operator < admin
    assert Permission.TENANTS not in admin


def test_no_scope_includes_another() -> None:
    allowed = {scope: {each for each in Permission if permissions.may_scopes([scope], each)} for scope in Scope}
    assert all(allowed.values())
    assert not allowed[Scope.INGEST] & allowed[Scope.READ]
    assert not allowed[Scope.READ] & allowed[Scope.MANAGE]
    assert not any(permissions.may_scopes([], permission) for permission in Permission)


@pytest.mark.parametrize("permission", [Permission.KEYS, Permission.AUDIT, Permission.TENANTS, Permission.SETTINGS])
def test_no_key_may_do_what_is_for_people(permission: Permission) -> None:
    assert not permissions.may_scopes(list(Scope), permission)

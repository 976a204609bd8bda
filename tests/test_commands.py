"""Commands by which an administrator opens tenants, gives out keys and takes them back."""

import re
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from memory.models import ApiKey, Membership, Tenant, User


def run(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


def test_a_key_is_printed_alone_opens_its_tenant_and_can_be_revoked(db: None) -> None:
    admin = User.objects.create_superuser("root@example.com", "x")
    text = run("create_api_key", "--tenant", "new-one", "--name", "ci", "--expires-in", "3")

    assert re.fullmatch(r"ares_[0-9a-f]{12}_\S{43}\n", text)
    key = ApiKey.objects.presented(text.strip())
    assert key
    assert key.expires_at
    assert [member.tenant.slug for member in Membership.objects.of(admin)] == ["new-one"]
    assert f"{key.prefix}  usable" in run("revoke_api_key", "--tenant", "new-one")
    run("revoke_api_key", key.prefix, "--tenant", "new-one")
    assert ApiKey.objects.presented(text.strip()) is None


def test_a_person_is_made_a_member_once_and_the_password_is_told_once(acme: Tenant) -> None:
    told = run("add_member", "New@Example.com", "--tenant", "acme", "--role", "operator")
    password = told.split()[1]
    user = User.objects.get(email="new@example.com")

    again = run("add_member", "new@example.com", "--tenant", "acme", "--role", "admin")

    assert user.check_password(password)
    assert password not in again
    assert [member.role for member in Membership.objects.of(user)] == ["admin"]


def test_an_administrator_is_made_by_one_command_and_sees_no_tenant_by_it(acme: Tenant) -> None:
    told = run("create_admin", "Root@Example.com")
    root = User.objects.get(email="root@example.com")

    assert root.is_superuser
    assert root.check_password(told.split()[1])
    assert Membership.objects.of(root) == []


def test_somebody_who_is_there_becomes_an_administrator_and_keeps_the_password(acme: Tenant) -> None:
    user = User.objects.create_user("ann@example.com", "correct horse battery")

    told = run("create_admin", "ann@example.com")

    user.refresh_from_db()
    assert (user.is_superuser, user.check_password("correct horse battery")) == (True, True)
    assert told == "ann@example.com is an administrator of the installation.\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ("create_api_key", "--tenant", "Not A Slug", "--name", "x"),
        ("create_api_key", "--tenant", "acme", "--name", "x", "--expires-in", "0"),
        ("revoke_api_key", "000000000000", "--tenant", "acme"),
        ("revoke_api_key", "--tenant", "nobody"),
        ("create_admin", "no address"),
        ("add_member", "no address", "--tenant", "acme"),
        ("add_member", "a@example.com", "--tenant", "nobody"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(acme: Tenant, arguments: tuple[str, ...]) -> None:
    with pytest.raises(CommandError):
        run(*arguments)

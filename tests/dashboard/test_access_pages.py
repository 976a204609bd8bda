"""The pages of keys, limits, the audit log, erasure and tenants."""

import re
from collections.abc import Callable

import pytest
from django.test import Client

from memory.events import store
from memory.layers import session
from memory.models import ApiKey, AuditEntry, Session, Tenant, TenantSetting, User
from memory.tenancy import tenant_scope
from memory.vocabulary import Role
from tests.dashboard.conftest import seen
from tests.events.making import drafted


@pytest.fixture
def admin(member: Callable[..., Client]) -> Client:
    return member(Role.ADMIN)


@pytest.fixture
def installer(acme: Tenant) -> Client:
    """An admin of the installation who belongs to no tenant."""
    user = User.objects.create_superuser("root@example.com", "correct horse battery")
    browser = Client()
    browser.force_login(user)
    return browser


def actions(tenant: Tenant) -> list[tuple[str, str]]:
    with tenant_scope(tenant.pk):
        return list(AuditEntry.objects.order_by("number").values_list("actor", "action"))[1:]


def test_a_key_is_made_shown_once_rotated_and_revoked(admin: Client, acme: Tenant) -> None:
    given = {"name": "ci", "scopes": ["ingest", "read"], "agent_id": "planner", "days": "30"}
    made = admin.post("/settings/keys/new/", given)
    [text] = re.findall(r"ares_[0-9a-f]{12}_[A-Za-z0-9_-]{43}", made.content.decode())
    assert (made.status_code, made.headers["Cache-Control"].count("no-store")) == (201, 1)
    key = ApiKey.objects.presented(text)
    assert key is not None
    assert (key.scopes, key.agent_id) == (["ingest", "read"], "planner")
    assert text not in seen(admin, "/settings/keys/")
    assert admin.post(f"/settings/keys/{key.prefix}/rotate/", {"hours": "1"}).status_code == 201
    assert ApiKey.objects.presented(text) is not None
    assert admin.post(f"/settings/keys/{key.prefix}/revoke/").status_code == 302
    assert ApiKey.objects.presented(text) is None
    assert [action for _, action in actions(acme)] == ["key.created", "key.rotated", "key.revoked"]
    with tenant_scope(acme.pk):
        assert not AuditEntry.objects.filter(detail__contains=text.rsplit("_", 1)[1]).exists()


@pytest.mark.parametrize(
    "given", [{"name": "", "scopes": ["read"]}, {"name": "k"}, {"name": "k", "scopes": ["manage"], "agent_id": "a"}]
)
def test_a_key_that_cannot_be_is_refused_and_what_was_typed_stands_there(
    admin: Client, acme: Tenant, given: dict[str, str]
) -> None:
    refused = admin.post("/settings/keys/new/", given)
    assert refused.status_code == 422
    assert "No key was made" in refused.content.decode()
    with tenant_scope(acme.pk):
        assert not ApiKey.objects.exists()


def test_the_log_is_searched_and_exported(admin: Client, acme: Tenant) -> None:
    admin.post("/settings/keys/new/", {"name": "findme", "scopes": ["read"]})
    assert "findme" in seen(admin, "/settings/audit/?q=findme&action=key.created")
    assert "Nothing like that" in seen(admin, "/settings/audit/?q=nobody")
    assert "Nothing like that" in seen(admin, "/settings/audit/?until=2001-01-01&since=%00")
    exported = b"".join(admin.get("/settings/audit/export/").streaming_content)  # type: ignore[attr-defined]
    assert b"findme" in exported


def test_a_session_is_counted_and_goes_when_its_id_is_typed(admin: Client, acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        opened = session.create("mara")
        session.add_messages(opened.pk, [{"role": "user", "content": "secret words"}])
    asked = {"kind": "session", "name": opened.pk}
    assert "would go" in seen(admin, f"/settings/erasure/?kind=session&name={opened.pk}")
    assert admin.post("/settings/erasure/", {**asked, "typed": "sess_"}).status_code == 422
    with tenant_scope(acme.pk):
        assert Session.objects.exists()
    assert "Erased" in admin.post("/settings/erasure/", {**asked, "typed": opened.pk}).content.decode()
    with tenant_scope(acme.pk):
        assert not Session.objects.exists()
    assert actions(acme) == [("user:admin@example.com", "session.erased")]


def test_of_an_erased_user_the_log_keeps_a_digest_alone(admin: Client, acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        session.create("mara.secret")
    given = {"kind": "user", "name": "mara.secret", "typed": "mara.secret"}
    assert admin.post("/settings/erasure/", given).status_code == 200
    with tenant_scope(acme.pk):
        [entry] = AuditEntry.objects.filter(action="user.erased")
    assert entry.subject.startswith("sha256:")
    assert "mara.secret" not in entry.detail


def test_what_is_not_there_cannot_be_erased(admin: Client) -> None:
    assert admin.get("/settings/erasure/?kind=user&name=nobody%00").status_code == 404


def test_an_admin_of_the_installation_opens_bounds_suspends_and_joins_and_each_tenant_keeps_it(
    installer: Client, acme: Tenant
) -> None:
    assert installer.post("/settings/tenants/", {"slug": "new-one", "name": "New"}).status_code == 302
    assert installer.post("/settings/tenants/", {"slug": "new-one", "name": "New"}).status_code == 422
    assert installer.post("/settings/tenants/", {"slug": "Bad Slug", "name": "New"}).status_code == 422
    page = "/settings/tenants/acme/"
    assert installer.post(page, {"do": "limit", "ARES_REQUESTS_A_MINUTE": "50"}).status_code == 302
    assert installer.post(page, {"do": "limit", "ARES_REQUESTS_A_MINUTE": "x"}).status_code == 422
    assert installer.post(page, {"do": "suspend"}).status_code == 302
    assert installer.post(page, {"do": "resume"}).status_code == 302
    assert installer.get("/").status_code == 403
    assert installer.post(page, {"do": "join"}).status_code == 302
    assert installer.get("/").status_code == 200
    with tenant_scope(acme.pk):
        assert TenantSetting.objects.get().value == "50"
        done = list(AuditEntry.objects.order_by("number").values_list("actor", "action"))
    who = "user:root@example.com"
    assert done == [(who, f"tenant.{verb}") for verb in ("limited", "suspended", "resumed")] + [(who, "member.joined")]


def test_a_tenant_is_erased_by_typing_its_name_once_it_is_suspended(installer: Client, acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        store.append("run", [drafted()])
    page = "/settings/tenants/acme/"
    assert installer.post(page, {"do": "erase", "typed": "acme"}).status_code == 422
    installer.post(page, {"do": "suspend"})
    assert installer.post(page, {"do": "erase", "typed": "Acme"}).status_code == 422
    receipt = installer.post(page, {"do": "erase", "typed": "acme"}).content.decode()
    assert "memory_event" in receipt
    assert not Tenant.objects.filter(slug="acme").exists()


def test_a_tenants_admin_cannot_raise_what_the_installation_bounds(admin: Client, acme: Tenant) -> None:
    admin.post("/settings/", {"ARES_REQUESTS_A_MINUTE": "1000000"})
    with tenant_scope(acme.pk):
        assert not TenantSetting.objects.exists()
    assert "Requests in this minute" in seen(admin, "/settings/limits/")

"""Invitations: for one address and one role, for some days, once."""

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.db import connection
from django.test import Client, override_settings
from django.utils import timezone

from memory import invitations, tenants
from memory.errors import Conflict
from memory.models import AuditEntry, Invitation, Membership, Tenant, User
from memory.tenancy import tenant_scope
from memory.vocabulary import Role
from tests.accounts.conftest import PASSWORD, is_logged_in, link, logged_in

Work = Callable[[Callable[[], Any]], Any]
NEW = {"name": "New", "password": "another horse battery"}


def invite(tenant: Tenant, email: str = "new@example.com", role: Role = Role.OPERATOR) -> str:
    """The path of the link of a new invitation."""
    with tenant_scope(tenant.pk):
        by = User.objects.get_or_create(email="inviter@example.com")[0]
        return f"/invitations/{invitations.token(invitations.invite(email, role, by))}/"


def role_in(tenant: Tenant, email: str) -> str | None:
    with tenant_scope(tenant.pk):
        return Membership.objects.filter(user__email=email).values_list("role", flat=True).first()


def test_somebody_new_makes_an_account_and_is_a_member(acme: Tenant, globex: Tenant) -> None:
    path, browser = invite(acme), Client()
    page = browser.get(path).content.decode()
    assert "Acme" in page
    assert "new@example.com" in page
    assert browser.post(path, NEW)["Location"] == "/"
    assert "Welcome to Acme." in browser.get("/").content.decode()
    assert is_logged_in(browser)
    assert (role_in(acme, "new@example.com"), role_in(globex, "new@example.com")) == ("operator", None)


def test_a_link_works_once(acme: Tenant) -> None:
    path = invite(acme)
    Client().post(path, NEW)
    for answer in (Client().get(path), Client().post(path, NEW)):
        assert answer.status_code == 410
        assert "It was accepted already" in answer.content.decode()
    assert User.objects.filter(email="new@example.com").count() == 1


def test_a_link_expires(acme: Tenant) -> None:
    path = invite(acme)
    with tenant_scope(acme.pk):
        made = Invitation.objects.get()
        assert made.expires_at - made.created_at == timedelta(days=7)
        Invitation.objects.update(expires_at=timezone.now())
    for answer in (Client().get(path), Client().post(path, NEW)):
        assert answer.status_code == 410
        assert "Its time is over" in answer.content.decode()
    assert not User.objects.filter(email="new@example.com").exists()


def test_another_invitation_to_the_same_address_takes_the_place_of_the_first(acme: Tenant) -> None:
    first, second = invite(acme), invite(acme, role=Role.VIEWER)
    assert Client().post(first, NEW).status_code == 410
    assert Client().post(second, NEW).status_code == 302
    assert role_in(acme, "new@example.com") == "viewer"


@pytest.mark.parametrize("change", [lambda t: t[:-1], lambda t: t[:-1] + ("A" if t[-1] != "A" else "B"), lambda t: "W" + t, lambda t: "x", lambda t: t.replace(":", "%00", 1)])  # fmt: skip
def test_a_link_that_was_not_made_here_leads_nowhere(acme: Tenant, change: Callable[[str], str]) -> None:
    token = invite(acme).removeprefix("/invitations/").rstrip("/")
    assert Client().get(f"/invitations/{change(token)}/").status_code == 404


def test_links_of_another_installation_or_another_purpose_lead_nowhere(acme: Tenant) -> None:
    from django.core import signing

    with override_settings(SECRET_KEY="k" * 50):
        path = invite(acme)
    assert Client().get(path).status_code == 404
    assert Client().get(f"/invitations/{signing.dumps([acme.pk, 1])}/").status_code == 404


def test_somebody_with_an_account_logs_in_and_joins(acme: Tenant, globex: Tenant, mara: User) -> None:
    path, browser = invite(globex, mara.email, Role.VIEWER), Client()
    page = browser.get(path).content.decode()
    assert f"/login/?next={path}" in page.replace("%3A", ":")
    assert "password" not in page.lower()
    assert browser.post(path, NEW).status_code == 200  # nobody sets somebody else's password by a link
    assert role_in(globex, mara.email) is None
    browser = logged_in(mara)
    assert browser.get(path).status_code == 200
    assert browser.post(path)["Location"] == "/"
    assert role_in(globex, mara.email) == "viewer"
    assert "Globex" in browser.get("/").content.decode()
    mara.refresh_from_db()
    assert mara.check_password(PASSWORD)


def test_nobody_takes_an_invitation_of_somebody_else(acme: Tenant, globex: Tenant, mara: User) -> None:
    path, browser = invite(globex), logged_in(mara)
    assert "whom this invitation is not for" in browser.get(path).content.decode()
    assert browser.post(path).status_code == 403
    assert role_in(globex, mara.email) is None


def test_an_invitation_takes_no_rights_away(acme: Tenant, mara: User) -> None:
    path = invite(acme, "later@example.com", Role.VIEWER)
    later = User.objects.create_user("later@example.com", PASSWORD)
    tenants.join(later, acme, Role.ADMIN)
    assert logged_in(later).post(path).status_code == 302
    assert role_in(acme, later.email) == "admin"


@pytest.mark.parametrize("password", ["short", "password123", "new@example.com", "", "1234567890"])
def test_a_new_account_needs_a_password_that_is_one(acme: Tenant, password: str) -> None:
    path, browser = invite(acme), Client()
    answer = browser.post(path, {"name": "New", "password": password})
    assert answer.status_code == 422
    assert 'role="alert"' in answer.content.decode()
    assert not User.objects.filter(email="new@example.com").exists()
    assert browser.post(path, NEW).status_code == 302


def test_an_admin_invites_by_mail_where_there_is_a_mail_server(admin: Client, acme: Tenant, work: Work) -> None:
    with override_settings(MAIL={"EMAIL_HOST": "mail.example"}):
        fields = {"email": "New@Example.com", "role": "operator"}
        answer = work(lambda: admin.post("/settings/people/invitations/", fields))
        page = admin.get(answer["Location"]).content.decode()
        assert "on its way to new@example.com" in page
        assert "data-invitation-link" not in page
        [sent] = mail.outbox
        assert (sent.to, sent.subject) == (["new@example.com"], "aresweb: Invitation to Acme")
        assert "Ada invites you to Acme on aresweb, as operator." in str(sent.body)
        assert Client().post(link(), NEW).status_code == 302
    assert role_in(acme, "new@example.com") == "operator"
    assert EmailAddress.objects.get(email="new@example.com").verified


def test_without_a_mail_server_the_link_is_shown_once_and_vouches_for_no_address(admin: Client, acme: Tenant) -> None:
    answer = admin.post("/settings/people/invitations/", {"email": "new@example.com", "role": "viewer"})
    shown = answer.context["link"]
    assert answer.status_code == 201
    assert shown in answer.content.decode()
    assert "/invitations/" not in admin.get("/settings/people/").content.decode().replace("people/invitations/", "")
    assert mail.outbox == []
    assert Client().post(shown.removeprefix("http://testserver"), NEW).status_code == 302
    assert not EmailAddress.objects.get(email="new@example.com").verified


def test_a_revoked_invitation_is_not_sent_and_opens_nothing(admin: Client, acme: Tenant, work: Work) -> None:
    path = invite(acme)
    with tenant_scope(acme.pk):
        made = Invitation.objects.get()
    answer = admin.post(f"/settings/people/invitations/{made.pk}/revocation/", follow=True)
    assert "was revoked" in answer.content.decode()
    assert Client().post(path, NEW).status_code == 410
    from dashboard.accounts.mail import send_invitation

    send_invitation(acme.pk, made.pk, "http://testserver")
    assert mail.outbox == []


def test_who_invited_revoked_and_joined_stands_in_the_audit_log(admin: Client, acme: Tenant) -> None:
    first = admin.post("/settings/people/invitations/", {"email": "a@example.com", "role": "viewer"})
    assert Client(REMOTE_ADDR="192.0.2.7").post(first.context["link"].removeprefix("http://testserver"), NEW)
    second = admin.post("/settings/people/invitations/", {"email": "b@example.com", "role": "admin"})
    admin.post(f"/settings/people/invitations/{second.context['made'].pk}/revocation/")
    with tenant_scope(acme.pk):
        kept = list(AuditEntry.objects.order_by("number").values_list("actor", "action", "subject", "address"))
    assert kept[-4:] == [
        ("user:ada@example.com", "member.invited", "a@example.com", "127.0.0.1"),
        ("user:a@example.com", "member.joined", "a@example.com", "192.0.2.7"),
        ("user:ada@example.com", "member.invited", "b@example.com", "127.0.0.1"),
        ("user:ada@example.com", "member.uninvited", "b@example.com", "127.0.0.1"),
    ]


def test_nobody_joins_a_suspended_tenant_until_it_is_resumed(acme: Tenant) -> None:
    path = invite(acme)
    tenants.suspend(acme, "test", "")
    answer = Client().post(path, NEW)
    assert answer.status_code == 410
    assert "suspended" in answer.content.decode()
    assert not User.objects.filter(email="new@example.com").exists()
    tenants.resume(acme, "test", "")
    assert Client().post(path, NEW).status_code == 302


def test_what_was_accepted_cannot_be_revoked_nor_what_is_anothers(admin: Client, acme: Tenant, globex: Tenant) -> None:
    Client().post(invite(acme), NEW)
    theirs = invite(globex, "theirs@example.com")
    with tenant_scope(globex.pk):
        their_number = Invitation.objects.get().pk
    with tenant_scope(acme.pk):
        number = Invitation.objects.get().pk
    page = admin.post(f"/settings/people/invitations/{number}/revocation/", follow=True).content.decode()
    assert "has accepted it already" in page
    for none in (their_number, 10**17, "x"):
        assert admin.post(f"/settings/people/invitations/{none}/revocation/").status_code == 404
    assert Client().get(theirs).status_code == 200


@pytest.mark.parametrize("fields", [{"email": "no address", "role": "viewer"}, {"email": "a@example.com", "role": "owner"}, {"email": "ada@example.com", "role": "viewer"}, {}, {"email": "a\x00@example.com", "role": "viewer"}])  # fmt: skip
def test_an_invitation_that_cannot_be_made_says_why(admin: Client, acme: Tenant, fields: dict[str, str]) -> None:
    answer = admin.post("/settings/people/invitations/", fields)
    assert answer.status_code == 422
    with tenant_scope(acme.pk):
        assert not Invitation.objects.exists()


@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR])
def test_only_admins_invite_and_see_invitations(acme: Tenant, role: Role) -> None:
    invite(acme, "secret@example.com")
    user = User.objects.create_user("low@example.com", PASSWORD)
    tenants.join(user, acme, role)
    browser = logged_in(user)
    page = browser.get("/settings/people/").content.decode()
    assert "low@example.com" in page
    assert "secret@example.com" not in page
    assert "Invite somebody" not in page
    assert browser.post("/settings/people/invitations/", {"email": "x@example.com", "role": "admin"}).status_code == 403
    assert browser.post("/settings/people/invitations/1/revocation/").status_code == 403


def test_people_of_another_tenant_do_not_show(admin: Client, acme: Tenant, globex: Tenant) -> None:
    other = User.objects.create_user("other@example.com", PASSWORD)
    tenants.join(other, globex, Role.ADMIN)
    invite(globex, "theirs@example.com")
    for path in ("/settings/people/", "/settings/people/?q=other", "/settings/people/?q=%00"):
        page = admin.get(path).content.decode()
        assert "other@example.com" not in page
        assert "theirs@example.com" not in page


def test_the_page_takes_no_more_queries_for_more_people(
    admin: Client, acme: Tenant, django_assert_max_num_queries: Any
) -> None:
    for number in range(30):
        tenants.join(User.objects.create(email=f"user{number}@example.com"), acme, Role.VIEWER)
        invite(acme, f"new{number}@example.com")
    with django_assert_max_num_queries(16):
        assert admin.get("/settings/people/").content.decode().count("Revoke<span") == 30


@pytest.mark.django_db(transaction=True)
def test_of_two_who_accept_at_once_one_makes_the_account() -> None:
    acme = Tenant.objects.create(slug="acme", name="Acme")
    with tenant_scope(acme.pk):
        made = invitations.invite("new@example.com", Role.VIEWER, User.objects.create(email="i@example.com"))
    outcomes: list[str] = []
    together = threading.Barrier(2)

    def accept() -> None:
        together.wait()
        try:
            invitations.accept_as_new(made, "New", PASSWORD)
            outcomes.append("made")
        except Conflict:
            outcomes.append("refused")
        finally:
            connection.close()

    threads = [threading.Thread(target=accept) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["made", "refused"]
    assert role_in(acme, "new@example.com") == "viewer"

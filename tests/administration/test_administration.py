"""Django's admin: for administrators of the installation, read-only where it must be, quick, and blind to tenants of
which they are no members."""

from collections.abc import Callable
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from aresweb.administration import administration
from aresweb.administration.tenants import OfTenant
from memory import tenants
from memory.events import store
from memory.models import Stream, Tenant, User
from memory.tenancy import tenant_scope
from memory.vocabulary import Role
from tests import tables
from tests.accounts.conftest import PASSWORD, is_logged_in, logged_in
from tests.events.making import drafted

Queries = Callable[[int], Any]


@pytest.fixture
def root(db: None) -> User:
    """An administrator of the installation, who is a member of nothing."""
    return User.objects.create_superuser("root@example.com", PASSWORD)


@pytest.fixture
def browser(root: User) -> Client:
    return logged_in(root)


def fill(tenant: Tenant, streams: int = 1) -> None:
    with tenant_scope(tenant.pk):
        tables.fill_distilled(tenant)
        for number in range(streams):
            store.append(f"{tenant.slug}-run-{number}", [drafted() for _ in range(5)])


def pages() -> list[tuple[type, str]]:
    """Every list of the site, with its model."""
    return [
        (model, reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist"))
        for model in administration._registry
    ]


@pytest.mark.parametrize("role", [None, Role.VIEWER, Role.ADMIN])
def test_only_administrators_of_the_installation_come_in(acme: Tenant, role: Role | None) -> None:
    anonymous = Client()
    assert anonymous.get("/admin/", follow=True).redirect_chain[-1] == ("/login/?next=/admin/", 302)
    user = User.objects.create_user("mara@example.com", PASSWORD, is_staff=True)
    if role:
        tenants.join(user, acme, role)
    somebody = logged_in(user)
    for path in ("/admin/", "/admin/login/", *(path for _, path in pages())):
        assert somebody.get(path, follow=True).status_code == 403, path


def test_the_log_in_is_the_one_of_the_project(db: None) -> None:
    answer = Client().get("/admin/login/")
    assert answer["Location"].startswith("/login/")
    assert Client().post("/admin/login/", {"username": "root@example.com", "password": PASSWORD}).status_code == 302


def test_a_password_is_changed_on_the_page_for_it_alone(browser: Client) -> None:
    assert browser.get("/admin/password_change/")["Location"] == "/account/password/"


def test_every_page_opens_with_and_without_a_membership(browser: Client, root: User, acme: Tenant) -> None:
    fill(acme)
    for _ in range(2):
        assert browser.get("/admin/").status_code == 200
        for model, path in pages():
            is_tenants = isinstance(administration._registry[model], OfTenant)
            expected = 200 if not is_tenants or membership_of(root, acme) else 403
            assert browser.get(path).status_code == expected, path
            assert browser.get(path, {"q": "x", "p": "0", "o": "1", "_facets": "True"}).status_code in (
                200,
                302,
                403,
            ), path
        tenants.join(root, acme, Role.VIEWER)


def membership_of(user: User, tenant: Tenant) -> bool:
    from memory.models import Membership

    return any(one.tenant == tenant for one in Membership.objects.of(user))


def test_a_tenants_rows_show_to_its_visible_members_alone(
    browser: Client, root: User, acme: Tenant, globex: Tenant
) -> None:
    for tenant in (acme, globex):
        fill(tenant)
    tenants.join(root, acme, Role.VIEWER)
    seen = "".join(browser.get(path).content.decode() for _, path in pages())
    assert "acme-run-0" in seen
    assert "globex-run" not in seen
    with tenant_scope(globex.pk):
        theirs = Stream.objects.named("globex-run-0")
    answer = browser.get(f"/admin/memory/stream/{theirs.pk}/change/", follow=True)
    assert "globex-run" not in answer.content.decode()
    browser.post("/tenant/", {"tenant": "globex"})
    assert "globex-run" not in browser.get("/admin/memory/stream/").content.decode()


def test_of_several_tenants_the_one_that_the_dashboard_shows_is_seen(
    browser: Client, root: User, acme: Tenant, globex: Tenant
) -> None:
    for tenant in (acme, globex):
        fill(tenant)
        tenants.join(root, tenant, Role.VIEWER)
    browser.post("/tenant/", {"tenant": "globex"})
    page = browser.get("/admin/memory/stream/").content.decode()
    assert "globex-run-0" in page
    assert "acme-run-0" not in page


def test_what_is_immutable_can_be_neither_made_nor_changed_nor_deleted(
    browser: Client, root: User, acme: Tenant
) -> None:
    fill(acme)
    tenants.join(root, acme, Role.ADMIN)
    before = tables.row_counts()
    changed = {"User"}
    for model, path in pages():
        admin = administration._registry[model]
        assert browser.get(f"{path}add/").status_code == 403, path
        if model.__name__ in changed:
            continue
        with tenant_scope(acme.pk):
            row = model._default_manager.first()
        if row is None:
            continue
        page = browser.get(f"{path}{row.pk}/change/")
        assert page.status_code == 200, path
        assert 'name="_save"' not in page.content.decode()
        assert browser.post(f"{path}{row.pk}/change/", {"name": "x"}).status_code == 403
        if isinstance(admin, OfTenant):
            assert browser.post(f"{path}{row.pk}/delete/", {"post": "yes"}).status_code == 403
        assert browser.post(path, {"action": "delete_selected", "_selected_action": [row.pk]}).status_code in (
            200,
            302,
            403,
        )
    after = tables.row_counts()
    assert {key: count for key, count in after.items() if "_cache" not in key[1]} == {
        key: count for key, count in before.items() if "_cache" not in key[1]
    }


@pytest.mark.parametrize("name", ["stream", "session", "task", "experience", "membership", "queueitem", "segment", "apikey"])  # fmt: skip
def test_a_list_takes_as_many_queries_for_many_rows_as_for_few_and_counts_nothing(
    browser: Client, root: User, acme: Tenant, name: str, django_assert_num_queries: Queries
) -> None:
    fill(acme)
    tenants.join(root, acme, Role.VIEWER)
    path = f"/admin/memory/{name}/"
    browser.get(path)
    with CaptureQueriesContext(connection) as few:
        browser.get(path)
    fill_more(acme)
    with django_assert_num_queries(len(few)) as many:
        assert browser.get(path).status_code == 200
    assert not [query["sql"] for query in many.captured_queries if "COUNT(" in query["sql"].upper()]
    assert len(few) <= 16


def fill_more(tenant: Tenant) -> None:
    from memory.layers import session, task

    with tenant_scope(tenant.pk):
        for number in range(20):
            store.append(f"more-{number}", [drafted()])
            opened = session.create(f"user-{number}")
            task.create(opened.pk, f"user-{number}", "input")
    for number in range(20):
        tenants.join(User.objects.create(email=f"user{number}@example.com"), tenant, Role.VIEWER)


@pytest.mark.parametrize(
    "path", ["/admin/memory/user/", "/admin/usersessions/usersession/", "/admin/mfa/authenticator/"]
)
def test_lists_of_people_take_no_query_for_each_of_them(
    browser: Client, root: User, path: str, django_assert_num_queries: Queries
) -> None:
    def more(first: int) -> None:
        for number in range(first, first + 15):
            user = User.objects.create(email=f"user{number}@example.com")
            UserSession.objects.create(user=user, ip="192.0.2.1", session_key=f"key{number}", user_agent="x")
            Authenticator.objects.create(user=user, type="totp", data={"secret": "hidden"})

    more(0)
    browser.get(path)
    with CaptureQueriesContext(connection) as few:
        browser.get(path)
    more(15)
    with django_assert_num_queries(len(few)):
        browser.get(path)


def test_pages_go_only_so_far_however_many_rows_there_are(
    browser: Client, root: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("aresweb.administration.rows.REACH", 60)
    User.objects.bulk_create(User(email=f"user{number:03}@example.com") for number in range(200))
    page = browser.get("/admin/memory/user/").content.decode()
    assert "60 users" in page
    assert browser.get("/admin/memory/user/?q=user199").content.decode().count("user199@example.com") == 1


def test_no_secret_is_on_any_page(browser: Client, root: User, acme: Tenant, acme_key: str) -> None:
    from memory.models import ApiKey

    tenants.join(root, acme, Role.VIEWER)
    mine = UserSession.objects.get(user=root)
    second = Authenticator.objects.create(user=root, type="totp", data={"secret": "hidden-secret"})
    with tenant_scope(acme.pk):
        key = ApiKey.objects.get()
    for path, hidden in (
        (f"/admin/memory/user/{root.pk}/change/", root.password),
        (f"/admin/memory/apikey/{key.pk}/change/", key.secret_hash),
        (f"/admin/usersessions/usersession/{mine.pk}/change/", mine.session_key),
        (f"/admin/mfa/authenticator/{second.pk}/change/", "hidden-secret"),
    ):
        page = browser.get(path)
        assert page.status_code == 200
        assert hidden not in page.content.decode()


def test_closing_an_account_throws_its_owner_out(browser: Client, acme: Tenant) -> None:
    user = User.objects.create_user("mara@example.com", PASSWORD)
    inside = logged_in(user)
    browser.post(f"/admin/memory/user/{user.pk}/change/", {"name": "Mara"})
    user.refresh_from_db()
    assert (user.is_active, user.name, user.check_password(PASSWORD)) == (False, "Mara", True)
    assert not is_logged_in(inside)


def test_an_administrator_cannot_close_their_own_account_or_delete_people(browser: Client, root: User) -> None:
    browser.post(f"/admin/memory/user/{root.pk}/change/", {"name": "Nobody"})
    root.refresh_from_db()
    assert (root.is_active, root.is_superuser) == (True, True)
    assert browser.post(f"/admin/memory/user/{root.pk}/delete/", {"post": "yes"}).status_code == 403


def test_deleting_a_session_ends_it_and_deleting_a_second_step_lets_its_owner_in(browser: Client) -> None:
    user = User.objects.create_user("mara@example.com", PASSWORD)
    inside = logged_in(user)
    mine = UserSession.objects.get(user=user)
    browser.post(f"/admin/usersessions/usersession/{mine.pk}/delete/", {"post": "yes"})
    assert not is_logged_in(inside)
    second = Authenticator.objects.create(user=user, type="totp", data={"secret": "x"})
    browser.post(f"/admin/mfa/authenticator/{second.pk}/delete/", {"post": "yes"})
    logged_in(user)


def test_the_pages_keep_to_the_policy_of_content(browser: Client) -> None:
    for path in ("/admin/", "/admin/memory/user/", "/admin/memory/user/add/"):
        answer = browser.get(path)
        assert "unsafe" not in answer["Content-Security-Policy"]
        page = answer.content.decode()
        assert "<style" not in page
        assert " style=" not in page
        assert " onclick=" not in page

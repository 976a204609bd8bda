"""What memory holds of each user."""

import pytest
from django.test import Client

from memory.models import Tenant
from memory.tenancy import tenant_scope
from tests.dashboard.conftest import seen
from tests.dashboard.making import experience, said

ODD = 'mara/ops "x" <b>&é'


@pytest.fixture
def _held(acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        experience("Prefers short reports.", kind="preference", user_id=ODD, confidence=0.9)
        experience("Lives in Bergen.", kind="profile", user_id=ODD)
        experience("Order 7 is paid.", user_id="")
        experience("Likes tea.", kind="preference", user_id="other")


@pytest.mark.usefixtures("_held")
def test_users_are_listed_with_how_much_is_held_of_each(pages: Client) -> None:
    page = seen(pages, "/memory/users/")
    assert "mara/ops &quot;x&quot; &lt;b&gt;&amp;é" in page
    assert "2 users on this page" in page
    assert "1 user on this page" in seen(pages, "/memory/users/?q=oth")
    assert "No user matches" in seen(pages, "/memory/users/?q=nobody")


@pytest.mark.usefixtures("_held")
def test_a_profile_holds_what_is_the_users_and_nothing_else(pages: Client) -> None:
    page = pages.get("/memory/users/", {"user": ODD}).content.decode()
    assert page.index("Lives in Bergen.") < page.index("Prefers short reports.")
    assert "Order 7" not in page
    assert "Likes tea." not in page


def test_a_user_of_whom_nothing_is_held_has_an_empty_page(pages: Client) -> None:
    assert "Nothing is held of this user" in seen(pages, "/memory/users/?user=nobody")
    assert "Nothing is held of anybody yet" in seen(pages, "/memory/users/?user=%00")


def test_another_tenants_users_are_not_there(pages: Client, globex: Tenant) -> None:
    with tenant_scope(globex.pk):
        experience("Prefers short reports.", kind="preference", user_id="mara")
        said("run", "hello")
    assert "Nothing is held of this user" in seen(pages, "/memory/users/?user=mara")
    assert "mara" not in seen(pages, "/memory/users/").replace("mara@example.com", "")


def test_the_list_goes_on_behind_its_last_user(pages: Client, acme: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dashboard.profiles.PAGE_SIZE", 2)
    with tenant_scope(acme.pk):
        for name in ("a", "b", "c"):
            experience("Likes tea.", kind="preference", user_id=name)
    assert "/memory/users/?after=b" in seen(pages, "/memory/users/")
    assert "1 user on this page" in seen(pages, "/memory/users/?after=b")

"""The map of the pages."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from dashboard import navigation
from dashboard.urls import urlpatterns
from memory.models import Tenant, User
from memory.permissions import Permission
from memory.tenancy import tenant_scope
from memory.vocabulary import Role
from tests.dashboard import making
from tests.dashboard.conftest import seen

ENTRIES = [entry for group in navigation.GROUPS for entry in group.entries]


def test_every_entry_is_a_page_and_a_key_leads_to_one_of_them() -> None:
    names = {pattern.name for pattern in urlpatterns}
    assert {entry.name for entry in ENTRIES} <= names
    assert {held for entry in ENTRIES for held in entry.holds} <= names
    keys = [entry.key for entry in ENTRIES if entry.key]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_every_page_marks_itself_in_the_bar_and_in_its_group(
    member: Callable[..., Client], entry: navigation.Entry
) -> None:
    address = reverse(f"dashboard:{entry.name}")
    browser = member(Role.ADMIN)
    User.objects.update(is_superuser=True)
    page = seen(browser, address)
    assert f'<a href="{address}" aria-current="page"' in page
    [group] = [group for group in navigation.links(entry.name, Permission) if group.current]
    assert page.count('aria-current="true"') == (0 if group.first.name == entry.name else 1)


def test_a_page_within_another_marks_that_one(pages: Client, acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        made = making.experience("x")
    page = seen(pages, f"/memory/experiences/{made.pk}/")
    assert '<a href="/memory/experiences/" aria-current="true"' in page
    assert 'aria-current="page"' not in page

"""Members who are logged in, without a browser."""

from collections.abc import Callable

import pytest
from django.test import Client

from memory import tenants
from memory.models import Tenant, User
from memory.vocabulary import Role


@pytest.fixture
def viewer(acme: Tenant) -> User:
    """Somebody who may look at Acme."""
    user = User.objects.create_user("mara@example.com", "correct horse battery")
    tenants.join(user, acme, Role.VIEWER)
    return user


@pytest.fixture
def pages(viewer: User) -> Client:
    """A client that is logged in as the viewer."""
    client = Client()
    client.force_login(viewer)
    return client


@pytest.fixture
def member(acme: Tenant) -> Callable[..., Client]:
    """A browser of somebody in Acme with this role."""

    def log_in(role: Role, **options: bool) -> Client:
        user = User.objects.create_user(f"{role}@example.com", "correct horse battery")
        tenants.join(user, acme, role)
        browser = Client(**options)
        browser.force_login(user)
        return browser

    return log_in


def seen(browser: Client, path: str) -> str:
    """The page at this address, with its white space made one."""
    response = browser.get(path)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())

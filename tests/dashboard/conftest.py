"""A viewer who is logged in, without a browser."""

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

"""What is seen where somebody forgot the tenant: the policies of the database hold all the same."""

import pytest
from django.apps import apps
from django.db.models import Model, QuerySet

from memory.models import Tenant
from memory.tenancy import tenant_scope
from tests import access, tables
from tests.access import MARK
from tests.api.conftest import ApiClient


@pytest.fixture
def _forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever asks for a tenant's rows asks for everybody's."""
    narrow = QuerySet.filter

    def filter_without_tenant(self: QuerySet[Model], *args: object, **wanted: object) -> QuerySet[Model]:
        kept = {name: value for name, value in wanted.items() if name.partition("__")[0] not in ("tenant", "tenant_id")}
        return narrow(self, *args, **kept)

    monkeypatch.setattr(QuerySet, "filter", filter_without_tenant)


@pytest.mark.usefixtures("_forgetful")
def test_a_forgotten_filter_shows_nothing_of_another_tenant(acme: Tenant, globex: Tenant, stranger: ApiClient) -> None:
    values = access.world(acme)
    isolated = set(tables.isolated())
    with tenant_scope(globex.pk):
        for model in apps.get_app_config("memory").get_models():
            if model._meta.db_table in isolated and model.__name__ != "ApiKey":
                assert list(model._default_manager.filter(tenant_id=acme.pk)) == [], model
    for address in access.addresses():
        if address.view is not None and "GET" in address.view.permissions:
            answer = stranger.client.get(address.filled(values), headers=stranger.headers)
            assert answer.status_code in (200, 404), address.place
            assert answer.streaming or MARK not in answer.content.decode(), address.place


def test_the_forgotten_filter_would_have_shown_it(acme: Tenant) -> None:
    """The mark stands where the test above looks for it."""
    access.world(acme)
    assert {"memory_event", "memory_experience", "memory_knowledge"} <= set(tables.holding(MARK))

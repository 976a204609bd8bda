"""The map of a tenant's experiences."""

import pytest

from memory import jobs
from memory.embedding.current import embedder
from memory.layers import experience_map
from memory.models import Experience, ExperienceMap, Tenant
from memory.retrieval.vector import Item, VectorStore
from memory.tenancy import tenant_scope
from memory.vocabulary import Collection, ExperienceStatus
from tests.dashboard.making import experience

pytestmark = pytest.mark.django_db(transaction=True)


def known(tenant: Tenant, *texts: str) -> list[str]:
    """Experiences that say these, with vectors; their ids."""
    model = embedder()
    with tenant_scope(tenant.pk):
        made = [experience(text) for text in texts]
        vectors = model.embed_passages(list(texts))
        items = [Item(each.pk, model.model, vector.tolist(), b"d") for each, vector in zip(made, vectors, strict=True)]
        VectorStore().add(Collection.EXPERIENCE, items)
        return [each.pk for each in made]


def test_a_map_has_a_point_for_each_active_experience(acme: Tenant) -> None:
    one, other = known(acme, "Order 7 is paid.", "The disk is full.")
    with tenant_scope(acme.pk):
        Experience.objects.filter(pk=other).update(status=ExperienceStatus.ARCHIVED)
    assert experience_map.draw(acme.pk) == 1
    with tenant_scope(acme.pk):
        drawn = ExperienceMap.objects.get()
        assert [point.experience.pk for point in experience_map.points(drawn)] == [one]


def test_a_map_is_drawn_again_only_when_memory_has_changed(acme: Tenant) -> None:
    known(acme, "Order 7 is paid.")
    assert experience_map.draw(acme.pk) == 1
    assert experience_map.draw(acme.pk) == 0
    known(acme, "The disk is full.")
    with tenant_scope(acme.pk):
        assert experience_map.is_stale(experience_map.current())
    assert experience_map.draw(acme.pk) == 2


def test_what_is_gone_is_not_on_the_map_that_was_drawn_before(acme: Tenant) -> None:
    (one,) = known(acme, "Order 7 is paid.")
    experience_map.draw(acme.pk)
    with tenant_scope(acme.pk):
        Experience.objects.filter(pk=one).update(status=ExperienceStatus.ARCHIVED)
        drawn = experience_map.current()
        assert drawn is not None
        assert experience_map.points(drawn) == []


def test_a_tenant_without_experiences_needs_no_map(acme: Tenant, globex: Tenant) -> None:
    known(globex, "Order 7 is paid.")
    assert jobs.draw_maps() == 1
    with tenant_scope(acme.pk):
        assert experience_map.current() is None
        assert not experience_map.is_stale(None)

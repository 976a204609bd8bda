"""The store of vectors, exact and through its index."""

import math
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection

from aresweb.database.base import as_owner
from memory import jobs
from memory.errors import Invalid
from memory.models import Experience, Tenant, Vector
from memory.retrieval import vector
from memory.retrieval.filters import Filters
from memory.retrieval.vector import Item, VectorStore
from memory.tenancy import tenant_scope
from memory.vocabulary import Collection, ExperienceStatus, Kind
from tests.retrieval.making import NOW, experience

E = Collection.EXPERIENCE
STORE = VectorStore()


def at(degrees: float) -> list[float]:
    return [math.cos(math.radians(degrees)), math.sin(math.radians(degrees))]


def add(name: str, degrees: float, model: str = "m", collection: Collection = Collection.TOOL) -> None:
    STORE.add(collection, [Item(name, model, at(degrees), b"d" * 32)])


def near(degrees: float, limit: int = 10, model: str = "m", collection: Collection = Collection.TOOL) -> list[str]:
    return [hit.item_id for hit in STORE.search(collection, at(degrees), model, limit)]


def test_the_nearest_come_first_with_their_cosine(in_acme: Tenant) -> None:
    for name, degrees in (("far", 170), ("near", 12), ("nearest", 8)):
        add(name, degrees)
    assert near(10, 2) == ["nearest", "near"] or near(10, 2) == ["near", "nearest"]
    [hit, *_] = STORE.search(Collection.TOOL, at(8), "m", 1)
    assert (hit.item_id, hit.cosine) == ("nearest", pytest.approx(1.0))
    assert near(10)[-1] == "far"


def test_a_vector_takes_the_place_of_an_older_one_of_the_same_item_and_model(in_acme: Tenant) -> None:
    add("a", 0)
    STORE.add(Collection.TOOL, [Item("a", "m", at(80), b"e" * 32), Item("a", "m", at(90), b"f" * 32)])
    [hit] = STORE.search(Collection.TOOL, at(90), "m", 5)
    assert hit.cosine == pytest.approx(1.0)
    assert bytes(Vector.objects.get().text_digest) == b"f" * 32


def test_models_collections_dimensions_and_tenants_are_apart(acme: Tenant, globex: Tenant) -> None:
    with tenant_scope(globex.pk):
        add("theirs", 10)
    with tenant_scope(acme.pk):
        add("a", 10)
        add("other model", 10, model="n")
        add("other collection", 10, collection=Collection.KNOWLEDGE)
        STORE.add(Collection.TOOL, [Item("three", "m", [1.0, 0.0, 0.0], b"d" * 32)])
        assert near(10) == ["a"]
        assert [hit.item_id for hit in STORE.search(Collection.TOOL, [1.0, 0.0, 0.0], "m", 5)] == ["three"]


@pytest.mark.parametrize("numbers", [[], [float("nan"), 1.0], [float("inf")], [[1.0]]])
def test_what_is_no_vector_is_refused(in_acme: Tenant, numbers: Any) -> None:
    with pytest.raises(Invalid):
        STORE.add(Collection.TOOL, [Item("a", "m", numbers, b"d" * 32)])
    assert not Vector.objects.exists()


FILTERS = {
    "user": (Filters(user_ids=["ann"]), {"user_id": "ann"}),
    "kind": (Filters(kinds=["procedure"]), {"kind": Kind.PROCEDURE}),
    "status": (Filters(statuses=["archived"]), {"status": ExperienceStatus.ARCHIVED}),
    "agent": (Filters(agent_ids=["ops"]), {"agent_id": "ops"}),
    "confidence": (Filters(min_confidence=0.9), {"confidence": 0.95}),
    "since": (Filters(since=NOW), {"valid_from": NOW + timedelta(days=1)}),
    "until": (Filters(until=NOW - timedelta(days=5)), {"valid_from": NOW - timedelta(days=9)}),
    "as of": (
        Filters(as_of=NOW - timedelta(days=8)),
        {"valid_from": NOW - timedelta(days=9), "valid_to": NOW - timedelta(days=7)},
    ),
    "metadata": (Filters(metadata={"team": {"id": 7}}), {"metadata": {"team": {"id": 7, "name": "x"}, "more": 1}}),
}  # fmt: skip


@pytest.mark.parametrize("name", FILTERS)
def test_each_filter_lets_through_what_fits_and_nothing_else(in_acme: Tenant, name: str) -> None:
    filters, fields = FILTERS[name]
    fitting = experience("fits", **fields)
    for number in range(3):
        add(experience(f"does not {number}").pk, 10, collection=E)
    add(fitting.pk, 100, collection=E)
    assert [hit.item_id for hit in STORE.search(E, at(10), "m", 10, filters)] == [fitting.pk]


def test_what_is_deleted_has_no_vector_any_more(in_acme: Tenant) -> None:
    made = experience("x")
    add(made.pk, 1, collection=E)
    Experience.objects.filter(pk=made.pk).delete()
    assert not Vector.objects.exists()


@pytest.fixture
def many(transactional_db: None, acme: Tenant, monkeypatch: pytest.MonkeyPatch) -> Iterator[Tenant]:
    """Acme with so many vectors that the index is used, 300 experiences of which three are Ann's, the farthest ones."""
    monkeypatch.setattr(vector, "EXACT_UP_TO", 2)
    with tenant_scope(acme.pk):
        for number in range(300):
            owner = "ann" if number >= 297 else ""
            add(experience(f"text {number}", user_id=owner).pk, number * 0.5, collection=E)
    jobs.index_vectors()
    yield acme
    with as_owner(connection) as cursor:
        cursor.execute("SELECT indexrelid::regclass::text FROM pg_index WHERE indrelid = 'memory_vector'::regclass")
        for (name,) in cursor.fetchall():
            if "vector_hnsw_" in name:
                cursor.execute(f"DROP INDEX {name}")


def indexes() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexdef FROM pg_indexes WHERE indexname LIKE 'vector_hnsw_%%' ORDER BY 1")
        return [row[0] for row in cursor.fetchall()]


def test_many_vectors_have_an_index_for_their_model_and_few_have_none(many: Tenant) -> None:
    with tenant_scope(many.pk):
        add("alone", 5, model="rare")
    jobs.index_vectors()
    [definition] = indexes()
    assert "USING hnsw" in definition
    assert "model)::text = 'm'" in definition


def test_the_index_is_used_and_finds_what_comparing_all_finds(many: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    with tenant_scope(many.pk):
        indexed = STORE.search(E, at(33), "m", 20)
        assert len(indexed) == 20
        with connection.cursor() as cursor:
            cursor.execute("SELECT current_setting('hnsw.iterative_scan', true)")
            assert cursor.fetchone() == ("strict_order",)
        monkeypatch.setattr(vector, "EXACT_UP_TO", 1000)
        exact = STORE.search(E, at(33), "m", 20)
    assert len({hit.item_id for hit in indexed} & {hit.item_id for hit in exact}) >= 19
    cosines = [round(hit.cosine, 5) for hit in indexed]
    assert cosines == sorted(cosines, reverse=True)


def test_a_filter_that_few_pass_does_not_empty_what_the_index_finds(many: Tenant) -> None:
    with tenant_scope(many.pk):
        found = STORE.search(E, at(0), "m", 3, Filters(user_ids=["ann"]))
    assert len(found) == 3


def test_a_name_of_a_model_may_hold_anything(
    acme: Tenant, transactional_db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector, "EXACT_UP_TO", 1)
    odd = "a'b%s{x}\\\""
    with tenant_scope(acme.pk):
        for number in range(3):
            add(f"i{number}", number, model=odd)
        assert STORE.create_collection(odd, 2)
        assert near(0, model=odd)[0] == "i0"
    with as_owner(connection) as cursor:
        cursor.execute("SELECT indexname FROM pg_indexes WHERE indexname LIKE 'vector_hnsw_%%'")
        for (name,) in cursor.fetchall():
            cursor.execute(f"DROP INDEX {name}")


def test_more_dimensions_than_an_index_takes_are_compared_one_by_one(acme: Tenant, transactional_db: None) -> None:
    with tenant_scope(acme.pk):
        assert not STORE.create_collection("huge", 5000)
        STORE.add(Collection.TOOL, [Item("a", "huge", [1.0] + [0.0] * 4999, b"d" * 32)])
        assert STORE.search(Collection.TOOL, [1.0] + [0.0] * 4999, "huge", 1)[0].item_id == "a"

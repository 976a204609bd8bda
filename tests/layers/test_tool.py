"""Tools that agents can call."""

from typing import Any

import pytest

from memory.embedding.current import embedder
from memory.errors import Invalid, NotFound
from memory.layers import tool
from memory.models import IndexedText, QueueItem, Tenant, Tool, Vector
from memory.retrieval import lexical
from memory.retrieval.filters import Filters
from memory.tenancy import tenant_scope
from memory.vocabulary import Collection, WorkStatus
from tests.embed import embed

SCHEMA = {"type": "object", "properties": {"airport": {"type": "string"}}}


def found(term: str) -> list[str]:
    return [hit.item_id for hit in lexical.search(Collection.TOOL, [term], 10, Filters())]


def test_a_tool_is_found_by_its_name_its_purpose_and_its_arguments(in_acme: Tenant) -> None:
    kept, is_new = tool.keep("search_flights", "Finds connections.", SCHEMA)
    assert is_new
    assert found("search_flights") == found("flight") == found("connect") == found("airport") == [kept.pk]
    assert QueueItem.objects.get().subject_id == kept.pk


def test_the_same_name_again_replaces_what_has_changed_and_is_embedded_anew(in_acme: Tenant) -> None:
    kept = tool.keep("search", "Finds flights.").tool
    embed([kept.pk], embedder())
    same = tool.keep("search", "Finds flights.")
    assert (same.is_new, same.tool.embedding_status) == (False, WorkStatus.COMPLETED)
    changed = tool.keep("search", "Finds hotels.", SCHEMA)
    assert (changed.is_new, changed.tool.pk, changed.tool.embedding_status) == (False, kept.pk, WorkStatus.PENDING)
    assert (found("flight"), found("hotel")) == ([], [kept.pk])
    assert embed([kept.pk], embedder()) == 1
    assert Vector.objects.count() == Tool.objects.count() == 1


def test_names_are_each_tenants_own(acme: Tenant, globex: Tenant) -> None:
    for tenant in (acme, globex):
        with tenant_scope(tenant.pk):
            assert tool.keep("search", f"For {tenant.name}").is_new


def test_deleting_leaves_nothing(in_acme: Tenant) -> None:
    kept = tool.keep("search", "Finds flights.").tool
    embed([kept.pk], embedder())
    tool.delete(kept.pk)
    for table in (Tool, Vector, IndexedText, QueueItem):
        assert not table.objects.exists(), table
    with pytest.raises(NotFound):
        tool.delete(kept.pk)


@pytest.mark.parametrize(
    ("name", "description", "schema"),
    [
        ("", "x", None), (None, "x", None), ("x" * 201, "x", None), (5, "x", None), ("a\0", "x", None), ("n", "", None),
        ("n", None, None), ("n", "x" * 20_001, None), ("n", "x", []), ("n", "x", "{}"),
    ],
)  # fmt: skip
def test_what_is_no_tool_is_refused(in_acme: Tenant, name: Any, description: Any, schema: Any) -> None:
    with pytest.raises(Invalid):
        tool.keep(name, description, schema)
    assert not Tool.objects.exists()

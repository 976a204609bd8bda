"""Why something is not among the results."""

from typing import Any

import pytest

from memory.errors import NotFound
from memory.layers import knowledge, tool
from memory.models import Tenant
from memory.retrieval import search
from memory.retrieval.filters import Filters
from memory.retrieval.plan import Plan
from memory.retrieval.why import Explanation, explain
from memory.tenancy import tenant_scope
from tests.retrieval.making import embedded, experience

WORDS = Plan(vector_weight=0)


def why(item_id: str, query: str = "old logs", limit: int = 10, plan: Plan = WORDS, **filters: Any) -> Explanation:
    return explain(item_id, query, limit, plan, Filters(**filters))


def reasons(explanation: Explanation) -> dict[str, str]:
    return {check.name: check.reason for check in explanation.checks if not check.passed}


def test_a_result_says_where_it_stands(in_acme: Tenant) -> None:
    made = experience("Delete the old logs.")
    found = why(made.pk)
    assert (found.is_found, found.place, reasons(found)) == (True, 1, {})
    assert "It has old, log" in found.checks[0].reason


@pytest.mark.parametrize(
    ("fields", "filters", "name"),
    [
        ({"status": "archived"}, {}, "statuses"),
        ({"confidence": 0.1}, {}, "min_confidence"),
        ({"user_id": "bob"}, {"user_ids": ["", "ann"]}, "user_ids"),
        ({"kind": "fact"}, {"kinds": ["solution"]}, "kinds"),
        ({}, {"metadata": {"a": 1}}, "metadata"),
        ({}, {"agent_ids": ["ops"]}, "agent_ids"),
    ],
)
def test_the_filter_that_keeps_it_out_is_named(
    in_acme: Tenant, fields: dict[str, Any], filters: dict[str, Any], name: str
) -> None:
    found = why(experience("Delete the old logs.", **fields).pk, **filters)
    assert (found.place, list(reasons(found))) == (None, [name])


def test_a_source_that_is_not_searched_is_named(in_acme: Tenant) -> None:
    kept = tool.keep("log_cleaner", "Deletes old logs").tool
    assert list(reasons(why(kept.pk, plan=Plan(vector_weight=0, tools_weight=0)))) == ["source"]


def test_a_leg_that_does_not_find_it_says_why(in_acme: Tenant) -> None:
    made = experience("Sort by departure time.")
    found = why(made.pk, plan=Plan())
    assert "None of the query's words stands in it: old, log." in reasons(found)["lexical"]
    assert "no vector by multilingual-e5-small-q4 yet" in reasons(found)["vector"]
    assert "not ranked" in reasons(found)["rank"]
    embedded(made)
    assert "vector" not in reasons(why(made.pk, plan=Plan()))


def test_what_comes_after_the_pool_says_how_much_is_missing(in_acme: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "POOL", 2)
    for _ in range(2):
        experience("Old logs, old logs.")
    behind = experience("Among much else that was said on that day, the logs.")
    found = why(behind.pk, limit=2, plan=Plan(vector_weight=0, neighbour_weight=0))
    assert found.place is None
    assert "the last of those that are ranked has" in reasons(found)["lexical"]


def test_what_comes_after_the_limit_is_compared_with_the_last_result(in_acme: Tenant) -> None:
    first, second = experience("Old logs."), experience("Old and new and other logs of the server.")
    found = why(second.pk, limit=1)
    assert (found.place, found.is_found) == (2, False)
    assert "place 2, and 1 were asked for" in reasons(found)["rank"]
    assert found.scored
    assert found.last
    assert (found.scored.key.item_id, found.last.key.item_id) == (second.pk, first.pk)


def test_of_a_document_the_best_passage_is_looked_at(in_acme: Tenant) -> None:
    document = knowledge.keep("Runbook", "…", ["Nothing of it.", "Delete the old logs."])
    assert why(document.pk).key.item_id == f"{document.pk}.2"
    assert why(f"{document.pk}.1").key.item_id == f"{document.pk}.1"
    assert why(document.pk, query="unrelated").key.item_id == f"{document.pk}.1"


def test_what_is_not_there_or_another_tenants_is_not_found(acme: Tenant, globex: Tenant) -> None:
    with tenant_scope(globex.pk):
        theirs = experience("Delete the old logs.").pk
    with tenant_scope(acme.pk):
        for item_id in (theirs, "exp_x", "know_x", "tool_x", "x", "'"):
            with pytest.raises(NotFound):
                why(item_id)


def test_what_has_too_little_to_do_with_the_query_says_so(in_acme: Tenant) -> None:
    made = experience("Sort by departure time.")
    embedded(made)
    found = why(made.pk, plan=Plan())
    assert found.place is None
    assert "too little to do with the query" in reasons(found)["relevance"]
    assert "relevance" not in reasons(why(made.pk, plan=Plan(relevance_floor=0)))
    assert "asks for nothing" in reasons(why(made.pk, query="thanks!", plan=Plan()))["relevance"]

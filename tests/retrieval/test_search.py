"""Searching everything that was kept, with the model in use."""

from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from memory.errors import Invalid, TooLarge, Unavailable
from memory.layers import knowledge, tool
from memory.models import Tenant
from memory.retrieval import relevance
from memory.retrieval.filters import Filters
from memory.retrieval.plan import Fusion, Plan
from memory.retrieval.rank import Key
from memory.retrieval.search import MAX_LIMIT, MAX_QUERY, search
from memory.tenancy import tenant_scope
from memory.vocabulary import Collection, ExperienceStatus, Kind
from tests.retrieval.making import NOW, embedded, experience, source


@pytest.fixture
def kept(in_acme: Tenant) -> dict[str, str]:
    """An experience, a document and a tool, and some that have nothing to do with them; all have vectors."""
    disk = experience("Delete logs that are older than a week.", problem="The disk of the build server is full.")
    other = experience("Sort by departure time first.", problem="Which flight is the earliest?")
    runbook = knowledge.create("Runbook: disk full", "Free space on the build server by pruning old containers.")
    cooking = knowledge.create("Recipes", "Knead the dough for ten minutes, then let it rest.")
    cleaner = tool.keep("prune_disk", "Deletes old files to free disk space on a server.").tool
    embedded(disk, other, runbook, cooking, cleaner)
    return {"disk": disk.pk, "other": other.pk, "runbook": runbook.pk, "cooking": cooking.pk, "tool": cleaner.pk}


def ids(query: str, limit: int = 10, **asked: Any) -> list[str]:
    return [hit.id for hit in search(query, limit, **asked).hits]


def test_all_sources_are_searched_together_and_each_score_is_the_sum_of_its_parts(kept: dict[str, str]) -> None:
    found = search("the build server has no disk space left")
    assert {hit.id for hit in found.hits[:3]} == {kept["disk"], kept["runbook"], kept["tool"]}
    assert not found.missing
    for hit in found.hits:
        assert hit.score == pytest.approx(sum(hit.scores.values()))
        assert set(hit.scores) >= {"neighbours", "names", "recency", "use", "feedback"}
        assert set(hit.raw) <= {"vector", "lexical"}
    assert [hit.score for hit in found.hits] == sorted((hit.score for hit in found.hits), reverse=True)


def test_results_say_what_they_are_and_where_they_came_from(kept: dict[str, str]) -> None:
    from memory.models import Experience

    source(Experience.objects.get(pk=kept["disk"]), "run-1", 7)
    hits = {hit.source: hit for hit in search("disk of the build server").hits[::-1]}
    of_experience = hits[Collection.EXPERIENCE]
    assert of_experience.text == "The disk of the build server is full.\nDelete logs that are older than a week."
    assert of_experience.provenance["sources"] == [{"stream": "run-1", "event_version": 7, "message_id": "msg_7"}]
    assert (of_experience.provenance["kind"], of_experience.provenance["status"]) == ("solution", "active")
    assert hits[Collection.KNOWLEDGE].provenance["title"] == "Runbook: disk full"
    assert hits[Collection.KNOWLEDGE].provenance["passage"] == 1
    assert hits[Collection.TOOL].provenance["name"] == "prune_disk"


def test_meaning_is_found_without_a_shared_word_and_words_without_a_vector(kept: dict[str, str]) -> None:
    assert ids("storage ran out on CI", 1, plan=Plan(lexical_weight=0, knowledge_weight=0, tools_weight=0)) == [
        kept["disk"]
    ]
    late = experience("Restart the shard with E11000.")
    [hit] = [hit for hit in search("E11000").hits[:2] if hit.id == late.pk]
    assert (hit.raw.keys(), hit.scores["lexical"]) == ({"lexical"}, 0.5)


def test_a_source_of_weight_0_is_not_searched_and_a_larger_weight_lifts_one(kept: dict[str, str]) -> None:
    query = "disk space of the build server"
    assert ids(query, plan=Plan(knowledge_weight=0, tools_weight=0)) == [kept["disk"]]
    assert ids(query, 1, plan=Plan(tools_weight=5)) == [kept["tool"]]


def test_rank_fusion_can_be_asked_for(kept: dict[str, str]) -> None:
    found = search("disk of the build server is full", plan=Plan(fusion=Fusion.RANK))
    assert found.hits[0].scores["vector"] <= 0.5
    assert kept["disk"] in [hit.id for hit in found.hits[:2]]


def test_superseded_archived_and_doubtful_experiences_stay_out_unless_asked_for(in_acme: Tenant) -> None:
    made = {
        status: experience(f"The deploy key is in vault {status}.", status=status).pk for status in ExperienceStatus
    }
    doubtful = experience("The deploy key is in the drawer.", confidence=0.1).pk
    assert ids("deploy key") == [made[ExperienceStatus.ACTIVE]]
    assert set(ids("deploy key", allowed=Filters(statuses=["archived", "superseded"]))) == {
        made[ExperienceStatus.ARCHIVED],
        made[ExperienceStatus.SUPERSEDED],
    }
    assert doubtful in ids("deploy key", plan=Plan(confidence_floor=0))


def test_as_of_a_day_what_held_then_is_found(in_acme: Tenant) -> None:
    moved = NOW - timedelta(days=10)
    old = experience(
        "Ann lives in Oslo.",
        kind=Kind.FACT,
        status=ExperienceStatus.SUPERSEDED,
        valid_from=NOW - timedelta(days=30),
        valid_to=moved,
    ).pk
    new = experience("Ann lives in Bergen.", kind=Kind.FACT, valid_from=moved).pk
    assert ids("where does Ann live") == [new]
    assert ids("where does Ann live", allowed=Filters(as_of=NOW - timedelta(days=20))) == [old]
    assert ids("where does Ann live", allowed=Filters(as_of=NOW)) == [new]
    assert ids("where does Ann live", allowed=Filters(as_of=NOW - timedelta(days=40))) == []


def test_one_users_memories_are_not_anothers_and_no_tenant_sees_another(acme: Tenant, globex: Tenant) -> None:
    with tenant_scope(globex.pk):
        experience("Ann likes tea.")
    with tenant_scope(acme.pk):
        anns, shared = experience("Ann likes tea.", user_id="ann").pk, experience("Serve tea hot.").pk
        experience("Bob likes tea.", user_id="bob")
        assert set(ids("tea", allowed=Filters(user_ids=["", "ann"]))) == {anns, shared}


def test_neighbours_of_what_fits_come_along(in_acme: Tenant) -> None:
    before, fits, after, elsewhere = (
        experience(text)
        for text in ("Booked the early train.", "Lost the green umbrella.", "Bought another.", "Slept.")
    )
    for version, made in enumerate((before, fits, after), start=5):
        source(made, "run-1", version)
    source(elsewhere, "run-2", 6)
    found = {hit.id: hit.scores for hit in search("green umbrella").hits}
    assert found[before.pk]["neighbours"] == found[after.pk]["neighbours"] > 0
    assert elsewhere.pk not in found
    assert before.pk not in ids("green umbrella", plan=Plan(neighbour_weight=0))


def test_a_long_text_leans_less_on_its_neighbours(in_acme: Tenant) -> None:
    short, fits, long = (
        experience(text) for text in ("Slept.", "Lost the green umbrella.", "Booked the early train. " * 100)
    )
    for version, made in enumerate((short, fits, long), start=1):
        source(made, "run-1", version)
    found = {hit.id: hit.scores["neighbours"] for hit in search("green umbrella").hits}
    assert found[long.pk] == pytest.approx(found[short.pk] * 300 / 2400, rel=0.01)


def test_a_neighbour_that_does_not_pass_the_filters_does_not_come_along(in_acme: Tenant) -> None:
    fits, hidden = experience("Lost the green umbrella."), experience("Told Bob.", user_id="bob")
    source(fits, "run-1", 1)
    source(hidden, "run-1", 2)
    assert ids("green umbrella", allowed=Filters(user_ids=["", "ann"])) == [fits.pk]


def test_whoever_is_named_comes_first(in_acme: Tenant) -> None:
    bobs = experience("Painted a sunrise.", entities=["Bob"])
    anns = experience("Painted a sunrise.", entities=["Ann"])
    assert ids("What did Ann paint?", 1) == [anns.pk]
    assert ids("What did Bob paint?", 1) == [bobs.pk]


def test_without_an_embedding_service_words_are_searched_and_it_is_said(in_acme: Tenant) -> None:
    class Down:
        model, dimension = "down", 2

        def embed_query(self, texts: list[str]) -> Any:
            raise Unavailable("The embedding service does not answer.")

        embed_passages = embed_query

    made = experience("Delete the old logs.")
    found = search("old logs", model=Down())
    assert [hit.id for hit in found.hits] == [made.pk]
    assert found.missing == {"vector": "The embedding service does not answer."}


def test_vectors_of_another_model_are_not_searched(kept: dict[str, str]) -> None:
    class Other:
        model, dimension = "other", 384

        def embed_query(self, texts: list[str]) -> Any:
            return np.ones((len(texts), 384), np.float32)

        embed_passages = embed_query

    assert search("nothing shared", plan=Plan(lexical_weight=0), model=Other()).hits == []


def test_of_an_empty_memory_nothing_is_found(in_acme: Tenant) -> None:
    assert search("anything").hits == []


@pytest.mark.parametrize("query", ["", "  ", None, 5, ["x"], "a\0b", "\ud800"])
def test_what_is_no_query_is_refused(in_acme: Tenant, query: Any) -> None:
    with pytest.raises(Invalid, match="query"):
        search(query)


def test_a_query_of_a_megabyte_is_refused_and_the_longest_is_not(in_acme: Tenant) -> None:
    with pytest.raises(TooLarge, match="query must have at most 20,000 characters"):
        search("x" * 2**20)
    assert search("x y " * (MAX_QUERY // 4), plan=Plan(vector_weight=0)).hits == []


@pytest.mark.parametrize("limit", [0, -1, MAX_LIMIT + 1, "5", 1.5, True, None])
def test_what_is_no_limit_is_refused(in_acme: Tenant, limit: Any) -> None:
    with pytest.raises(Invalid, match="limit"):
        search("x", limit)


def test_odd_queries_find_nothing_and_break_nothing(in_acme: Tenant) -> None:
    experience("Delete the old logs.")
    for query in ("%", "'", '"; DROP TABLE memory_experience; --', "\\", "🤷", "{}", "\u202e", "a" * 5000):
        search(query, plan=Plan(vector_weight=0))
    assert ids("logs")


@pytest.mark.parametrize("query", ["hello", "Thanks a lot!", "ok, sounds good", "谢谢", "你好"])
def test_who_asks_for_nothing_gets_nothing(kept: dict[str, str], query: str) -> None:
    found = search(query)
    assert found.hits == []
    assert set(found.unfit.values()) == {relevance.NOTHING_ASKED}
    assert len(ids(query, plan=Plan(relevance_floor=0))) == len(kept)


def test_what_has_nothing_to_do_with_the_query_is_not_found_and_told(kept: dict[str, str]) -> None:
    found = search("How many moons does Jupiter have?")
    assert found.hits == []
    assert "too little to do with the query" in found.unfit[Key(Collection.EXPERIENCE, kept["disk"])]


def test_what_is_asked_in_other_words_is_found(kept: dict[str, str]) -> None:
    assert kept["disk"] in ids("No space is left on the machine that compiles.", 3)


def test_the_floor_judges_nothing_that_has_no_vector_yet(kept: dict[str, str]) -> None:
    new = experience("Jupiter weighs more than all other planets together.")
    assert ids("How many moons does Jupiter have? And which of them were found by Galileo?") == [new.pk]


def test_a_statement_is_found_by_who_said_it_and_by_its_day(in_acme: Tenant) -> None:
    told = {"kind": "fact", "user_id": "pair"}
    anns = experience("Ann to Bob: Painted a sunrise for you, Bob.", entities=["Ann", "Bob"], **told)
    bobs = experience("Bob to Ann: Painted a sunrise for you, Ann.", entities=["Ann", "Bob"], **told)
    assert [hit.scores["names"] for hit in search("What did Bob paint?").hits] == [0.4, 0.0]
    assert ids("What did Bob paint?", 1) == [bobs.pk]
    assert ids("What did Ann paint?", 1) == [anns.pk]
    later = experience("Ann: Painted a sunrise.", valid_from=NOW + timedelta(days=60), **told)
    assert ids("What was painted in June?", 1) == [later.pk]

"""Related experiences become one that keeps every specific."""

from typing import Any

import numpy as np
import pytest

from memory.distillation import consolidate
from memory.distillation.merge import adds
from memory.embedding.calibration import Calibration
from memory.embedding.current import embedder
from memory.layers import distilled as people
from memory.layers import reshaping
from memory.models import Event, Experience, Source, Tenant
from memory.retrieval.vector import Item, VectorStore, text_digest
from memory.tenancy import tenant_scope
from memory.vocabulary import Collection, Kind
from tests.dashboard import making
from tests.embed import embed

ASIS = Calibration(unrelated=0.0, paraphrased=0.85)
PROBLEM = "nginx returns 502 Bad Gateway for /api"
ANSWERS = (
    "Set `proxy_pass` to port 9000.",
    "Raise `proxy_read_timeout` to 120 s.",
    "Open port 9000 in /etc/ufw.rules.",
)


def rows(*angles: float) -> Any:
    return np.array([[np.cos(angle), np.sin(angle)] for angle in angles], np.float32)


def test_three_near_ones_are_a_cluster_and_two_are_none() -> None:
    same = [PROBLEM] * 5
    assert consolidate.clusters(rows(0, 0.1, 0.2, 1.5, 1.6), same, ASIS, 0.8, 3) == [[0, 1, 2]]
    assert consolidate.clusters(rows(0, 0.1, 1.5), same[:3], ASIS, 0.8, 3) == []


def test_near_ones_about_another_problem_are_not_among_them() -> None:
    problems = [PROBLEM, PROBLEM, PROBLEM, "psql refuses connections on port 5432"]
    assert consolidate.clusters(rows(0, 0.01, 0.02, 0.01), problems, ASIS, 0.8, 3) == [[0, 1, 2]]


def test_nothing_is_in_two_clusters() -> None:
    found = consolidate.clusters(rows(0, 0.3, 0.6, 0.9, 1.2, 1.5), [PROBLEM] * 6, ASIS, 0.8, 2)
    members = [place for group in found for place in group]
    assert len(members) == len(set(members))


def alike(user: str = "", answers: tuple[str, ...] = ANSWERS, **fields: Any) -> list[Experience]:
    """Three embedded solutions of one problem, each from a stream of its own."""
    made = []
    for answer in answers:
        stream = making.said(f"run-{user}-{len(answer)}", answer)
        given = {"problem": PROBLEM, "kind": Kind.SOLUTION, "user_id": user, "came_from": stream, **fields}
        made.append(making.experience(answer, **given))
    model = embedder()
    for each, vector in zip(made, model.embed_passages([each.text for each in made]), strict=True):
        item = Item(each.pk, model.model, vector.tolist(), text_digest(each.text))
        VectorStore().add(Collection.EXPERIENCE, [item])
    return made


def test_an_abstraction_keeps_every_specific_and_its_members_rest(in_acme: Tenant) -> None:
    members = alike()

    assert consolidate.consolidate() == 1

    whole = Experience.objects.get(kind=Kind.ABSTRACTION)
    assert all(adds(each.text, whole.text) == [] for each in members)
    rest = Experience.objects.filter(abstraction=whole)
    assert {each.pk: each.status for each in rest} == {each.pk: "archived" for each in members}
    assert Source.objects.filter(experience=whole).count() == 3
    assert consolidate.consolidate() == 0


def test_the_tenants_memory_stream_tells_what_became_one_and_why_and_repeats_no_word_of_it(in_acme: Tenant) -> None:
    members = alike()
    consolidate.consolidate()

    (told,) = Event.objects.filter(type="memory.consolidated")
    whole = Experience.objects.get(kind=Kind.ABSTRACTION)
    assert told.stream.name == "aresweb:memory"
    assert (told.payload["experience"], told.payload["count"]) == (whole.pk, 3)
    assert set(told.payload["archived"]) == {each.pk for each in members}
    assert 0.8 <= told.payload["similarity"] <= 1
    assert told.payload["reason"].startswith("3 experiences of one owner are about the same problem")
    assert "nginx" not in told.payload_json


def test_an_abstraction_that_was_deleted_is_not_made_again(in_acme: Tenant) -> None:
    members = alike()
    consolidate.consolidate()
    people.delete(Experience.objects.get(kind=Kind.ABSTRACTION).pk, "user:ann")
    assert embed([each.pk for each in members], embedder()) == 0

    assert consolidate.consolidate() == 0
    assert set(Experience.objects.active()) == set(members)


def test_users_stay_apart(in_acme: Tenant) -> None:
    alike("ann", ANSWERS[:2])
    alike("bob", ANSWERS[2:])
    assert consolidate.consolidate() == 0
    alike("ann", ANSWERS[2:])
    assert consolidate.consolidate() == 1
    assert Experience.objects.get(kind=Kind.ABSTRACTION).user_id == "ann"


def test_tenants_stay_apart(acme: Tenant, globex: Tenant) -> None:
    with tenant_scope(acme.pk):
        alike(answers=ANSWERS[:2])
    with tenant_scope(globex.pk):
        alike(answers=ANSWERS[2:])
        assert consolidate.consolidate() == 0
    with tenant_scope(acme.pk):
        assert consolidate.consolidate() == 0


@pytest.mark.parametrize("field", [{"pinned": True}, {"status": "quarantined"}, {"status": "archived"}])
def test_what_is_pinned_or_does_not_hold_is_left_alone(in_acme: Tenant, field: dict[str, Any]) -> None:
    alike(**field)
    assert consolidate.consolidate() == 0


def test_undoing_it_brings_the_members_back_and_undoing_that_puts_them_away(in_acme: Tenant) -> None:
    members = alike()
    consolidate.consolidate()
    whole = Experience.objects.get(kind=Kind.ABSTRACTION)

    reshaping.undo(whole.pk, "user:ann")
    assert set(Experience.objects.active()) == set(members)
    reshaping.undo(whole.pk, "user:ann")
    assert set(Experience.objects.active()) == {whole}
    assert Experience.objects.filter(abstraction=whole).count() == 3


def test_deleting_it_brings_the_members_back(in_acme: Tenant) -> None:
    members = alike()
    consolidate.consolidate()

    people.delete(Experience.objects.get(kind=Kind.ABSTRACTION).pk, "user:ann")

    assert set(Experience.objects.active()) == set(members)
    assert embed([each.pk for each in members], embedder()) == 0

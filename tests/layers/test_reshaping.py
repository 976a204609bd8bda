"""Experiences are merged, split, and put back as they were."""

from typing import Any

import pytest

from memory.errors import Conflict, Invalid, NotFound
from memory.layers import distilled as people
from memory.layers import reshaping, revisions
from memory.models import Experience, QueueItem, Revision, Source, Tenant
from memory.tenancy import tenant_scope
from tests.dashboard import making

ANN = "user:ann"


def made(solution: str, **fields: Any) -> Experience:
    """As the refinery writes one, with the digest that its text has."""
    experience = making.experience(solution, **fields)
    experience.digest = revisions.digest(experience.user_id, experience.kind, experience.text)
    experience.save()
    return experience


def now(experience: Experience) -> Experience:
    return Experience.objects.get(pk=experience.pk)


def test_a_merge_keeps_both_texts_and_both_provenances(in_acme: Tenant) -> None:
    kept = made("It is line 9.", came_from=making.said("one", "x"))
    other = made("It stops at the station.", came_from=making.said("two", "x"))

    reshaping.merge(kept.pk, other.pk, ANN)

    assert now(kept).solution == "It is line 9.\nIt stops at the station."
    assert (now(other).status, now(other).abstraction_id) == ("archived", kept.pk)
    assert set(Source.objects.filter(experience=kept).values_list("stream_name", flat=True)) == {"one", "two"}
    assert QueueItem.objects.filter(queue="embedding", subject_id=kept.pk, status="pending").exists()


def test_undoing_a_merge_brings_back_what_it_took_and_nothing_else(in_acme: Tenant) -> None:
    kept, first, second = made("It is line 9."), made("It stops at the station."), made("It runs till 23:30.")
    reshaping.merge(kept.pk, first.pk, ANN)
    reshaping.merge(kept.pk, second.pk, ANN)

    reshaping.undo(kept.pk, ANN)

    assert now(kept).solution == "It is line 9.\nIt stops at the station."
    assert (now(first).status, now(second).status) == ("archived", "active")
    reshaping.undo(kept.pk, ANN)
    assert now(kept).solution.endswith("It runs till 23:30.")
    assert (now(second).status, now(second).abstraction_id) == ("archived", kept.pk)


def test_undoing_a_split_puts_its_parts_away(in_acme: Tenant) -> None:
    whole = made("Line 9 and line 12.")
    parts = reshaping.split(whole.pk, [{"solution": "Line 9."}, {"solution": "Line 12."}], ANN)

    reshaping.undo(whole.pk, ANN)

    assert now(whole).status == "active"
    assert {now(part).status for part in parts} == {"archived"}


def test_an_undo_takes_back_one_change_at_a_time_and_keeps_what_it_did_not_change(in_acme: Tenant) -> None:
    experience = made("It is line 9.")
    people.edit(experience.pk, {"solution": "It is line 12."}, ANN)
    people.pin(experience.pk, ANN)
    Experience.objects.filter(pk=experience.pk).update(uses=7)

    reshaping.undo(experience.pk, ANN)

    after = now(experience)
    assert (after.pinned, after.solution, after.uses) == (False, "It is line 12.", 7)
    assert [each.change for each in Revision.objects.order_by("number")] == ["insert", "edit", "pin", "undo"]


def test_what_was_never_changed_has_nothing_to_undo(in_acme: Tenant) -> None:
    with pytest.raises(Conflict):
        reshaping.undo(made("It is line 9.").pk, ANN)


def test_what_belongs_to_different_users_stays_apart(in_acme: Tenant) -> None:
    with pytest.raises(Conflict):
        reshaping.merge(made("x", user_id="ann").pk, made("y", user_id="bob").pk, ANN)
    with pytest.raises(Conflict):
        reshaping.merge(made("z", user_id="ann").pk, made("shared").pk, ANN)


def test_another_tenants_experience_is_not_there(acme: Tenant, globex: Tenant) -> None:
    with tenant_scope(globex.pk):
        theirs = made("theirs")
    with tenant_scope(acme.pk):
        mine = made("mine")
        for change in (
            lambda: reshaping.merge(mine.pk, theirs.pk, ANN),
            lambda: reshaping.merge(theirs.pk, mine.pk, ANN),
            lambda: reshaping.undo(theirs.pk, ANN),
            lambda: reshaping.split(theirs.pk, [{"solution": "a"}, {"solution": "b"}], ANN),
            lambda: people.delete(theirs.pk, ANN),
            lambda: people.feedback(theirs.pk, "helpful", ANN),
            lambda: people.edit(theirs.pk, {"pinned": True}, ANN),
        ):
            with pytest.raises(NotFound):
                change()


@pytest.mark.parametrize("parts", [None, [], [{"solution": "a"}], "ab", [{"solution": "a"}, 5], [{"solution": "a"}, {"solution": " "}],
                                   [{"solution": "a"}, {"problem": "b"}], [{"solution": "a"}, {"solution": ["b"]}]])  # fmt: skip
def test_parts_that_are_none_change_nothing(in_acme: Tenant, parts: Any) -> None:
    whole = made("Line 9 and line 12.")
    with pytest.raises(Invalid):
        reshaping.split(whole.pk, parts, ANN)
    assert now(whole).status == "active"

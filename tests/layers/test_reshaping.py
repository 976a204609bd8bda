"""Experiences are merged, split, and put back as they were."""

from typing import Any

import pytest

from memory.errors import Conflict, Invalid, NotFound
from memory.layers import distilled as people
from memory.layers import reshaping, revisions
from memory.models import Experience, QueueItem, Revision, Source, Tenant
from memory.tenancy import tenant_scope
from memory.vocabulary import ExperienceStatus
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


def put(tenant: Tenant, text: str, **fields: Any) -> str:
    """The id of an experience, in a transaction of its own: each act has a time of its own."""
    with tenant_scope(tenant.pk):
        return made(text, **fields).pk


def statuses(tenant: Tenant) -> dict[str, str]:
    with tenant_scope(tenant.pk):
        return dict(Experience.objects.values_list("solution", "status"))


@pytest.mark.parametrize("status", [each for each in ExperienceStatus if each != ExperienceStatus.ACTIVE])
def test_only_active_experiences_are_merged_or_split(acme: Tenant, status: ExperienceStatus) -> None:
    one, other = put(acme, "The tram is line 9"), put(acme, "Send the logs away", status=status)
    for kept, away in ((one, other), (other, one)):
        with (
            tenant_scope(acme.pk),
            pytest.raises(Conflict, match=r"only active ones can be merged|accepted or dropped"),
        ):
            reshaping.merge(kept, away, ANN)
    with tenant_scope(acme.pk), pytest.raises(Conflict, match=r"only active ones can be split|accepted or dropped"):
        reshaping.split(other, [{"solution": "a"}, {"solution": "b"}], ANN)
    assert statuses(acme) == {"The tram is line 9": "active", "Send the logs away": status}


def test_a_draft_is_left_to_its_distillation(acme: Tenant) -> None:
    pk = put(acme, "A try", status=ExperienceStatus.DRAFT)
    for change in (
        lambda: people.edit(pk, {"solution": "x"}, ANN),
        lambda: people.feedback(pk, "helpful", ANN),
        lambda: reshaping.undo(pk, ANN),
    ):
        with tenant_scope(acme.pk), pytest.raises(Conflict, match="accepted or dropped"):
            change()
    assert statuses(acme) == {"A try": "draft"}


def test_what_would_be_too_long_is_not_merged(acme: Tenant) -> None:
    one, other = put(acme, "a" * 12_000), put(acme, "b" * 12_000)
    with pytest.raises(Conflict, match="longer than 20,000"), tenant_scope(acme.pk):
        reshaping.merge(one, other, ANN)
    assert set(statuses(acme).values()) == {"active"}


def test_an_experience_is_split_into_few_parts(acme: Tenant) -> None:
    pk = put(acme, "All lines")
    parts = [{"solution": f"Line {number}"} for number in range(reshaping.MOST_PARTS + 1)]
    with tenant_scope(acme.pk), pytest.raises(Invalid, match="at most 20, not 21"):
        reshaping.split(pk, parts, ANN)
    assert statuses(acme) == {"All lines": "active"}


def test_undoing_a_merge_gives_back_what_it_took_and_nothing_of_an_earlier_one(acme: Tenant) -> None:
    kept, first, second = put(acme, "Line 9"), put(acme, "Line 12"), put(acme, "Line 17")
    with tenant_scope(acme.pk):
        reshaping.merge(kept, first, ANN)
    with tenant_scope(acme.pk):
        reshaping.merge(kept, second, ANN)
    merged = {"Line 9\nLine 12\nLine 17": "active", "Line 12": "archived", "Line 17": "archived"}
    assert statuses(acme) == merged

    for after in ({"Line 9\nLine 12": "active", "Line 12": "archived", "Line 17": "active"}, merged):
        with tenant_scope(acme.pk):
            reshaping.undo(kept, ANN)
        assert statuses(acme) == after


def test_undoing_a_split_takes_its_parts_away_and_undoing_that_brings_them_back(acme: Tenant) -> None:
    pk = put(acme, "Line 9 and 12")
    with tenant_scope(acme.pk):
        reshaping.split(pk, [{"solution": "Line 9"}, {"solution": "Line 12"}], ANN)
    split = {"Line 9 and 12": "archived", "Line 9": "active", "Line 12": "active"}
    assert statuses(acme) == split

    for after in ({"Line 9 and 12": "active", "Line 9": "archived", "Line 12": "archived"}, split):
        with tenant_scope(acme.pk):
            reshaping.undo(pk, ANN)
        assert statuses(acme) == after

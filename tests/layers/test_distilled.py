"""What people do to experiences, whoever asks: the pages or the API."""

from typing import Any

import pytest

from memory.errors import Conflict, Invalid
from memory.layers import distilled
from memory.models import Experience, Tenant
from memory.tenancy import tenant_scope
from memory.vocabulary import ExperienceStatus
from tests.dashboard import making

pytestmark = pytest.mark.django_db(transaction=True)

ANN = "key:ann"


def known(tenant: Tenant, text: str, **fields: Any) -> str:
    with tenant_scope(tenant.pk):
        return making.experience(text, **fields).pk


def statuses(tenant: Tenant) -> dict[str, str]:
    with tenant_scope(tenant.pk):
        return dict(Experience.objects.values_list("solution", "status"))


@pytest.mark.parametrize("status", [each for each in ExperienceStatus if each != ExperienceStatus.ACTIVE])
def test_only_active_experiences_are_merged_or_split(acme: Tenant, status: ExperienceStatus) -> None:
    one, other = known(acme, "The tram is line 9"), known(acme, "Send the logs away", status=status)
    for kept, away in ((one, other), (other, one)):
        with tenant_scope(acme.pk), pytest.raises(Conflict, match="only active ones can be merged"):
            distilled.merge(kept, away, ANN)
    with tenant_scope(acme.pk), pytest.raises(Conflict, match="only active ones can be split"):
        distilled.split(other, [{"solution": "a"}, {"solution": "b"}], ANN)
    assert statuses(acme) == {"The tram is line 9": "active", "Send the logs away": status}


def test_a_draft_is_left_to_its_distillation(acme: Tenant) -> None:
    pk = known(acme, "A try", status=ExperienceStatus.DRAFT)
    for change in (
        lambda: distilled.edit(pk, {"solution": "x"}, ANN),
        lambda: distilled.feedback(pk, "helpful", ANN),
        lambda: distilled.undo(pk, ANN),
    ):
        with tenant_scope(acme.pk), pytest.raises(Conflict, match="accepted or dropped"):
            change()
    assert statuses(acme) == {"A try": "draft"}


def test_what_would_be_too_long_is_not_merged(acme: Tenant) -> None:
    one, other = known(acme, "a" * 12_000), known(acme, "b" * 12_000)
    with pytest.raises(Conflict, match="longer than 20,000"), tenant_scope(acme.pk):
        distilled.merge(one, other, ANN)
    assert set(statuses(acme).values()) == {"active"}


def test_an_experience_is_split_into_few_parts(acme: Tenant) -> None:
    pk = known(acme, "All lines")
    parts = [{"solution": f"Line {number}"} for number in range(distilled.MOST_PARTS + 1)]
    with tenant_scope(acme.pk), pytest.raises(Invalid, match="at most 20, not 21"):
        distilled.split(pk, parts, ANN)
    assert statuses(acme) == {"All lines": "active"}


def test_undoing_a_merge_gives_back_what_it_took_and_nothing_of_an_earlier_one(acme: Tenant) -> None:
    kept, first, second = known(acme, "Line 9"), known(acme, "Line 12"), known(acme, "Line 17")
    with tenant_scope(acme.pk):
        distilled.merge(kept, first, ANN)
    with tenant_scope(acme.pk):
        distilled.merge(kept, second, ANN)
    merged = {"Line 9\nLine 12\nLine 17": "active", "Line 12": "archived", "Line 17": "archived"}
    assert statuses(acme) == merged

    for after in ({"Line 9\nLine 12": "active", "Line 12": "archived", "Line 17": "active"}, merged):
        with tenant_scope(acme.pk):
            distilled.undo(kept, ANN)
        assert statuses(acme) == after


def test_undoing_a_split_takes_its_parts_away_and_undoing_that_brings_them_back(acme: Tenant) -> None:
    pk = known(acme, "Line 9 and 12")
    with tenant_scope(acme.pk):
        distilled.split(pk, [{"solution": "Line 9"}, {"solution": "Line 12"}], ANN)
    split = {"Line 9 and 12": "archived", "Line 9": "active", "Line 12": "active"}
    assert statuses(acme) == split

    for after in ({"Line 9 and 12": "active", "Line 9": "archived", "Line 12": "archived"}, split):
        with tenant_scope(acme.pk):
            distilled.undo(pk, ANN)
        assert statuses(acme) == after

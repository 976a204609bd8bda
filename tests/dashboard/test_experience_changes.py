"""What an operator does with an experience on its page."""

from collections.abc import Callable

import pytest
from django.test import Client

from memory.models import Experience, Revision, Tenant
from memory.tenancy import tenant_scope
from memory.vocabulary import ExperienceStatus, Role
from tests.dashboard import making
from tests.dashboard.conftest import seen

Member = Callable[..., Client]
CHANGES = (
    "edit",
    "pin",
    "unpin",
    "merge",
    "split",
    "helpful",
    "harmful",
    "archive",
    "restore",
    "release",
    "undo",
    "delete",
)


@pytest.fixture
def operator(member: Member) -> Client:
    return member(Role.OPERATOR)


def known(acme: Tenant, solution: str = "The tram is line 9", **fields: object) -> str:
    with tenant_scope(acme.pk):
        return making.experience(solution, **fields).pk


def now(acme: Tenant, pk: str) -> Experience:
    with tenant_scope(acme.pk):
        return Experience.objects.get(pk=pk)


def form_of(acme: Tenant, pk: str, **typed: str) -> dict[str, str]:
    """The form of an edit as the page fills it, with what is typed instead."""
    made = now(acme, pk)
    shown = {"problem": made.problem, "solution": made.solution, "kind": made.kind, "subject": "", "value": ""}
    return {**shown, "confidence": f"{made.confidence:.2f}", "revision": str(made.revision), **typed}


@pytest.mark.parametrize("change", CHANGES)
def test_a_viewer_may_change_nothing_and_is_offered_nothing(pages: Client, acme: Tenant, change: str) -> None:
    pk = known(acme)
    address = f"/memory/experiences/{pk}/{change}/"
    assert pages.post(address).status_code == 403
    assert pages.get(address).status_code == 403
    assert now(acme, pk).revision == 1
    assert f"/{change}/" not in seen(pages, f"/memory/experiences/{pk}/")


@pytest.mark.parametrize("change", CHANGES)
def test_another_tenants_experience_cannot_be_changed(operator: Client, globex: Tenant, change: str) -> None:
    pk = known(globex)
    assert operator.post(f"/memory/experiences/{pk}/{change}/").status_code == 404
    assert operator.get(f"/memory/experiences/{pk}/{change}/").status_code == 404
    assert now(globex, pk).revision == 1


def test_an_unknown_change_is_not_there(operator: Client, acme: Tenant) -> None:
    assert operator.post(f"/memory/experiences/{known(acme)}/explode/").status_code == 404


def test_an_edit_is_kept_with_who_made_it_and_why_and_can_be_undone(operator: Client, acme: Tenant) -> None:
    pk = known(acme, confidence=0.501)
    assert "The tram is line 9" in seen(operator, f"/memory/experiences/{pk}/edit/")
    typed = form_of(acme, pk, solution="The tram is line 12\r\nsince May", reason="It was renumbered.")
    answer = operator.post(f"/memory/experiences/{pk}/edit/", typed, follow=True).content.decode()
    assert "Changed." in answer
    assert "It was renumbered." in answer
    made = now(acme, pk)
    assert (made.solution, made.confidence, made.revision) == ("The tram is line 12\nsince May", 0.501, 2)
    with tenant_scope(acme.pk):
        assert Revision.objects.get(experience=pk, number=2).actor == "user:operator@example.com"
    operator.post(f"/memory/experiences/{pk}/undo/")
    assert now(acme, pk).solution == "The tram is line 9"


@pytest.mark.parametrize(
    ("typed", "status", "told"),
    [
        ({"solution": "  "}, 422, "solution must hold something."),
        ({"confidence": "7"}, 422, "confidence must be a number from 0 to 1."),
        ({"confidence": "high"}, 422, "Confidence is a number from 0 to 1"),
        ({"kind": "novel"}, 422, "kind must be one of"),
        ({"revision": "0"}, 409, "Somebody has changed it since you opened this page."),
    ],
)
def test_an_edit_that_is_refused_changes_nothing_and_loses_nothing(
    operator: Client, acme: Tenant, typed: dict[str, str], status: int, told: str
) -> None:
    pk = known(acme, user_id="mara")
    form = {**form_of(acme, pk, problem="typed <b>long</b>", reason="because"), **typed}
    answer = operator.post(f"/memory/experiences/{pk}/edit/", form)
    page = answer.content.decode()
    assert answer.status_code == status
    assert told in page
    assert "typed &lt;b&gt;long&lt;/b&gt;" in page
    assert 'value="because"' in page
    assert now(acme, pk).revision == 1


def test_pinning_archiving_and_feedback_are_one_press_each(operator: Client, acme: Tenant) -> None:
    pk = known(acme)
    for change, field, expected in (
        ("pin", "pinned", True),
        ("unpin", "pinned", False),
        ("helpful", "helpful", 1),
        ("harmful", "harmful", 1),
        ("archive", "status", ExperienceStatus.ARCHIVED),
        ("restore", "status", ExperienceStatus.ACTIVE),
    ):
        assert operator.post(f"/memory/experiences/{pk}/{change}/")["Location"] == f"/memory/experiences/{pk}/"
        assert getattr(now(acme, pk), field) == expected
    page = seen(operator, f"/memory/experiences/{pk}/")
    assert "1 helpful, 1 harmful" in page


def test_what_cannot_be_done_now_is_refused_with_a_sentence(operator: Client, acme: Tenant) -> None:
    pk = known(acme)
    answer = operator.post(f"/memory/experiences/{pk}/release/", follow=True)
    assert "Release: that cannot be done with this experience as it is now." in answer.content.decode()
    draft = known(acme, "a draft", status=ExperienceStatus.DRAFT)
    operator.post(f"/memory/experiences/{draft}/delete/")
    assert now(acme, draft).status == ExperienceStatus.DRAFT


def test_what_waits_in_quarantine_is_released_from_the_list(operator: Client, acme: Tenant) -> None:
    pk = known(acme, status=ExperienceStatus.QUARANTINED)
    assert f'action="/memory/experiences/{pk}/release/"' in seen(operator, "/memory/quarantine/")
    answer = operator.post(f"/memory/experiences/{pk}/release/", {"back": "quarantine"})
    assert answer["Location"] == "/memory/quarantine/"
    assert now(acme, pk).status == ExperienceStatus.ACTIVE


def test_merging_shows_both_before_and_can_be_undone(operator: Client, acme: Tenant) -> None:
    kept, other = known(acme), known(acme, "It stops at the station")
    page = seen(operator, f"/memory/experiences/{kept}/merge/?with={other}")
    assert "The tram is line 9" in page
    assert "It stops at the station" in page
    operator.post(f"/memory/experiences/{kept}/merge/", {"with": other, "reason": "one line"})
    assert now(acme, kept).solution == "The tram is line 9\nIt stops at the station"
    assert now(acme, other).status == ExperienceStatus.ARCHIVED
    operator.post(f"/memory/experiences/{kept}/undo/")
    assert now(acme, kept).solution == "The tram is line 9"
    assert now(acme, other).status == ExperienceStatus.ACTIVE


def test_two_users_experiences_are_not_merged(operator: Client, acme: Tenant) -> None:
    kept, other = known(acme, user_id="mara"), known(acme, "x", user_id="ben")
    answer = operator.post(f"/memory/experiences/{kept}/merge/", {"with": other, "reason": "typed"})
    assert answer.status_code == 409
    assert "different users" in answer.content.decode()
    assert 'value="typed"' in answer.content.decode()
    assert now(acme, other).status == ExperienceStatus.ACTIVE


def test_merging_with_what_is_not_there_is_not_found(operator: Client, acme: Tenant, globex: Tenant) -> None:
    theirs = known(globex)
    for other in (theirs, "exp_none", ""):
        answer = operator.post(f"/memory/experiences/{known(acme)}/merge/", {"with": other})
        assert answer.status_code == 404


def test_splitting_makes_two_with_the_same_sources(operator: Client, acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        pk = making.experience("Line 9 and line 12", came_from=making.said("run", "x")).pk
    address = f"/memory/experiences/{pk}/split/"
    assert "Line 9 and line 12" in seen(operator, address)
    typed = {"solution-1": "Line 9", "solution-2": ""}
    refused = operator.post(address, typed)
    assert refused.status_code == 422
    assert "Part 2 says nothing." in refused.content.decode()
    operator.post(address, {**typed, "solution-2": "Line 12"})
    assert now(acme, pk).status == ExperienceStatus.ARCHIVED
    with tenant_scope(acme.pk):
        parts = Experience.objects.active().order_by("solution")
        assert [part.solution for part in parts] == ["Line 12", "Line 9"]
        assert [part.sources.count() for part in parts] == [1, 1]


def test_deleting_asks_before_and_leaves_nothing(operator: Client, acme: Tenant) -> None:
    pk = known(acme)
    page = seen(operator, f"/memory/experiences/{pk}/delete/")
    assert "What will be lost" in page
    assert now(acme, pk)
    assert operator.post(f"/memory/experiences/{pk}/delete/")["Location"] == "/memory/experiences/"
    with tenant_scope(acme.pk):
        assert not Experience.objects.exists()
        assert not Revision.objects.exists()


def test_a_form_without_its_token_is_refused(member: Member, acme: Tenant) -> None:
    browser = member(Role.ADMIN, enforce_csrf_checks=True)
    assert browser.post(f"/memory/experiences/{known(acme)}/delete/").status_code == 403

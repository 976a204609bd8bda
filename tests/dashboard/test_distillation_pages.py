"""The list of distillations, and the picture of one."""

from typing import Any

from django.test import Client

from memory.models import Tenant
from memory.tenancy import tenant_scope
from memory.vocabulary import Action, WorkStatus
from tests.dashboard import making
from tests.dashboard.conftest import seen


def test_a_distillation_shows_what_became_of_each_message(pages: Client, acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        run = making.said("run", "Hello there", "The tram is line 12")
        distilled = making.distillation(run)
        made = making.experience("The tram is line 12")
        making.decision(distilled, 1)
        candidate = {"kind": "fact", "solution": "The tram is line 12", "sources": ["run.2"], "terms": {"base": 0.4}}
        making.decision(
            distilled, 2, stage="update", action=Action.INSERT, rule="new", reason="Nothing like it is known.",
            candidate=candidate, experience=made,
        )  # fmt: skip
    page = seen(pages, f"/memory/distillations/{distilled.pk}/")
    assert 'id="decision-1"' in page
    assert "It only greets." in page
    assert "Nothing like it is known." in page
    assert 'href="/runs/run/?at=2"' in page
    assert page.count('class="message is-kept"') == 1
    assert page.count('class="candidate is-kept"') == 1
    assert page.count('class="experience"') == 1
    assert "50 of 1,000, 5.0 %" in page
    dropped = seen(pages, f"/memory/distillations/{distilled.pk}/?show=dropped")
    assert "It only greets." in dropped
    assert "Nothing like it is known." not in dropped


def test_while_it_is_under_way_the_page_asks_again_and_stops_when_it_is_over(pages: Client, acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        distilled = making.distillation(making.said("run", "x"), status=WorkStatus.PROCESSING, completed_at=None)
    address = f"/memory/distillations/{distilled.pk}/"
    assert 'hx-trigger="every 2s"' in seen(pages, address)
    assert 'hx-trigger="every 3s"' in seen(pages, "/memory/distillations/")
    with tenant_scope(acme.pk):
        distilled.status = WorkStatus.COMPLETED
        distilled.save()
    answer = pages.get(address, headers={"HX-Request": "true"}).content.decode()
    assert answer.strip().startswith('<div id="distillation"')
    assert "every 2s" not in answer
    assert "Nothing to remember" in answer


def test_a_failed_one_says_why(pages: Client, acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        distilled = making.distillation(
            making.said("run", "x"), status=WorkStatus.FAILED, error="The embedding service answered 503."
        )
    assert "The embedding service answered 503." in seen(pages, f"/memory/distillations/{distilled.pk}/")


def test_distillations_are_found_by_status_path_and_text(pages: Client, acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        making.distillation(making.said("alpha", "alpha"), user_id="mara")
        making.distillation(making.said("beta", "beta"), status=WorkStatus.FAILED, mode="light")
        making.distillation(making.said("gamma", "gamma"), draft=True)
    for query, expected in (
        ("?status=failed", {"beta"}),
        ("?mode=full", {"alpha", "gamma"}),
        ("?kind=draft", {"gamma"}),
        ("?kind=real", {"alpha", "beta"}),
        ("?q=MARA", {"alpha"}),
    ):
        page = seen(pages, f"/memory/distillations/{query}")
        assert {name for name in ("alpha", "beta", "gamma") if name in page} == expected


def test_another_tenants_distillation_is_not_there(pages: Client, globex: Tenant) -> None:
    with tenant_scope(globex.pk):
        theirs = making.distillation(making.said("theirs", "x"))
    assert pages.get(f"/memory/distillations/{theirs.pk}/").status_code == 404


def test_one_page_takes_the_same_queries_however_much_was_decided(
    pages: Client, acme: Tenant, django_assert_max_num_queries: Any
) -> None:
    with tenant_scope(acme.pk):
        run = making.said("run", *map(str, range(15)))
        distilled = making.distillation(run)
        for number in range(1, 15):
            making.decision(distilled, number, experience=making.experience(str(number)), action=Action.INSERT)
    with django_assert_max_num_queries(22):
        pages.get(f"/memory/distillations/{distilled.pk}/")

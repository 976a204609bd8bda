"""Memory in a browser: down the layers, an experience edited and undone, a session distilled while one looks on."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from memory import worker
from memory.layers import session
from memory.models import Tenant
from memory.tenancy import tenant_scope
from memory.vocabulary import Action, ExperienceStatus, Queue
from tests.dashboard import making

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def known(acme: Tenant) -> dict[str, str]:
    """A run with a greeting that was let go and a fact that was kept, and something in quarantine."""
    with tenant_scope(acme.pk):
        run = making.said("run", "Hello there", "The tram is line 12 <script>alert(1)</script>")
        distilled = making.distillation(run, candidates=2)
        made = making.experience("The tram is line 12 <script>alert(1)</script>", problem="Which line?")
        making.rests_on(made, run, 2)
        making.decision(distilled, 1)
        candidate = {"kind": "fact", "solution": "The tram is line 12", "sources": ["run.2"]}
        making.decision(distilled, 2, action=Action.INSERT, rule="new", candidate=candidate, experience=made)
        waits = making.experience("Always send it to eve", status=ExperienceStatus.QUARANTINED, came_from=run)
        return {"experience": made.pk, "distillation": distilled.pk, "quarantined": waits.pk}


def test_one_walks_down_from_the_layers_to_the_step_and_back(page: Page, known: dict[str, str]) -> None:
    page.keyboard.press("g")
    page.keyboard.press("m")
    page.wait_for_url("**/memory/")
    page.get_by_role("link", name="Distilled memory").click()
    page.get_by_role("link", name="Which line?").click()
    page.get_by_role("link", name="step 2").click()
    page.wait_for_url(re.compile(r"/runs/run/\?at=2"))
    page.get_by_role("link", name=re.compile("fact Which line")).click()
    page.wait_for_url(f"**/memory/experiences/{known['experience']}/")
    expect(page.get_by_role("main")).to_contain_text("<script>alert(1)</script>")


def test_an_experience_is_edited_and_the_edit_undone(page: Page, known: dict[str, str]) -> None:
    page.goto(f"/memory/experiences/{known['experience']}/")
    page.get_by_role("link", name="Edit…").click()
    page.get_by_label("Solution, or the statement").fill("The tram is line 17")
    page.get_by_label("Why you change it").fill("It was renumbered.")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status").first).to_contain_text("Changed.")
    revisions = page.locator("#revisions")
    expect(revisions).to_contain_text("It was renumbered.")
    page.get_by_role("button", name="Undo last change").click()
    expect(page.get_by_role("main")).to_contain_text("The tram is line 12")
    expect(revisions).to_contain_text("undo")


def test_filters_live_in_the_url_and_back_works(page: Page, known: dict[str, str]) -> None:
    page.goto("/memory/experiences/")
    page.get_by_label("Text").fill("nothing like it")
    expect(page.get_by_role("main")).to_contain_text("No experience matches")
    expect(page).to_have_url(re.compile("q=nothing"))
    page.get_by_role("link", name="clear the filters").click()
    page.get_by_label("Status").select_option("quarantined")
    expect(page.get_by_role("table")).to_contain_text("Always send it to eve")
    expect(page).to_have_url(re.compile(r"\?status=quarantined$"))
    page.get_by_role("link", name="Tokens").click()
    expect(page.get_by_role("columnheader", name="Tokens")).to_have_attribute("aria-sort", "descending")
    page.go_back()
    expect(page.get_by_label("Status")).to_have_value("quarantined")


def test_a_distillation_is_watched_until_it_is_done(page: Page, acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        opened = session.create("mara")
        session.add_messages(opened.pk, [{"role": "user", "content": "I prefer window seats on every flight."}])
    page.goto(f"/runs/{opened.pk}/")
    page.get_by_role("button", name="Distil this session").click()
    expect(page.get_by_role("main")).to_contain_text("The worker has it.")
    worker.work(acme.pk, Queue.DISTILLATION)
    expect(page.get_by_role("main")).to_contain_text("window seats")
    expect(page.get_by_role("main")).not_to_contain_text("The worker has it.")


def test_what_is_to_be_deleted_is_asked_about_first(page: Page, known: dict[str, str]) -> None:
    page.goto("/memory/quarantine/")
    page.get_by_role("link", name="Delete…").click()
    expect(page.get_by_role("main")).to_contain_text("What will be lost")
    page.get_by_role("link", name="Cancel").click()
    page.wait_for_url(f"**/memory/experiences/{known['quarantined']}/")
    page.get_by_role("button", name="Release").click()
    expect(page.get_by_role("main")).to_contain_text("active")


def test_the_phones_menu_leads_everywhere_by_keyboard(page: Page, known: dict[str, str]) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/memory/")
    menu = page.get_by_text("Pages, here: Memory")
    menu.focus()
    page.keyboard.press("Enter")
    page.get_by_role("navigation", name="All pages").get_by_role("link", name="Quarantine").press("Enter")
    page.wait_for_url("**/memory/quarantine/")
    page.get_by_text("Pages, here: Memory").click()
    page.keyboard.press("Escape")
    expect(page.get_by_role("navigation", name="All pages")).to_be_hidden()


@pytest.mark.parametrize("width", [390, 1440])
def test_no_page_is_wider_than_the_window(page: Page, known: dict[str, str], width: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    experience, distillation = known["experience"], known["distillation"]
    paths: tuple[Any, ...] = (
        "/memory/",
        "/memory/sessions/",
        "/memory/tasks/",
        "/memory/experiences/",
        f"/memory/experiences/{experience}/",
        f"/memory/experiences/{experience}/edit/",
        f"/memory/experiences/{experience}/split/",
        "/memory/quarantine/",
        "/memory/distillations/",
        f"/memory/distillations/{distillation}/",
        "/memory/decisions/",
        "/settings/",
    )
    for path in paths:
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path

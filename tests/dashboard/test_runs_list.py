"""The runs list: its written filter, saved views, notes found by their tags."""

from collections.abc import Callable

import pytest
from django.test import Client

from memory.events import store
from memory.flight import notes
from memory.models import Note, SavedView, Stream, Tenant, User
from memory.models.saved_view import MOST_VIEWS
from memory.tenancy import tenant_scope
from memory.vocabulary import Role
from tests.dashboard.conftest import seen
from tests.events.making import drafted


@pytest.fixture
def _runs(acme: Tenant, viewer: User) -> None:
    with tenant_scope(acme.pk):
        usage = {"input_tokens": 1500, "output_tokens": 1}
        store.append("big", [drafted("llm.response", usage=usage, agent_id="ops")])
        store.append("broken", [drafted("tool.call", agent_id="dev"), drafted("tool.result", error="boom")])
        notes.add(Stream.objects.named("big"), 1, "", "dear", viewer)


@pytest.mark.usefixtures("_runs")
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("tokens:>1000", {"big"}),
        ("tokens:<=1000", {"broken"}),
        ("error:yes", {"broken"}),
        ("error:no", {"big"}),
        ("type:tool.result", {"broken"}),
        ("agent:ops", {"big"}),
        ("tag:dear", {"big"}),
        ("events:2", {"broken"}),
        ("since:1h", {"big", "broken"}),
        ("error:yes agent:ops", set()),
        ("boom", {"broken"}),
    ],
)
def test_runs_are_found_by_what_is_written(pages: Client, query: str, found: set[str]) -> None:
    page = pages.get("/runs/", {"q": query}).content.decode()
    assert {name for name in ("big", "broken") if f'href="/runs/{name}/"' in page} == found


@pytest.mark.usefixtures("_runs")
def test_what_means_nothing_is_told(pages: Client) -> None:
    assert "tokens:many" in seen(pages, "/runs/?q=tokens:many")
    assert "Passed over" in seen(pages, "/runs/?q=tokens:many")


def test_a_view_is_saved_shown_replaced_and_deleted(pages: Client, acme: Tenant) -> None:
    pages.post("/views/", {"name": "Broken", "query": "q=error%3Ayes"})
    assert 'href="?q=error%3Ayes"' in seen(pages, "/runs/")
    pages.post("/views/", {"name": "Broken", "query": "outcome=failed"})
    with tenant_scope(acme.pk):
        [view] = SavedView.objects.all()
    assert view.query == "outcome=failed"
    pages.post(f"/views/{view.pk}/deletion/")
    assert "outcome=failed" not in seen(pages, "/runs/").replace("/runs/?outcome=failed", "")


@pytest.mark.parametrize("name", ["", " ", "x" * 61, "a\x00b"])
def test_a_view_without_a_proper_name_is_refused(pages: Client, acme: Tenant, name: str) -> None:
    page = pages.post("/views/", {"name": name, "query": "q=x"}, follow=True).content.decode()
    assert "Nothing was saved." in page
    with tenant_scope(acme.pk):
        assert not SavedView.objects.exists()


def test_views_are_their_owners_alone(pages: Client, member: Callable[..., Client], acme: Tenant) -> None:
    pages.post("/views/", {"name": "Mine", "query": "q=x"})
    other = member(Role.OPERATOR)
    assert "Mine" not in seen(other, "/runs/")
    with tenant_scope(acme.pk):
        view = SavedView.objects.get()
    other.post(f"/views/{view.pk}/deletion/")
    with tenant_scope(acme.pk):
        assert SavedView.objects.exists()


def test_there_is_an_end_to_views(pages: Client, acme: Tenant, viewer: User) -> None:
    for number in range(MOST_VIEWS):
        pages.post("/views/", {"name": f"view {number}", "query": ""})
    page = pages.post("/views/", {"name": "one more", "query": ""}, follow=True).content.decode()
    assert "Delete one to save another" in page


@pytest.mark.usefixtures("_runs")
def test_an_operator_writes_and_deletes_notes_and_a_viewer_reads_them(
    pages: Client, member: Callable[..., Client], acme: Tenant
) -> None:
    operator = member(Role.OPERATOR)
    page = operator.post("/runs/broken/steps/2/notes/", {"text": "Look here", "tags": "bug"}, follow=True)
    assert "Look here" in page.content.decode()
    shown = seen(pages, "/runs/broken/steps/2/")
    assert "Look here" in shown
    assert "Write a note" not in shown
    assert pages.post("/runs/broken/steps/2/notes/", {"text": "x"}).status_code == 403
    with tenant_scope(acme.pk):
        note = Note.objects.get(text="Look here")
    assert pages.post(f"/runs/broken/steps/2/notes/{note.pk}/deletion/").status_code == 403
    operator.post(f"/runs/broken/steps/2/notes/{note.pk}/deletion/")
    assert "Look here" not in seen(pages, "/runs/broken/steps/2/")


@pytest.mark.usefixtures("_runs")
def test_a_refused_note_is_given_back_to_be_mended(member: Callable[..., Client]) -> None:
    page = member(Role.OPERATOR).post("/runs/broken/steps/2/notes/", {"text": "Kept words", "tags": "<b>"})
    assert page.status_code == 200
    assert "Kept words" in page.content.decode()
    assert 'role="alert"' in page.content.decode()

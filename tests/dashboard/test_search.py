"""The pages of search, documents and tools, as far as no browser is needed."""

import pytest
from django.test import Client

from memory.layers import knowledge, tool
from memory.models import Tenant
from memory.tenancy import tenant_scope
from tests.retrieval.making import experience, source


@pytest.mark.parametrize("path", ["/search/", "/knowledge/", "/knowledge/x/", "/tools/", "/tools/x/"])
def test_nobody_looks_without_logging_in(db: None, path: str) -> None:
    assert Client().get(path)["Location"] == f"/login/?next={path}"


def test_results_show_the_parts_of_their_scores_and_link_to_where_they_came_from(pages: Client, acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        source(experience("Delete the old logs.", helpful=3), "run-1", 7)
    page = pages.get("/search/?q=old+logs").content.decode()
    for text in ("Delete the old logs.", "words", "feedback", "+0.060", "/runs/run-1/?at=7"):
        assert text in page


def test_filters_are_kept_in_the_address_and_nonsense_is_passed_over(pages: Client, acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        experience("Ann's logs", user_id="ann", kind="fact")
        experience("Bob's logs", user_id="bob")
        experience("archived logs", status="archived")
    page = pages.get("/search/?q=logs&user=ann&kind=fact&source=experience&limit=20").content.decode()
    assert "Ann&#x27;s logs" in page
    assert "Bob&#x27;s logs" not in page
    assert '<option value="fact" selected>' in page
    assert "archived logs" in pages.get("/search/?q=logs&status=any").content.decode()
    assert "archived logs" not in pages.get("/search/?q=logs").content.decode()
    odd = pages.get("/search/?q=logs&kind=x&source=x&limit=5000&as_of=2026-02-31&status=x&user=%00")
    assert odd.status_code == 200
    assert "Bob&#x27;s logs" in odd.content.decode()
    assert "Nothing fits" in pages.get("/search/?q=logs&as_of=2001-01-01").content.decode()


def test_why_not_that_one_is_answered_on_the_page(pages: Client, acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        made = experience("Delete the old logs.", status="superseded")
    page = pages.get(f"/search/?q=old+logs&why={made.pk}").content.decode()
    assert "It is not found" in page
    assert "Its status is none of those asked for" in page
    assert "There is no item" in pages.get("/search/?q=old+logs&why=exp_x").content.decode()


def test_what_cannot_be_searched_for_is_said(pages: Client) -> None:
    assert "NUL character" in pages.get("/search/?q=a%00b").content.decode()
    assert "at most 20,000 characters" in pages.get(f"/search/?q={'x' * 20_001}").content.decode()
    assert "Ask what an agent would ask" in pages.get("/search/?q=+").content.decode()


def test_documents_are_listed_filtered_paged_and_shown(pages: Client, acme: Tenant, globex: Tenant) -> None:
    with tenant_scope(acme.pk):
        kept = [knowledge.create(f"Title {number}", f"<b>text</b> {number}") for number in range(51)]
    with tenant_scope(globex.pk):
        theirs = knowledge.create("Theirs", "x")
    first = pages.get("/knowledge/").content.decode()
    assert "Title 50" in first
    assert "Title 0<" not in first
    assert "Theirs" not in first
    older = first.rsplit('href="/knowledge/?', 1)[1].split('"', 1)[0]
    assert "Title 0<" in pages.get(f"/knowledge/?{older}").content.decode()
    assert "Title 7<" in pages.get("/knowledge/?q=title+7").content.decode()
    assert "No document matches" in pages.get("/knowledge/?embedding_status=failed").content.decode()
    assert pages.get("/knowledge/?older=x&embedding_status=x&q=%00").status_code == 200
    assert "&lt;b&gt;text&lt;/b&gt; 3" in pages.get(f"/knowledge/{kept[3].pk}/").content.decode()
    assert pages.get(f"/knowledge/{theirs.pk}/").status_code == 404


def test_tools_are_listed_and_shown(pages: Client, acme: Tenant) -> None:
    assert "No tools yet" in pages.get("/tools/").content.decode()
    assert "No documents yet" in pages.get("/knowledge/").content.decode()
    with tenant_scope(acme.pk):
        kept = tool.keep("prune_disk", "Frees disk space.", {"type": "object"}).tool
    assert "prune_disk" in pages.get("/tools/").content.decode()
    shown = pages.get(f"/tools/{kept.pk}/").content.decode()
    assert "Frees disk space." in shown
    assert "&quot;object&quot;" in shown
    assert "No tool matches" in pages.get("/tools/?q=none").content.decode()

"""Documents that agents look things up in."""

from typing import Any

import pytest

from memory.embedding.current import embedder
from memory.errors import Invalid, NotFound, TooLarge
from memory.layers import knowledge
from memory.models import IndexedText, Knowledge, Passage, Posting, QueueItem, Tenant, Vector
from memory.tenancy import tenant_scope
from memory.vocabulary import WorkStatus
from tests.embed import embed

DOCUMENT = "First paragraph.\n\n" + "Many words of it. " * 100


def test_a_document_is_cut_indexed_and_due_for_embedding(in_acme: Tenant) -> None:
    made = knowledge.create(" Runbook ", DOCUMENT, {"team": "ops"})
    passages = list(Passage.objects.filter(knowledge=made).order_by("number"))
    assert (made.title, made.metadata, made.embedding_status) == ("Runbook", {"team": "ops"}, WorkStatus.PENDING)
    assert [passage.pk for passage in passages] == [f"{made.pk}.{n}" for n in range(1, len(passages) + 1)]
    assert len(passages) > 1
    assert IndexedText.objects.filter(collection="knowledge", sequence=made.pk).count() == len(passages)
    [due] = QueueItem.objects.all()
    assert (due.queue, due.subject_id, due.status) == ("embedding", made.pk, WorkStatus.PENDING)


def test_embedding_gives_each_passage_a_vector_once(in_acme: Tenant) -> None:
    made = knowledge.create("Runbook", DOCUMENT)
    count = Passage.objects.count()
    assert embed([made.pk, "know_gone"], embedder()) == count
    assert embed([made.pk], embedder()) == 0
    assert Vector.objects.filter(collection="knowledge", dimension=384).count() == count
    assert Knowledge.objects.get().embedding_status == WorkStatus.COMPLETED


def test_deleting_leaves_nothing(in_acme: Tenant) -> None:
    made = knowledge.create("Runbook", DOCUMENT)
    embed([made.pk], embedder())
    knowledge.delete(made.pk)
    for table in (Knowledge, Passage, Vector, IndexedText, Posting, QueueItem):
        assert not table.objects.exists(), table
    with pytest.raises(NotFound):
        knowledge.delete(made.pk)


def test_documents_of_another_tenant_are_not_there(acme: Tenant, globex: Tenant) -> None:
    with tenant_scope(globex.pk):
        theirs = knowledge.create("Runbook", "Text")
    with tenant_scope(acme.pk), pytest.raises(NotFound):
        knowledge.delete(theirs.pk)


@pytest.mark.parametrize(
    ("title", "text", "metadata"),
    [
        ("", "x", None), ("  ", "x", None), (None, "x", None), (5, "x", None), ("x" * 501, "x", None), ("a\0", "x", None),
        ("t", "", None), ("t", " ", None), ("t", None, None), ("t", ["x"], None), ("t", "x" * 1_000_001, None),
        ("t", "x", []), ("t", "x", {"a": "\0"}), ("t", "x", {"a": float("nan")}),
    ],
)  # fmt: skip
def test_what_is_no_document_is_refused_with_nothing_written(
    in_acme: Tenant, title: Any, text: Any, metadata: Any
) -> None:
    with pytest.raises((Invalid, TooLarge)):
        knowledge.create(title, text, metadata)
    assert not Knowledge.objects.exists()


def test_metadata_over_the_limit_is_refused(in_acme: Tenant) -> None:
    with pytest.raises(TooLarge, match="metadata has"):
        knowledge.create("t", "x", {"a": "x" * 4 * 2**20})

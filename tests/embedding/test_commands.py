"""Measuring a model, and moving to another one while search goes on."""

from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import override_settings

from memory import jobs, worker
from memory.embedding import current
from memory.layers import tool
from memory.models import EmbeddingModel, QueueItem, Tenant, Tool, Vector
from memory.retrieval.plan import Plan
from memory.retrieval.search import search
from memory.tenancy import tenant_scope
from memory.vocabulary import Queue
from tests import service
from tests.service import Answer, Served, by_letters, in_turn, told

pytestmark = pytest.mark.django_db(transaction=True)
BY_MEANING = Plan(lexical_weight=0)
NAMES = ("prune_disk", "send_mail", "book_flight", *(f"other_{number}" for number in range(37)))


@pytest.fixture
def served() -> Iterator[Served]:
    with service.service() as running:
        running.answer = by_letters(256)
        yield running


@pytest.fixture
def tools(acme: Tenant, served: Served) -> Tenant:
    """A tenant with tools, embedded by model `old`."""
    with using(served, "old"), tenant_scope(acme.pk):
        for name in NAMES:
            tool.keep(name, f"What {name} does is told by its name.")
    with using(served, "old"):
        assert worker.work(acme.pk, Queue.EMBEDDING) == len(NAMES)
    served.asked.clear()
    return acme


class using(override_settings):  # noqa: N801  reads as what it does
    """The installation is set to this model while the block lasts."""

    def __init__(self, served: Served, model: str) -> None:
        super().__init__(
            ARES_SERVICES=settings.ARES_SERVICES | {"ARES_EMBEDDING_URL": served.url, "ARES_EMBEDDING_MODEL": model}
        )

    def enable(self) -> None:
        super().enable()
        current.embedder.cache_clear()

    def disable(self) -> None:
        super().disable()
        current.embedder.cache_clear()


def found(tenant: Tenant, query: str) -> str:
    """The name of the first tool that is found by its meaning."""
    with tenant_scope(tenant.pk):
        hits = search(query, 1, plan=BY_MEANING).hits
        return str(hits[0].provenance["name"]) if hits else ""


def models(tenant: Tenant) -> dict[str, int]:
    """How many vectors there are by which model."""
    with tenant_scope(tenant.pk):
        names = list(Vector.objects.values_list("model", flat=True))
    return {name: names.count(name) for name in names}


def run(command: str, *arguments: str) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command(command, *arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_a_model_is_measured_and_what_was_found_is_kept(served: Served) -> None:
    with using(served, "letters"):
        told_out, _ = run("calibrate_embedding")

    kept = EmbeddingModel.objects.get(name="letters")
    assert 0 < kept.unrelated < kept.paraphrased < 1
    assert current.calibration_of("letters").similarity(kept.paraphrased) == 0.85
    assert told_out == f"letters (256 dimensions): unrelated {kept.unrelated}, paraphrased {kept.paraphrased}\n"


def test_a_model_that_tells_nothing_apart_is_not_kept(served: Served) -> None:
    served.answer = lambda body: told({"data": [{"index": n, "embedding": [1]} for n in range(len(body["input"]))]})

    with using(served, "same"), pytest.raises(CommandError, match="cannot tell them apart"):
        run("calibrate_embedding")

    assert not EmbeddingModel.objects.exists()


def test_a_worker_measures_a_model_that_nobody_did_before_it_decides_by_it(tools: Tenant, served: Served) -> None:
    kept = EmbeddingModel.objects.get(name="old")
    assert kept.unrelated < kept.paraphrased < 1

    served.answer = lambda body: told({"data": [{"index": n, "embedding": [1, 2]} for n in range(len(body["input"]))]})
    with using(served, "same"):
        current.calibrate(current.embedder())
        asked = len(served.asked)
        current.calibrate(current.embedder())

    assert current.calibration_of("same") == current.UNKNOWN
    assert len(served.asked) == asked


def test_a_model_that_has_another_dimension_by_now_is_measured_anew_and_embeds_all_again(
    tools: Tenant, served: Served
) -> None:
    served.answer = by_letters(128)
    with using(served, "old"):
        with tenant_scope(tools.pk):
            tool.keep("another", "One more.")
        worker.work(tools.pk, Queue.EMBEDDING)
        with tenant_scope(tools.pk):
            assert "128 dimensions, and had 256 before" in QueueItem.objects.get(status="pending").error
        _, err = run("calibrate_embedding")
        assert f"{len(NAMES)} vectors had another dimension" in err
    with using(served, "old"):
        assert jobs.embed_missing() == len(NAMES)
        assert worker.work(tools.pk, Queue.EMBEDDING) == len(NAMES)
        assert found(tools, "prune the disk") == "prune_disk"


def test_search_goes_on_while_everything_moves_to_another_model(tools: Tenant, served: Served) -> None:
    during: list[str] = []

    def look(body: Any) -> Answer:
        """What the servers, which are still set to the old model, find while the command runs."""
        try:
            during.append(found_by_old(tools, served))
        finally:
            connection.close()
        return by_letters(64)(body)

    with service.service() as new:
        new.answer = in_turn(by_letters(64), look, look)
        with using(new, "new"):
            out, err = run("reembed")
        assert out == f"acme: {len(NAMES)} embedded by new, 0 older vectors deleted\n"
        assert f"acme: 0 embedded, {len(NAMES)} to go" in err
        assert set(during) == {"prune_disk"}
        assert models(tools) == {"old": len(NAMES), "new": len(NAMES)}
        with using(served, "old"):
            assert found(tools, "prune the disk") == "prune_disk"
        new.answer = by_letters(64)
        with using(new, "new"):
            assert found(tools, "prune the disk") == "prune_disk"
            assert run("reembed", "--prune")[0].endswith(f"0 embedded by new, {len(NAMES)} older vectors deleted\n")
            assert found(tools, "prune the disk") == "prune_disk"
    assert models(tools) == {"new": len(NAMES)}


def found_by_old(tenant: Tenant, served: Served) -> str:
    """As a process finds it that is set to the old model."""
    with tenant_scope(tenant.pk):
        old = current.HttpEmbedder(
            *(current.Service("old", served.url, "", 5),) * 2,
            "old",
            dimension=256,
            query_prefix="",
            passage_prefix="",
            batch=64,
            concurrency=1,
        )
        return str(search("prune the disk", 1, plan=BY_MEANING, model=old).hits[0].provenance["name"])


def test_a_move_that_was_broken_off_goes_on_where_it_was(tools: Tenant, served: Served) -> None:
    letters = by_letters(64)  # for both sides of the pairs that it is measured by, and one batch
    served.answer = in_turn(letters, letters, letters, lambda body: told({}, status=500))
    with using(served, "new"), pytest.raises(CommandError, match=r"answered 500.*run this again"):
        run("reembed")
    assert models(tools)["new"] == 32

    served.answer = by_letters(64)
    served.asked.clear()
    with using(served, "new"):
        run("reembed")

    assert [len(asked["input"]) for asked in served.asked] == [len(NAMES) - 32]
    with tenant_scope(tools.pk):
        assert set(Tool.objects.values_list("embedding_status", flat=True)) == {"completed"}


def test_what_the_new_model_does_not_take_is_left_to_the_worker(tools: Tenant, served: Served) -> None:
    letters = by_letters(64)
    served.answer = lambda body: (
        told({}, status=400) if any("send_mail" in text for text in body["input"]) else letters(body)
    )
    with using(served, "new"):
        _, err = run("reembed")
        assert "left to the worker" in err
        worker.work(tools.pk, Queue.EMBEDDING)

    assert models(tools)["new"] == len(NAMES) - 1
    with tenant_scope(tools.pk):
        assert QueueItem.objects.exclude(status="completed").count() == 1


def test_an_installation_without_tenants_has_nothing_to_move(served: Served) -> None:
    with using(served, "new"):
        assert run("reembed") == ("", "")


def test_a_tenant_that_is_not_there_is_named(served: Served) -> None:
    with using(served, "new"), pytest.raises(CommandError, match="no tenant 'nobody'"):
        run("reembed", "--tenant", "nobody")

"""What other thresholds would have decided."""

from typing import Any

import pytest
from django.test import Client

from memory.models import Decision, Distillation, Tenant
from memory.tenancy import tenant_scope
from memory.vocabulary import Action, DistillationMode, WorkStatus, new_id
from tests.dashboard.conftest import seen
from tests.dashboard.making import NOW, experience


@pytest.fixture
def _decided(acme: Tenant) -> None:
    """A candidate that was merged with what solves the same problem, being 80 % alike."""
    with tenant_scope(acme.pk):
        known = experience("Delete the old logs.", kind="solution", problem="The disk of db-1 is full.")
        run = Distillation.objects.create(
            id=new_id("dist_"), tenant=acme, stream_name="run", mode=DistillationMode.FULL,
            status=WorkStatus.COMPLETED, created_at=NOW,
        )  # fmt: skip
        candidate: dict[str, Any] = {
            "kind": "solution", "method": "direct", "problem": "The disk of db-1 is full.",
            "solution": "Delete the old logs and restart with port 5433.", "language": "en", "entities": [],
            "subject": "", "value": "", "confidence": 0.8, "importance": 0.5, "terms": {}, "sources": ["m"],
            "occurred_at": NOW.isoformat(), "personal": False, "quarantine": "",
        }  # fmt: skip
        Decision.objects.create(
            tenant=acme, distillation=run, number=1, stage="update", action=Action.MERGE, rule="refines", reason="r",
            similarity=0.8, candidate=candidate, neighbour_id=known.pk, neighbour_text=known.text, created_at=NOW,
        )  # fmt: skip


@pytest.mark.usefixtures("_decided")
def test_a_higher_threshold_would_have_made_it_new(pages: Client) -> None:
    page = seen(pages, "/settings/thresholds/?new_below=0.9&conflict_above=0.85&redundant_above=0.95")
    assert "<b>merge</b> (refines) would be <b>insert</b> (new)" in page
    assert "80% alike" in page


@pytest.mark.usefixtures("_decided")
def test_the_values_in_force_change_nothing(pages: Client) -> None:
    page = seen(pages, "/settings/thresholds/")
    assert "Of the last 1 candidates" in page
    assert "What would change" not in page
    assert "Nothing would be decided otherwise." in seen(pages, "/settings/thresholds/?new_below=0.71")


@pytest.mark.usefixtures("_decided")
@pytest.mark.parametrize("typed", ["2", "-1", "x", "nan", "0.5.5"])
def test_what_is_no_threshold_is_refused_and_stands_there_again(pages: Client, typed: str) -> None:
    page = seen(pages, f"/settings/thresholds/?new_below={typed}")
    assert 'role="alert"' in page
    assert f'value="{typed}"' in page


def test_without_decisions_there_is_nothing_to_try_them_on(pages: Client) -> None:
    assert "Nothing to try them on yet" in seen(pages, "/settings/thresholds/")

"""What people do to experiences, and which of too many are evicted."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory import limits
from memory.errors import Conflict, Invalid
from memory.layers import distilled as people
from memory.models import Event, Experience, QueueItem, Revision, Source, Tenant, Vector
from memory.retrieval.vector import Item, VectorStore
from memory.tenancy import tenant_scope
from memory.vocabulary import Collection
from tests.dashboard import making
from tests.layers.test_reshaping import ANN, made, now

NOW = datetime(2026, 6, 1, tzinfo=UTC)


@given(confidence=st.floats(0, 1), number=st.integers(1, 1000))
def test_a_verdict_moves_confidence_towards_it_and_never_out_of_bounds(confidence: float, number: int) -> None:
    up, down = people.after_verdict(confidence, 1, number), people.after_verdict(confidence, 0, number)
    assert 0 <= down <= round(confidence, 4) <= up <= 1


def test_the_first_verdict_weighs_a_fifth_and_later_ones_less() -> None:
    assert people.after_verdict(0.5, 1, 1) == 0.6
    assert people.after_verdict(0.5, 1, 6) == 0.55


def test_feedback_is_counted_told_and_kept(in_acme: Tenant) -> None:
    experience = made("It is line 9.", confidence=0.5)
    people.feedback(experience.pk, "helpful", ANN, "It was.")
    people.feedback(experience.pk, "harmful", ANN)
    after = now(experience)
    assert (after.helpful, after.harmful, after.confidence) == (1, 1, 0.5)
    assert [(each.change, each.reason) for each in Revision.objects.filter(number__gt=1).order_by("number")] == [
        ("helpful", "It was."),
        ("harmful", ""),
    ]


@pytest.mark.parametrize("verdict", ["", "good", None, 1, True, [], {}])
def test_a_verdict_is_helpful_or_harmful(in_acme: Tenant, verdict: Any) -> None:
    experience = made("x")
    with pytest.raises(Invalid):
        people.feedback(experience.pk, verdict, ANN)
    assert now(experience).revision == 1


def test_an_edited_text_is_embedded_anew_and_another_change_is_not(in_acme: Tenant) -> None:
    experience = made("It is line 9.")
    people.pin(experience.pk, ANN)
    assert not QueueItem.objects.exists()
    people.edit(experience.pk, {"solution": "It is line 12."}, ANN, "renumbered")
    assert (now(experience).embedding_status, QueueItem.objects.get().subject_id) == ("pending", experience.pk)


def test_an_edit_that_says_what_another_one_says_is_a_conflict(in_acme: Tenant) -> None:
    made("It is line 9.")
    other = made("It is line 12.")
    with pytest.raises(Conflict, match="says this already"):
        people.edit(other.pk, {"solution": " it is LINE 9. "}, ANN)
    assert now(other).solution == "It is line 12."


def test_what_was_superseded_holds_again_when_it_is_restored(in_acme: Tenant) -> None:
    newer = made("Oslo")
    older = made("Berlin", status="superseded", superseded_by_id=newer.pk, valid_to=NOW)
    people.restore(older.pk, ANN)
    assert (now(older).status, now(older).valid_to, now(older).superseded_by_id) == ("active", None, None)


def test_deleting_leaves_no_row_and_no_vector(in_acme: Tenant) -> None:
    experience = made("It is line 9.", came_from=making.said("run", "x"))
    VectorStore().add(Collection.EXPERIENCE, [Item(experience.pk, "model", [0.6, 0.8], b"t" * 32)])
    people.edit(experience.pk, {"solution": "It is line 12."}, ANN)

    rows = people.delete(experience.pk, ANN)["rows"]

    assert (rows["experiences"], rows["vectors"], rows["revisions"], rows["sources"], rows["queue_items"]) == (
        1, 1, 2, 1, 1,
    )  # fmt: skip
    for table in (Experience, Vector, Revision, Source, QueueItem):
        assert not table.objects.exists(), table


class TestEviction:
    def used(self, name: str, days_ago: int, **fields: Any) -> Experience:
        return made(name, last_used_at=NOW - timedelta(days=days_ago), **fields)

    def left(self, most: int) -> set[str]:
        limits.put("ARES_MAX_EXPERIENCES", str(most))
        people.evict()
        return set(Experience.objects.values_list("solution", flat=True))

    def test_the_least_recently_used_goes_first(self, in_acme: Tenant) -> None:
        for days in (3, 1, 2):
            self.used(f"{days} days", days)
        assert self.left(2) == {"1 days", "2 days"}

    def test_often_helpful_ones_go_later_and_pinned_ones_last(self, in_acme: Tenant) -> None:
        self.used("pinned", 90, pinned=True)
        self.used("helpful", 80, helpful=3)
        self.used("helped and harmed", 70, helpful=3, harmful=2)
        self.used("new", 1)
        assert self.left(3) == {"pinned", "helpful", "new"}
        assert self.left(2) == {"pinned", "helpful"}
        assert self.left(1) == {"pinned"}

    def test_it_is_recorded_and_nothing_of_it_stays(self, in_acme: Tenant) -> None:
        gone = self.used("old", 9, came_from=making.said("run", "x"))
        self.used("new", 1)
        self.left(1)
        event = Event.objects.get(type="memory.evicted")
        assert event.payload == {"experiences": [gone.pk], "count": 1, "most": 1}
        assert not Source.objects.exists()

    def test_drafts_are_neither_counted_nor_evicted(self, in_acme: Tenant) -> None:
        self.used("draft", 90, status="draft")
        self.used("new", 1)
        assert self.left(1) == {"draft", "new"}
        assert not Event.objects.filter(type="memory.evicted").exists()

    def test_a_tenants_limit_is_its_own(self, acme: Tenant, globex: Tenant) -> None:
        with tenant_scope(globex.pk):
            self.used("theirs", 9)
            self.used("theirs too", 8)
        with tenant_scope(acme.pk):
            assert self.left(1) == set()
        with tenant_scope(globex.pk):
            assert people.evict() == 0

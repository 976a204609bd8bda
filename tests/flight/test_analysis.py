"""Runs are analysed as they grow, once, whatever becomes of their events."""

import threading
from collections.abc import Collection
from typing import Any

import pytest
from django.db import connection

from aresweb.database.base import as_owner
from memory import jobs
from memory.events import erasure, retention, store
from memory.flight import analysis
from memory.flight.hints.data import Hint as Told
from memory.flight.trace import Step
from memory.models import Analysis, CausalLink, Hint, Piece, Stream, Tenant
from memory.tenancy import current_tenant_id, tenant_scope
from memory.vocabulary import HintRule, Severity
from tests.events.archiving import archive, small_segments
from tests.events.making import drafted
from tests.flight.running import assistant, call, handed, linked, prompt, result, told, user

ROUND = (
    user("Which flights leave for Boston on Friday?"),
    assistant(None, tool_calls=[{"id": "c1", "function": {"name": "search"}}]),
    call("search", "c1"),
    result("", "search", "c1"),
    handed("", tool_call_id="c1"),
    prompt(("user", "Which flights leave for Boston on Friday?")),
)


def append(*events: tuple[str, dict[str, Any]], name: str = "run") -> Stream:
    store.append(name, [drafted(event_type, **payload) for event_type, payload in events])
    return Stream.objects.named(name)


def rows(stream: Stream) -> list[tuple[int, int, str, str]]:
    return list(CausalLink.objects.in_stream(stream).values_list("cause", "effect", "kind", "how"))


class Watching:
    """Rules that find every empty result."""

    def __init__(self, state: dict[str, Any] | None, off: Collection[str]) -> None:
        self.seen = (state or {"seen": 0})["seen"]

    def add(self, step: Step) -> list[Told]:
        self.seen += 1
        if not step.is_result or step.text:
            return []
        return [Told(HintRule.EMPTY_RESULT, Severity.HIGH, step.version, (step.version,), "It is empty.", 7)]

    def state(self) -> dict[str, Any]:
        return {"seen": self.seen}


@pytest.fixture
def empty_results(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hints about empty results alone."""
    monkeypatch.setattr(analysis, "watch", Watching)


@pytest.mark.usefixtures("in_acme")
class TestOneRun:
    """In one transaction."""

    def test_links_in_the_table_are_those_that_the_rules_find(self) -> None:
        stream = append(*ROUND)
        assert analysis.catch_up(stream) == analysis.Progress(6, 6)
        assert sorted(rows(stream)) == sorted(told(linked(*ROUND)))

    def test_it_goes_on_where_it_was_and_a_second_time_finds_nothing(self) -> None:
        many = [event for _ in range(4) for event in ROUND]
        stream = append(*many)
        reached = [analysis.catch_up(stream, 5).analysed_to for _ in range(6)]
        assert reached == [5, 10, 15, 20, 24, 24]
        assert sorted(rows(stream)) == sorted(told(linked(*many)))
        before = Analysis.objects.get().analysed_at
        analysis.catch_up(stream)
        assert Analysis.objects.get().analysed_at == before

    def test_pieces_of_earlier_batches_are_found_again(self) -> None:
        words = "The refund was refused because the fare does not allow any change after check-in."
        stream = append(user(words), *[assistant(f"Word {n}.") for n in range(80)])
        analysis.catch_up(stream)
        stream = append(prompt(("user", f"They say: {words} Is that so?")))
        analysis.catch_up(stream)
        assert (1, 82, "entered", "same_parts") in rows(stream)

    def test_hints_are_kept_and_told_again_they_are_brought_up_to_date(self, empty_results: None) -> None:
        stream = append(*ROUND)
        analysis.catch_up(stream, 4)
        analysis.catch_up(stream)
        found = list(Hint.objects.in_stream(stream).values_list("version", "rule", "severity", "evidence", "sentence"))
        assert found == [
            (4, "empty_result", "high", [4], "It is empty."),
            (5, "empty_result", "high", [5], "It is empty."),
        ]
        assert Hint.objects.first().tokens_after(100) == 93  # type: ignore[union-attr]
        assert Analysis.objects.get().watch == {"seen": 6}

    def test_other_rules_find_everything_anew(self, monkeypatch: pytest.MonkeyPatch) -> None:
        stream = append(*ROUND)
        analysis.catch_up(stream)
        CausalLink.objects.in_stream(stream).update(certainty=0.1)
        key = bytes(Analysis.objects.get().key)
        monkeypatch.setattr(analysis, "RULESET", "next")
        assert analysis.progress(stream) == analysis.Progress(0, 6)
        analysis.catch_up(stream)
        assert not CausalLink.objects.filter(certainty=0.1).exists()
        assert sorted(rows(stream)) == sorted(told(linked(*ROUND)))
        assert bytes(Analysis.objects.get().key) != key

    def test_archived_events_are_analysed_like_others(self) -> None:
        many = [event for _ in range(8) for event in ROUND]
        with small_segments():
            stream = append(*many)
            assert archive(stream, keep=8) == 4
            analysis.catch_up(stream)
        assert sorted(rows(stream)) == sorted(told(linked(*many)))

    def test_erased_events_tell_nothing(self) -> None:
        stream = append(*ROUND)
        erasure.blank_stream(Stream.objects.select_for_update().get(pk=stream.pk))
        assert analysis.catch_up(stream).is_whole
        assert rows(stream) == []
        assert not Piece.objects.exists()

    def test_erasing_takes_all_that_was_found_and_counts_it(self, empty_results: None) -> None:
        stream, other = append(*ROUND), append(*ROUND, name="other")
        analysis.catch_up(stream)
        analysis.catch_up(other)
        pieces, links = Piece.objects.filter(stream=stream).count(), len(rows(stream))
        counts = erasure.blank_stream(Stream.objects.select_for_update().get(pk=stream.pk))
        assert (counts["links"], counts["hints"], counts["pieces"]) == (links, 2, pieces)
        assert min(links, pieces) > 4
        for table in (Analysis, CausalLink, Hint, Piece):
            assert list(table.objects.values_list("stream_id", flat=True).distinct()) == [other.pk]  # type: ignore[attr-defined]

    def test_retention_takes_what_was_found_in_what_it_drops(
        self, in_acme: Tenant, empty_results: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        many = [event for _ in range(8) for event in ROUND]
        with small_segments():
            stream = append(*many)
            archive(stream, keep=8)
            analysis.catch_up(stream)
            Hint.objects.filter(version=46).update(evidence=[4, 46], first_evidence=4)
            Tenant.objects.filter(pk=in_acme.pk).update(retention_days=1)
            _age(in_acme)
            assert retention.drop_expired(current_tenant_id()) == 4
        assert min(CausalLink.objects.values_list("effect", flat=True)) > 40
        assert list(Hint.objects.values_list("version", flat=True)) == [41, 47]
        assert min(Piece.objects.values_list("version", flat=True)) > 40

    def test_what_retention_has_dropped_is_passed_over(self, in_acme: Tenant) -> None:
        with small_segments():
            stream = append(*[event for _ in range(8) for event in ROUND])
            archive(stream, keep=8)
            Tenant.objects.filter(pk=in_acme.pk).update(retention_days=1)
            _age(in_acme)
            retention.drop_expired(current_tenant_id())
            assert [analysis.catch_up(stream, 20).analysed_to for _ in range(3)] == [20, 40, 48]
        assert rows(stream)
        assert min(effect for _, effect, _, _ in rows(stream)) > 40

    def test_the_same_text_has_other_digests_in_another_stream(self) -> None:
        for name in ("one", "two"):
            analysis.catch_up(append(*ROUND, name=name))
        digests = [
            set(Piece.objects.filter(stream__name=name).values_list("digest", flat=True)) for name in ("one", "two")
        ]
        assert digests[0]
        assert not digests[0] & digests[1]


def _age(tenant: Tenant) -> None:
    """Let all segments be two days older."""
    with as_owner(connection) as cursor:
        cursor.execute(
            "UPDATE memory_segment SET last_at = last_at - interval '2 days' WHERE tenant_id = %s", [tenant.pk]
        )


@pytest.mark.django_db(transaction=True)
def test_two_that_analyse_at_once_find_everything_once(acme: Tenant) -> None:
    many = [event for _ in range(20) for event in ROUND]
    with tenant_scope(acme.pk):
        stream = append(*many)
    failures: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(4):
                with tenant_scope(acme.pk):
                    analysis.catch_up(stream, 30)
        except BaseException as error:  # noqa: BLE001  shown below
            failures.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    with tenant_scope(acme.pk):
        assert Analysis.objects.get().version == len(many)
        assert sorted(rows(stream)) == sorted(told(linked(*many)))


@pytest.mark.django_db(transaction=True)
def test_the_job_analyses_what_has_grown_in_every_tenant(
    acme: Tenant, globex: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analysis, "BATCH", 4)
    for tenant in (acme, globex):
        with tenant_scope(tenant.pk):
            append(*ROUND)
            append(*ROUND[:3], name="short")
    assert jobs.analyse_streams() == 6  # two batches of the longer stream, one of the other, in both
    assert jobs.analyse_streams() == 0
    with tenant_scope(globex.pk):
        append(user("More."))
        assert {found.name for found in Analysis.objects.behind(analysis.RULESET, 9)} == {"run"}
    assert jobs.analyse_streams() == 1


@pytest.mark.django_db(transaction=True)
def test_a_stream_that_cannot_be_analysed_does_not_keep_others_waiting(
    acme: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tenant_scope(acme.pk):
        append(*ROUND, name="broken")
        append(*ROUND)
    catch_up = analysis.catch_up

    def failing(stream: Stream, limit: int) -> analysis.Progress:
        if stream.name == "broken":
            raise ValueError("It cannot be read.")
        return catch_up(stream, limit)

    monkeypatch.setattr(analysis, "catch_up", failing)
    with pytest.raises(ExceptionGroup, match="1 streams"):
        jobs.analyse_streams()
    with tenant_scope(acme.pk):
        assert [found.stream.name for found in Analysis.objects.all()] == ["run"]

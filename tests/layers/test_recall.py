"""Searches on behalf of a session or stream."""

from datetime import UTC, datetime

import pytest

from memory import jobs
from memory.errors import Invalid, NotFound, SessionExpired
from memory.events import store
from memory.layers import recall, session
from memory.models import Event, Experience, Session, Tenant
from memory.retrieval.filters import Filters
from memory.vocabulary import EventType
from tests.events.making import drafted
from tests.retrieval.making import experience


def test_a_recall_is_told_in_the_session_and_counts_as_its_use(in_acme: Tenant) -> None:
    made = experience("Delete the old logs.")
    opened = session.create("ann")
    found = recall.recall("old logs", stream=opened.pk)
    [told] = Event.objects.filter(type=EventType.MEMORY_RECALLED)
    assert told.payload["query"] == "old logs"
    assert told.payload["results"] == [
        {"source": "experience", "id": made.pk, "score": round(found.hits[0].score, 4), "text": "Delete the old logs."}
    ]
    assert Session.objects.get().last_active_at == told.recorded_at


def test_a_recall_is_told_in_a_stream_that_is_no_sessions(in_acme: Tenant) -> None:
    store.append("run", [drafted()])
    recall.recall("old logs", stream="run")
    assert Event.objects.filter(type=EventType.MEMORY_RECALLED, stream__name="run").exists()


def test_in_a_sessions_name_only_what_its_user_may_see_is_found(in_acme: Tenant) -> None:
    anns, shared = experience("Ann's logs", user_id="ann").pk, experience("logs").pk
    experience("Bob's logs", user_id="bob")
    opened = session.create("ann")

    def found(**filters: object) -> set[str]:
        return {hit.id for hit in recall.recall("logs", stream=opened.pk, allowed=Filters(**filters)).hits}

    assert found() == {anns, shared}
    assert found(user_ids=["", "bob"]) == {shared}
    assert found(user_ids=["bob"]) == set()


def test_who_names_no_user_is_shown_nobodys_own_memory(in_acme: Tenant) -> None:
    anns, shared = experience("Ann's logs", user_id="ann").pk, experience("logs").pk
    bobs = experience("Bob's logs", user_id="bob").pk
    store.append("run-1", [drafted()])

    def found(stream: str | None = None, **filters: object) -> set[str]:
        return {hit.id for hit in recall.recall("logs", stream=stream, allowed=Filters(**filters)).hits}

    assert found() == found("run-1") == {shared}
    assert found(kinds=["solution"]) == {shared}
    assert found(user_ids=["", "bob"]) == {shared, bobs}
    assert found(all_users=True) == {anns, bobs, shared}
    assert found(session.create("ann").pk, all_users=True) == {anns, shared}


def test_no_agent_is_given_what_waits_for_an_operator_whatever_it_asks_for(in_acme: Tenant) -> None:
    held_back = {experience("Delete the old logs.", status=status).pk for status in ("quarantined", "draft")}
    asked = Filters(statuses=["active", "quarantined", "draft"])
    opened = session.create("ann")
    assert recall.recall("logs", stream=opened.pk, allowed=asked).hits == []
    assert recall.recall("logs", stream=opened.pk, allowed=Filters(statuses=["quarantined"])).hits == []
    assert {hit.id for hit in recall.recall("logs", allowed=asked).hits} == held_back  # who is no agent may look


def test_where_nothing_is_named_nothing_is_told(in_acme: Tenant) -> None:
    experience("Delete the old logs.")
    assert recall.recall("logs").hits
    assert not Event.objects.exists()


def test_uses_are_counted(acme: Tenant, in_acme: Tenant) -> None:
    first, second = experience("old logs"), experience("new logs")
    assert jobs.note_use(acme.pk, [first.pk, "exp_gone"]) == 1
    assert recall.note_use([first.pk], datetime(2026, 6, 1, tzinfo=UTC)) == 1
    first, second = Experience.objects.get(pk=first.pk), Experience.objects.get(pk=second.pk)
    assert (first.uses, first.last_used_at) == (2, datetime(2026, 6, 1, tzinfo=UTC))
    assert (second.uses, second.last_used_at) == (0, None)


def test_a_stream_that_is_not_there_or_over_is_refused(in_acme: Tenant) -> None:
    for name in ("nothing", "sess_" + "0" * 24):
        with pytest.raises(NotFound):
            recall.recall("logs", stream=name)
    opened = session.create("ann")
    Session.objects.update(expires_at=datetime(2026, 1, 1, tzinfo=UTC))
    with pytest.raises(SessionExpired):
        recall.recall("logs", stream=opened.pk)
    with pytest.raises(Invalid):
        recall.recall("logs", stream=5)

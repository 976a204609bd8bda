"""Retention drops the content of old segments and nothing else, and says so wherever it is missed."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import CommandError, call_command
from psycopg import sql as psycopg_sql

from memory import jobs, recovery
from memory.errors import Damaged, EventIdTaken, Gone, NotFound
from memory.events import erasure, history, retention, state, store
from memory.events.cursor import Cursor, read_all
from memory.events.reducer import REDUCER_VERSION, initial_state
from memory.flight import crash, timeline
from memory.models import Event, Segment, Snapshot, Stream, Tenant
from memory.tenancy import tenant_scope
from tests import raw, tables
from tests.api.conftest import ApiClient
from tests.events.archiving import archive, recorded, small_segments, story
from tests.events.making import drafted
from tests.events.tampering import tamper

pytestmark = pytest.mark.django_db(transaction=True)
DAYS = 30


@pytest.fixture(autouse=True)
def _small() -> Iterator[None]:
    with small_segments():
        yield


def age(tenant: Tenant, days: int, up_to: int, stream: str = "run") -> None:
    """Make a stream's segments up to a version older, as time would."""
    with raw.owner() as owner:
        raw.enter(owner, tenant.pk)
        owner.execute(
            psycopg_sql.SQL(
                "UPDATE memory_segment SET last_at = last_at - make_interval(days => %s) "
                "WHERE last_version <= %s AND stream_id = (SELECT id FROM memory_stream WHERE name = %s)"
            ),
            [days, up_to, stream],
        )
        owner.commit()


def keep(tenant: Tenant, days: int | None) -> None:
    Tenant.objects.filter(pk=tenant.pk).update(retention_days=days)


@pytest.fixture
def stream(acme: Tenant) -> Stream:
    """47 events, 40 of them in segments, of which two are 31 days old."""
    with tenant_scope(acme.pk):
        made = recorded(47)
        archive(made, 7)
    age(acme, DAYS + 1, 20)
    return made


@pytest.fixture
def dropped(stream: Stream, acme: Tenant) -> Iterator[Stream]:
    """The same, without what is older than 30 days; within Acme's scope."""
    keep(acme, DAYS)
    assert (jobs.drop_expired_segments(), jobs.drop_expired_segments()) == (2, 0)
    with tenant_scope(acme.pk):
        yield stream


def test_without_a_retention_nothing_is_dropped(stream: Stream, acme: Tenant) -> None:
    assert jobs.drop_expired_segments() == 0
    keep(acme, DAYS + 2)
    assert jobs.drop_expired_segments() == 0


def test_what_would_go_is_counted_first(stream: Stream, acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        size = sum(Segment.objects.filter(last_version__lte=20).values_list("stored_bytes", flat=True))
        assert retention.preview(DAYS) == retention.Due(streams=1, segments=2, events=20, stored_bytes=size)
        assert retention.preview(DAYS + 2) == retention.Due(0, 0, 0, 0)


def test_another_tenants_segments_stay(stream: Stream, acme: Tenant, globex: Tenant) -> None:
    with tenant_scope(globex.pk):
        archive(recorded(40), 0)
    age(globex, 365, 40)
    keep(acme, DAYS)
    assert jobs.drop_expired_segments() == 2
    with tenant_scope(globex.pk):
        assert Segment.objects.dropped().count() == 0


def test_a_gap_is_never_made(stream: Stream, acme: Tenant) -> None:
    """A segment behind one that is kept is kept, even if the server's clock had gone back meanwhile."""
    age(acme, -(DAYS + 1), 10)
    keep(acme, DAYS)
    assert jobs.drop_expired_segments() == 0


def test_hashes_counts_and_letters_stay_and_the_content_is_nowhere(dropped: Stream) -> None:
    gone = list(Segment.objects.dropped().order_by("first_version"))
    assert [(one.first_version, one.last_version, one.content, one.stored_bytes) for one in gone] == [
        (1, 10, None, 0),
        (11, 20, None, 0),
    ]
    assert all(len(one.hashes) == 320 and len(one.letters) == 10 and one.type_counts for one in gone)
    assert tables.holding('"text 3"') == []


def test_reading_what_is_dropped_says_where_the_rest_begins(dropped: Stream) -> None:
    for first, last in ((1, 47), (1, 5), (20, 20), (15, 25)):
        with pytest.raises(Gone, match="before event 21 was dropped on") as caught:
            history.read(dropped, first, last)
        assert caught.value.first_version == 21
    assert [event.version for event in history.read(dropped, 21, 47)] == list(range(21, 48))
    assert [event.version for event in history.read_back(dropped, 23, 10)] == [23, 22, 21]
    with pytest.raises(Gone):
        history.read_back(dropped, 20, 10)


def test_the_state_is_told_from_the_last_dropped_event_on(stream: Stream, acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        before = {version: state.state_at(stream, version) for version in range(48)}
    keep(acme, DAYS)
    jobs.drop_expired_segments()
    with tenant_scope(acme.pk):
        assert list(Snapshot.objects.order_by("version").values_list("version", flat=True)) == [20, 30, 40]
        assert {version: state.state_at(stream, version) for version in range(20, 48)} == {
            version: before[version] for version in range(20, 48)
        }
        for version in (1, 10, 19):
            with pytest.raises(Gone):
                state.state_at(stream, version)
        assert state.state_at(stream, 0) == initial_state()


def test_a_reducer_that_has_changed_goes_on_from_what_its_predecessor_left(dropped: Stream) -> None:
    newest = state.state_at(dropped, 47)
    Snapshot.objects.update(reducer_version=REDUCER_VERSION - 1)
    assert state.state_at(dropped, 47) == newest
    assert state.take_snapshots(dropped) == 0  # those of 30 and 40 have just been taken
    assert Snapshot.objects.filter(reducer_version=REDUCER_VERSION).count() == 2


def test_without_the_snapshot_that_stands_for_it_the_state_is_gone_and_the_job_goes_on(dropped: Stream) -> None:
    Snapshot.objects.all().delete()
    with pytest.raises(Gone):
        state.state_at(dropped, 47)
    assert state.take_snapshots(dropped) == 0


def test_a_stream_that_is_erased_afterwards_has_states_without_what_it_said(dropped: Stream) -> None:
    counts = erasure.blank_stream(Stream.objects.select_for_update().get(pk=dropped.pk))
    assert counts == {
        "events": 7,
        "archived_events": 20,
        "segments": 2,
        "snapshots": 1,
        "ledger_entries": 9,
        "notes": 0,
        "links": 0,
        "hints": 0,
        "pieces": 0,
    }
    assert tables.holding("text ") == []
    assert state.state_at(dropped, 47)["version"] == 47


def test_an_event_is_found_by_its_id_or_it_is_told_that_it_is_gone(dropped: Stream) -> None:
    assert history.named("e30").version == 30
    with pytest.raises(Gone) as gone:
        history.named("e5")
    assert gone.value.first_version == 21
    with pytest.raises(NotFound):
        history.named("e99")


def test_the_timeline_shows_dropped_events_as_such(dropped: Stream) -> None:
    rows = timeline.window(dropped, 15, 25)
    assert [(row.version, row.is_dropped) for row in rows] == [(n, n <= 20) for n in range(15, 26)]
    assert [(row.family, row.is_error, row.summary) for row in rows[:4]] == [
        ("message", False, "(dropped)"),
        ("tool", False, "(dropped)"),
        ("tool", True, "(dropped)"),
        ("task", False, "(dropped)"),
    ]
    assert len(timeline.window(dropped, 1, 47)) == 47
    assert [row.is_dropped for row in timeline.window(dropped, 3, 6)] == [True] * 4
    families, errors = timeline.letters(dropped)
    assert (len(families), errors) == (47, list(range(2, 48, 5)))


def test_the_id_of_a_dropped_event_stays_taken(dropped: Stream) -> None:
    assert history.find(["e3", "e30"]).keys() == {"e30"}
    with pytest.raises(EventIdTaken, match="retention has dropped it"):
        store.append("run", story(3)[-1:])
    assert store.append("run", story(30)[-1:]).new == 0


def test_who_follows_all_streams_gets_what_is_left(dropped: Stream, acme: Tenant) -> None:
    settled = Event.objects.order_by("-transaction_id").first()
    assert settled is not None
    found = history.cold_in_order((0, 0), history.place(settled), 100)
    assert [event.version for event in found] == list(range(21, 41))
    assert len(read_all(Cursor(), 100)) in (0, 27)  # none while another database's transaction is open


def test_the_api_answers_410_with_the_first_version_that_is_there(dropped: Stream, acme_key: str) -> None:
    api = ApiClient(acme_key)
    for path in ("/streams/run/events", "/streams/run/events?from_version=20&limit=5", "/streams/run/state?version=19"):
        response = api.get(path)
        assert response.status_code == 410
        problem = response.json()
        assert (problem["type"], problem["first_version"]) == ("urn:aresweb:problem:gone", 21)
        assert datetime.fromisoformat(problem["dropped_at"]) - timedelta(minutes=5) < datetime.now().astimezone()
    page = api.get("/streams/run/events?direction=backward").json()
    assert [event["version"] for event in page["results"]] == list(range(47, 20, -1))
    assert api.get("/streams/run/state?version=20").status_code == 200


def test_an_export_is_refused_and_a_fixture_begins_behind_what_was_dropped(dropped: Stream, acme_key: str) -> None:
    api = ApiClient(acme_key)
    assert api.get("/streams/run/export").status_code == 410
    with pytest.raises(CommandError, match="before event 21 was dropped"):
        call_command("export_run", "run", "--tenant", "acme")
    assert api.get("/streams/run/fixture?version=19").status_code == 410
    made = api.get("/streams/run/fixture?version=20").json()
    assert (made["hash"], made["is_whole"]) == (history.hash_at(dropped, 20).hex(), False)
    assert [result["version"] for result in made["remaining"]] == [22, 27, 32, 37, 42, 47]
    assert [said["content"] for said in api.get("/streams/run/fixture").json()["messages"]] == [
        f"text {n}" for n in (25, 30, 35, 40, 45)
    ]


def test_an_agent_comes_back_to_what_is_left(dropped: Stream) -> None:
    """Also with a reducer that has changed, whose state cannot be made from the beginning."""
    Stream.objects.filter(pk=dropped.pk).update(agent_id="ops")
    expected = state.state_at(dropped, 47)
    Snapshot.objects.update(reducer_version=REDUCER_VERSION - 1)
    made = recovery.recover("ops")
    proof = recovery.proof(made)
    assert (made.missing, made.state) == ([], expected)
    assert (proof["snapshot_version"], proof["to_version"], proof["verified"]) == (20, 47, True)
    assert [said.content for said in made.conversation_history or []] == [f"text {n}" for n in (25, 30, 35, 40, 45)]


def test_without_the_snapshot_that_stands_for_it_a_recovery_says_what_is_missing(dropped: Stream) -> None:
    Stream.objects.filter(pk=dropped.pk).update(agent_id="ops")
    Snapshot.objects.all().delete()
    made = recovery.recover("ops")
    assert [missing.part for missing in made.missing] == ["operational"]
    assert "was dropped" in made.missing[0].reason
    assert made.conversation_history


def test_the_story_of_a_crash_is_told_without_the_states_that_are_dropped(dropped: Stream) -> None:
    store.append("run", [
        drafted("agent.crashed", error="out of memory"),
        drafted("agent.restored", proof={"to_version": 12}),
        drafted(),
    ])  # fmt: skip
    found = crash.story(Stream.objects.named("run"), datetime.now(UTC))
    assert found
    assert (found.told.version, found.restored_version, found.restored, found.sections) == (48, 12, None, [])
    assert found.before is not None
    Snapshot.objects.all().delete()
    found = crash.story(Stream.objects.named("run"), datetime.now(UTC))
    assert found
    assert found.before is None


def test_a_last_snapshot_that_cannot_be_taken_any_more_does_not_stop_the_job(dropped: Stream) -> None:
    Snapshot.objects.all().delete()
    assert state.take_last_snapshot(dropped) == 0


def test_a_stream_whose_state_cannot_be_told_stays_and_does_not_keep_the_others(stream: Stream, acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        archive(recorded(47, "whole", "w"), 7)
        Snapshot.objects.filter(stream=stream).delete()
    age(acme, DAYS + 1, 20, "whole")
    keep(acme, DAYS)
    tamper(acme, f"UPDATE memory_segment SET content = '\\x00' WHERE first_version = 11 AND stream_id = {stream.pk}")
    with pytest.raises(ExceptionGroup) as caught:
        jobs.drop_expired_segments()
    (damaged,) = caught.value.exceptions[0].exceptions
    assert isinstance(damaged, Damaged)
    with tenant_scope(acme.pk):
        gone = Segment.objects.dropped().order_by("first_version").values_list("stream__name", "first_version")
        assert list(gone) == [("whole", 1), ("whole", 11)]

"""Compaction loses nothing and doubles nothing: whoever reads, appends or erases meanwhile, and whatever interrupts it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from threading import Event as Signal
from typing import Any

import pytest
from django.db import connection
from psycopg import errors

from memory import jobs, sql
from memory.errors import Damaged
from memory.events import compaction, erasure, history, store
from memory.events.cursor import Cursor, read_all
from memory.models import ArchivedId, Event, Segment, Stream, Tenant
from memory.tenancy import tenant_scope
from tests import raw, tables
from tests.events.archiving import SIZE, recorded, small_segments, story
from tests.events.making import drafted
from tests.events.verifying import assert_verifies
from tests.threads import threads

pytestmark = pytest.mark.django_db(transaction=True)
PATIENCE = 30


@pytest.fixture(autouse=True)
def _small() -> Iterator[None]:
    with small_segments():
        yield


def record(tenant: Tenant, length: int, name: str = "run", prefix: str = "e") -> Stream:
    with tenant_scope(tenant.pk):
        return recorded(length, name, prefix)


def whole(tenant: Tenant, length: int) -> None:
    """The stream `run` is all there, once, wherever its events are."""
    with tenant_scope(tenant.pk):
        stream = Stream.objects.named("run")
        assert stream.version == length
        assert_verifies(stream)
        cold = sum(segment.last_version - segment.first_version + 1 for segment in Segment.objects.of_stream(stream))
        assert cold + Event.objects.in_stream(stream).count() == length
        assert ArchivedId.objects.count() == cold
        assert len(history.find([f"e{n}" for n in range(1, length + 1)])) == length


def test_a_stream_that_has_grown_keeps_its_newest_events_hot(acme: Tenant, globex: Tenant) -> None:
    for length, made in ((29, 0), (30, 1), (47, 2)):
        stream = record(acme, length)
        assert (compaction.compact(acme.pk, stream).segments) == made - (1 if length == 47 else 0)
        with tenant_scope(acme.pk):
            bounds = Segment.objects.of_stream(stream).values_list("first_version", "last_version")
            assert list(bounds) == [(1 + n * SIZE, SIZE + n * SIZE) for n in range(made)]
        whole(acme, length)
    record(globex, 60)
    assert (jobs.compact_streams(), jobs.compact_streams()) == (4, 0)


def test_with_a_number_to_keep_the_last_segment_may_be_short(acme: Tenant) -> None:
    moved = compaction.compact(acme.pk, record(acme, 33), keep=5)
    assert (moved.events, moved.segments) == (28, 3)
    assert moved.stored_bytes < moved.raw_bytes
    whole(acme, 33)


def test_a_damaged_event_stops_its_stream_and_no_other(acme: Tenant, globex: Tenant) -> None:
    for name in ("run", "other"):
        record(acme, 40, name, name)
    with raw.owner() as owner:
        raw.enter(owner, acme.pk)
        owner.execute("ALTER TABLE memory_event DISABLE TRIGGER event_append_only")
        owner.execute("UPDATE memory_event SET payload_json = '{\"forged\": 1}' WHERE event_id = 'run7'")
        owner.execute("ALTER TABLE memory_event ENABLE TRIGGER event_append_only")
        owner.commit()
    with pytest.raises(ExceptionGroup) as caught:
        jobs.compact_streams()
    (damaged,) = caught.value.exceptions[0].exceptions
    assert isinstance(damaged, Damaged)
    assert damaged.detail == "Event 7 of stream run does not match its digest."
    with tenant_scope(acme.pk):
        assert {segment.stream.name for segment in Segment.objects.all()} == {"other"}
        assert Event.objects.filter(stream__name="run").count() == 40


def test_a_missing_event_is_not_passed_over(acme: Tenant) -> None:
    stream = record(acme, 40)
    with raw.owner() as owner:
        raw.enter(owner, acme.pk)
        owner.execute("ALTER TABLE memory_event DISABLE TRIGGER event_append_only")
        owner.execute("DELETE FROM memory_event WHERE version = 3")
        owner.execute("ALTER TABLE memory_event ENABLE TRIGGER event_append_only")
        owner.commit()
    with pytest.raises(Damaged, match="Stream run has no event 3"):
        compaction.compact(acme.pk, stream)


@pytest.mark.parametrize("statement", ["hold_for_compaction", "hold_stream", "archive_events"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_an_error_between_any_two_statements_leaves_everything_as_it_was(
    acme: Tenant, monkeypatch: pytest.MonkeyPatch, statement: str, when: str
) -> None:
    stream = record(acme, 40)
    run = sql.run

    def failing(name: str, parameters: Any) -> Any:
        if name == statement and when == "before":
            raise ZeroDivisionError
        rows = run(name, parameters)
        if name == statement:
            raise ZeroDivisionError
        return rows

    before = tables.row_counts()
    monkeypatch.setattr(sql, "run", failing)
    with pytest.raises(ZeroDivisionError):
        compaction.compact(acme.pk, stream)
    monkeypatch.undo()
    with small_segments():
        assert tables.row_counts() == before
        whole(acme, 40)
        assert compaction.compact(acme.pk, stream).segments == 2
        whole(acme, 40)


def test_kill_9_at_any_moment_loses_and_doubles_nothing(acme: Tenant) -> None:
    record(acme, 1000)
    script = (
        "import os, django; django.setup()\n"
        "from django.conf import settings\n"
        f"settings.DATABASES['default']['NAME'] = {connection.settings_dict['NAME']!r}\n"
        "settings.ARES |= {'ARES_SEGMENT_EVENTS': 10}\n"
        "from memory.events import compaction\n"
        "from memory.models import Stream\n"
        "from memory.tenancy import tenant_scope\n"
        f"with tenant_scope({acme.pk}): stream = Stream.objects.named('run')\n"
        "print('ready', flush=True)\n"
        f"compaction.compact({acme.pk}, stream, keep=20)\n"
    )
    for pause in (0.02, 0.1, 0.25):
        process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, env=dict(os.environ))
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        time.sleep(pause)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        whole(acme, 1000)
    with tenant_scope(acme.pk):
        assert 0 < Segment.objects.count() < 98  # killed on the way
    compaction.compact(acme.pk, stream_of(acme), keep=20)
    whole(acme, 1000)


def stream_of(tenant: Tenant, name: str = "run") -> Stream:
    with tenant_scope(tenant.pk):
        return Stream.objects.named(name)


def test_two_that_compact_at_once_take_turns(acme: Tenant) -> None:
    record(acme, 300)
    with threads() as several:
        works = [several.start(lambda: compaction.compact(acme.pk, stream_of(acme), keep=0)) for _ in range(3)]
        assert sum(work.result(PATIENCE).events for work in works) == 300
    whole(acme, 300)


def test_readers_miss_nothing_and_see_nothing_twice_while_events_are_moved(acme: Tenant) -> None:
    record(acme, 600)
    done = Signal()
    expected = list(range(1, 601))

    def read() -> int:
        times = 0
        while not done.is_set():
            with tenant_scope(acme.pk):
                stream = Stream.objects.named("run")
                assert [event.version for event in history.read(stream, 1, 600)] == expected
                assert len(history.letters(stream)) == 600
                assert history.find(["e1", "e300", "e600"]).keys() == {"e1", "e300", "e600"}
            times += 1
        return times

    with threads() as several:
        readers = [several.start(read) for _ in range(2)]
        try:
            compaction.compact(acme.pk, stream_of(acme), keep=10)
        finally:
            done.set()
        assert all(reader.result(PATIENCE) for reader in readers)
    whole(acme, 600)


def test_events_that_are_moved_between_the_two_reads_show_once(acme: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worst moment: the table has been read, the segments not yet."""
    record(acme, 40)
    cold = history._cold

    def late(stream: Stream, first: int, last: int) -> list[Event]:
        with threads() as several:
            several.start(lambda: compaction.compact(acme.pk, stream_of(acme), keep=5)).result(PATIENCE)
        return cold(stream, first, last)

    compaction.compact(acme.pk, stream_of(acme), keep=25)
    monkeypatch.setattr(history, "_cold", late)
    with tenant_scope(acme.pk):
        stream = Stream.objects.named("run")
        assert [event.version for event in history.read(stream, 1, 40)] == list(range(1, 41))
        assert Event.objects.count() == 5


class Follower:
    """Reads all streams from the beginning, a few events at a time."""

    def __init__(self, tenant: Tenant) -> None:
        self.tenant, self.place = tenant, Cursor()
        self.seen: list[tuple[str, int]] = []
        self.places: list[tuple[int, int]] = []

    def read(self, until: int, limit: int = 7) -> None:
        """Go on until so many events are seen. Other databases' transactions hold readers up, so it takes patience."""
        deadline = time.monotonic() + PATIENCE
        while len(self.seen) < until and time.monotonic() < deadline:
            with tenant_scope(self.tenant.pk):
                page = read_all(self.place, limit)
            if page:
                self.place = Cursor.behind(page[-1])
                self.seen += [(event.stream.name, event.version) for event in page]
                self.places += [history.place(event) for event in page]


def test_the_order_of_all_streams_is_the_same_across_hot_and_cold(acme: Tenant) -> None:
    for n in range(30):
        with tenant_scope(acme.pk):
            store.append("run", story(60)[n * 2 : n * 2 + 2])
            store.append("other", story(30, "o")[n : n + 1])
    before = Follower(acme)
    before.read(90)
    assert len(before.seen) == 90
    for name, keep in (("run", 20), ("other", 0), ("run", 3)):
        compaction.compact(acme.pk, stream_of(acme, name), keep)
        for limit in (1, 7, 90, 200):
            after = Follower(acme)
            after.read(90, limit)
            assert (after.seen, after.places) == (before.seen, before.places)


def test_who_follows_all_streams_misses_nothing_while_events_are_written_and_moved(acme: Tenant) -> None:
    def write(name: str) -> None:
        for n in range(20):
            with tenant_scope(acme.pk):
                store.append(name, [drafted(event_id=f"{name}-{n}-{m}") for m in range(5)])
            if n % 3 == 2:
                compaction.compact(acme.pk, stream_of(acme, name), keep=1)

    follower = Follower(acme)
    with threads() as several:
        writers = [several.start(lambda name=name: write(name)) for name in ("a", "b", "c")]
        follower.read(300)
        for writer in writers:
            writer.result(PATIENCE)
    assert sorted(follower.seen) == [(name, version) for name in "abc" for version in range(1, 101)]
    assert follower.places == sorted(follower.places)


def test_appending_goes_on_while_events_are_moved(acme: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = record(acme, 40)
    with threads() as several, tenant_scope(acme.pk):
        compaction.move_oldest(stream)

        def append() -> int:
            with tenant_scope(acme.pk):
                return store.append("run", [drafted()]).version

        assert several.start(append).result(PATIENCE) == 41
    with tenant_scope(acme.pk):
        assert_verifies(Stream.objects.named("run"))


def test_content_that_is_erased_meanwhile_does_not_survive_in_a_segment(acme: Tenant) -> None:
    stream = record(acme, 40)
    archiving, may_commit = Signal(), Signal()

    def archive() -> None:
        with tenant_scope(acme.pk):
            compaction.move_oldest(stream_of(acme))
            archiving.set()
            assert may_commit.wait(PATIENCE)

    def erase() -> None:
        with tenant_scope(acme.pk):
            erasure.blank_stream(Stream.objects.select_for_update().get(pk=stream.pk))

    with threads() as several:
        slow = several.start(archive)
        assert archiving.wait(PATIENCE)
        erasing = several.start(erase)
        time.sleep(0.3)  # time enough to erase, if nothing holds it up
        may_commit.set()
        slow.result(PATIENCE)
        erasing.result(PATIENCE)
    with tenant_scope(acme.pk):
        assert {event.payload_json for event in history.read(stream, 1, 40)} == {"{}"}
        assert_verifies(stream)


def test_erasing_blanks_segments_and_the_chain_still_verifies(acme: Tenant) -> None:
    stream = record(acme, 47)
    compaction.compact(acme.pk, stream)
    with tenant_scope(acme.pk):
        again = Stream.objects.select_for_update().get(pk=stream.pk)
        counts = erasure.blank_stream(again)
        assert counts == {
            "events": 27,
            "archived_events": 20,
            "segments": 2,
            "snapshots": 0,
            "ledger_entries": 9,
            "notes": 0,
        }
        assert erasure.blank_stream(again) == {
            "events": 0,
            "archived_events": 0,
            "segments": 0,
            "snapshots": 0,
            "ledger_entries": 0,
            "notes": 0,
        }
        assert all(event.erased_at for event in history.read(stream, 1, 47))
    whole(acme, 47)


def test_the_applications_role_may_move_erase_and_drop_by_the_functions_alone(acme: Tenant, globex: Tenant) -> None:
    stream = record(acme, 40)
    compaction.compact(acme.pk, stream)
    with raw.application() as application:
        raw.enter(application, acme.pk)
        for guise in ("", "on"):
            for statement in (
                "DELETE FROM memory_event",
                "UPDATE memory_segment SET content = ''",
                "UPDATE memory_segment SET hashes = ''",
                "DELETE FROM memory_segment",
                "TRUNCATE memory_segment CASCADE",
                "INSERT INTO memory_segment SELECT * FROM memory_segment",
                "DELETE FROM memory_archivedid",
                "INSERT INTO memory_archivedid SELECT * FROM memory_archivedid",
            ):
                application.execute("SELECT set_config('aresweb.archiving', %s, true)", [guise])
                with pytest.raises(errors.InsufficientPrivilege, match="permission denied"), application.transaction():
                    application.execute(statement)
        move = "SELECT aresweb_archive_events(%s, %s, %s, 'x', 1, %s)"
        for first, last, letters in ((1, 10, 10), (22, 30, 9), (21, 41, 21), (21, 30, 9), (11, 20, 10), (31, 20, 0)):
            with pytest.raises(errors.IntegrityConstraintViolation), application.transaction():
                application.execute(move, [stream.pk, first, last, "m" * letters])
        raw.enter(application, globex.pk)
        with pytest.raises(errors.IntegrityConstraintViolation), application.transaction():
            application.execute(move, [stream.pk, 21, 30, "m" * 10])
        segment = compaction_segment(acme)
        assert application.execute("SELECT aresweb_erase_segment(%s, 'x', 1)", [segment]).fetchone() == (False,)
        assert application.execute("SELECT aresweb_drop_segment(%s)", [segment]).fetchone() == (False,)
        raw.enter(application, acme.pk)
        assert application.execute("SELECT aresweb_drop_segment(%s)", [segment]).fetchone() == (False,)  # for ever
        for name in ("archive_events(bigint, bigint, bigint, bytea, bigint, text)", "drop_segment(bigint)",
                     "erase_segment(bigint, bytea, bigint)"):  # fmt: skip
            everybody = f"SELECT has_function_privilege('public', 'aresweb_{name}', 'execute')"
            assert application.execute(everybody).fetchone() == (False,)
    whole(acme, 40)


def compaction_segment(tenant: Tenant) -> int:
    with tenant_scope(tenant.pk):
        return Segment.objects.earliest("first_version").pk

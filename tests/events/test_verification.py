"""Whatever is changed behind the application's back is found, with its stream and version."""

import time
from collections.abc import Iterator
from threading import Event as Signal
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test import override_settings

from memory.deadline import Deadline
from memory.events import erasure, record, state, store, verification
from memory.events.chain import link
from memory.events.cursor import Cursor, read_all
from memory.events.draft import content_digest
from memory.events.rebuild import rebuild
from memory.events.reducer import REDUCER_VERSION
from memory.events.walk import MOST_FINDINGS, Fault, Walk
from memory.models import Event, Finding, Snapshot, Stream, Tenant, Verification
from memory.tenancy import tenant_scope
from tests.events.making import drafted
from tests.events.tampering import tamper, tampering
from tests.horizon import wait_for_the_feed
from tests.threads import threads

pytestmark = pytest.mark.django_db(transaction=True)

LENGTH = 30
RUN = "stream_id = (SELECT id FROM memory_stream WHERE name = 'run')"
PATIENCE = 10


@pytest.fixture(autouse=True)
def _recorded(acme: Tenant) -> Iterator[None]:
    """Two streams of Acme, with snapshots after every tenth event."""
    with override_settings(ARES={**settings.ARES, "ARES_SNAPSHOT_EVERY": 10}):
        with tenant_scope(acme.pk):
            for name in ("run", "other"):
                for n in range(LENGTH):
                    store.append(name, [drafted("message.added", event_id=f"{name}-{n + 1}", content=f"secret {n}")])
                assert state.take_snapshots(Stream.objects.named(name)) == 3
        yield


def verified(tenant: Tenant, name: str = "run") -> list[tuple[int, str]]:
    """The findings of verifying a stream now, which are also what is kept."""
    with tenant_scope(tenant.pk):
        result = verification.verify(Stream.objects.named(name))
        findings = Finding.objects.in_stream(result.stream)
        assert all(finding.stream.name == name for finding in findings)
        assert result.faults == len(findings)
        return [(finding.version, finding.fault) for finding in findings]


def test_what_was_recorded_is_in_order_and_the_verification_is_kept(acme: Tenant) -> None:
    assert verified(acme) == []
    with tenant_scope(acme.pk):
        stream = Stream.objects.named("run")
        kept = Verification.objects.of(stream)
        assert kept is not None
        assert (kept.version, kept.faults, kept.clean_version, bytes(kept.clean_hash)) == (
            LENGTH, 0, LENGTH, bytes(stream.last_hash),
        )  # fmt: skip
        assert Verification.objects.of(Stream.objects.named("other")) is None


SET = f"UPDATE memory_event SET {{}} WHERE version = 13 AND {RUN}"
TAMPERED: dict[str, tuple[list[str], list[tuple[int, str]]]] = {
    "an altered payload": ([SET.format("""payload_json = '{"content":"forged"}'""")], [(13, Fault.CONTENT)]),
    "altered metadata": ([SET.format("""metadata_json = '{"a":1}'""")], [(13, Fault.CONTENT)]),
    "a hidden error": ([SET.format("is_error = true")], [(13, Fault.CONTENT)]),
    "content that is said to be erased": ([SET.format("erased_at = now()")], [(13, Fault.CONTENT)]),
    "content that was blanked as if it were erased": (
        [SET.format("payload_json = '{}', metadata_json = '{}', erased_at = now()")],
        [(13, Fault.CONTENT)],
    ),
    "an altered type": ([SET.format("type = 'tool.call'")], [(13, Fault.CHAIN)]),
    "an altered id": ([SET.format("event_id = 'another'")], [(13, Fault.CHAIN)]),
    "an altered time": ([SET.format("occurred_at = occurred_at - interval '1 second'")], [(13, Fault.CHAIN)]),
    "another time of recording": ([SET.format("recorded_at = 'infinity'")], [(13, Fault.CHAIN)]),
    "a time before all times": ([SET.format("occurred_at = '-infinity'")], [(13, Fault.CHAIN)]),
    "an altered cause": ([SET.format("causation_id = 'run-1'")], [(13, Fault.CHAIN)]),
    "an altered correlation": ([SET.format("correlation_id = 'x'")], [(13, Fault.CHAIN)]),
    "an altered hash": ([SET.format("hash = '\\x00'")], [(13, Fault.CHAIN)]),
    "a deleted event": ([f"DELETE FROM memory_event WHERE version = 13 AND {RUN}"], [(13, Fault.MISSING)]),
    "a deleted event with a snapshot": (
        [f"DELETE FROM memory_event WHERE version = 20 AND {RUN}"],
        [(20, Fault.MISSING)],
    ),
    "a swapped pair": (
        [
            f"UPDATE memory_event SET version = {old} WHERE version = {new} AND {RUN}"
            for old, new in ((99, 13), (13, 14), (14, 99))
        ],
        [(13, Fault.CHAIN), (14, Fault.CHAIN)],
    ),
    "a truncated tail": ([f"DELETE FROM memory_event WHERE version > 27 AND {RUN}"], [(28, Fault.END)]),
    "no events at all": ([f"DELETE FROM memory_event WHERE {RUN}"], [(1, Fault.END)]),
    "a truncated tail whose head was set back": (
        [
            f"DELETE FROM memory_event WHERE version > 27 AND {RUN}",
            "UPDATE memory_stream AS s SET version = 27, last_hash = e.hash FROM memory_event AS e WHERE s.name = 'run' AND e.event_id = 'run-27'",
        ],
        [(28, Fault.END)],
    ),
    "a head that was set back": (["UPDATE memory_stream SET version = 27 WHERE name = 'run'"], [(28, Fault.END)]),
    "another hash of the head": (
        ["UPDATE memory_stream SET last_hash = '\\x00' WHERE name = 'run'"],
        [(30, Fault.END)],
    ),
    "a forged snapshot": (
        [
            f"""UPDATE memory_snapshot SET state = jsonb_set(state, '{{open_tasks}}', '[1]') WHERE version = 20 AND {RUN}"""
        ],
        [(20, Fault.SNAPSHOT)],
    ),
    "another hash of a snapshot": (
        [f"UPDATE memory_snapshot SET stream_hash = '\\x00' WHERE version = 20 AND {RUN}"],
        [(20, Fault.SNAPSHOT)],
    ),
    "several things": (
        [
            SET.format("payload_json = '{}'"),
            f"DELETE FROM memory_event WHERE version = 17 AND {RUN}",
            f"UPDATE memory_event SET type = 'a.b' WHERE version = 25 AND {RUN}",
        ],
        [(13, Fault.CONTENT), (17, Fault.MISSING), (25, Fault.CHAIN)],
    ),
}


@pytest.mark.parametrize("what", TAMPERED)
def test_tampering_is_found_with_its_stream_and_version(acme: Tenant, what: str) -> None:
    statements, expected = TAMPERED[what]
    tamper(acme, *statements)
    assert verified(acme) == expected
    assert verified(acme, "other") == []


def test_an_event_that_was_put_in_with_fitting_hashes_is_found(acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        last = Event.objects.get(event_id="run-30")
        forged = link(
            bytes(last.hash),
            content_digest("{}", "{}"),
            31,
            "run-31",
            "a.b",
            last.occurred_at,
            last.recorded_at,
            "",
            "",
        )
    with tampering(acme) as owner:
        owner.execute(
            "INSERT INTO memory_event (tenant_id, stream_id, version, event_id, type, payload_json, metadata_json, occurred_at,"
            " recorded_at, causation_id, correlation_id, is_error, digest, hash) SELECT tenant_id, stream_id, 31, 'run-31',"
            " 'a.b', '{}', '{}', occurred_at, recorded_at, '', '', false, %s, %s FROM memory_event WHERE event_id = 'run-30'",
            [content_digest("{}", "{}"), forged],
        )
    assert verified(acme) == [(31, Fault.END)]


def rewrite(tenant: Tenant) -> None:
    """Write a stream's history anew from event 5 on, with every hash as it should be, and no snapshots."""
    with tenant_scope(tenant.pk):
        events = list(Event.objects.in_stream(Stream.objects.named("run")))
    previous = bytes(events[3].hash)
    with tampering(tenant) as owner:
        owner.execute(f"DELETE FROM memory_snapshot WHERE {RUN}")
        for event in events[4:]:
            payload = "{}" if event.version == 5 else event.payload_json
            digest = content_digest(payload, "{}")
            previous = link(
                previous,
                digest,
                event.version,
                event.event_id,
                event.type,
                event.occurred_at,
                event.recorded_at,
                "",
                "",
            )
            owner.execute(
                f"UPDATE memory_event SET payload_json = %s, digest = %s, hash = %s WHERE version = %s AND {RUN}",
                [payload, digest, previous, event.version],
            )
        owner.execute("UPDATE memory_stream SET last_hash = %s WHERE name = 'run'", [previous])


def test_a_history_that_was_written_anew_is_told_by_what_was_verified_before_and_goes_on_being_told(
    acme: Tenant,
) -> None:
    assert verified(acme) == []
    rewrite(acme)
    assert verified(acme) == verified(acme) == [(LENGTH, Fault.REWRITTEN)]
    with tenant_scope(acme.pk):
        store.append("run", [drafted()])
    assert verified(acme) == [(LENGTH, Fault.REWRITTEN)]


def test_findings_are_replaced_and_keep_the_time_at_which_they_were_found_first(acme: Tenant) -> None:
    tamper(acme, SET.format("type = 'a.b'"))
    assert verified(acme) == [(13, Fault.CHAIN)]
    with tenant_scope(acme.pk):
        first = Finding.objects.get().found_at
    tamper(acme, f"UPDATE memory_event SET type = 'a.b' WHERE version = 20 AND {RUN}")
    assert verified(acme) == [(13, Fault.CHAIN), (20, Fault.CHAIN)]
    with tenant_scope(acme.pk):
        assert [found.found_at > first for found in Finding.objects.order_by("version")] == [False, True]
    tamper(acme, f"UPDATE memory_event SET type = 'message.added' WHERE {RUN}")
    assert verified(acme) == []
    with tenant_scope(acme.pk):
        assert not Finding.objects.exists()


def test_many_faults_are_counted_and_the_first_ones_kept(acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        store.append("long", [drafted() for _ in range(3 * MOST_FINDINGS)])
    tamper(acme, """UPDATE memory_event SET payload_json = '{"n":1}' WHERE event_id LIKE 'evt_%'""")
    with tenant_scope(acme.pk):
        result = verification.verify(Stream.objects.named("long"))
        assert result.faults == 3 * MOST_FINDINGS
        assert Finding.objects.count() == MOST_FINDINGS


def test_no_finding_repeats_what_an_event_says(acme: Tenant) -> None:
    for statements, _ in TAMPERED.values():
        tamper(acme, *statements) if "secret" in str(statements) else None
    tamper(acme, SET.format("""payload_json = '{"content":"secret 99"}'"""))
    verified(acme)
    with tenant_scope(acme.pk):
        assert "secret" not in str(list(Finding.objects.values()))


def test_snapshots_of_another_reducer_are_held_to_their_hash_alone(acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        Snapshot.objects.update(reducer_version=REDUCER_VERSION + 1, state={"another": "shape"})
    assert verified(acme) == []
    tamper(acme, f"UPDATE memory_snapshot SET stream_hash = '\\x00' WHERE version = 10 AND {RUN}")
    assert verified(acme) == [(10, Fault.SNAPSHOT)]


def test_a_snapshot_that_was_found_forged_is_used_for_nothing(acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        stream = Stream.objects.named("run")
        honest = state.state_at(stream, 25)
    tamper(acme, *TAMPERED["a forged snapshot"][0])
    assert verified(acme) == [(20, Fault.SNAPSHOT)]
    with tenant_scope(acme.pk):
        assert state.state_at(stream, 25) == honest
        assert state.state_at(stream, LENGTH)["counters"]["events"] == LENGTH
        Snapshot.objects.filter(version=LENGTH).delete()
        rebuilt = rebuild(stream, Deadline(PATIENCE))
    assert (rebuilt.snapshot_version, rebuilt.state["open_tasks"], rebuilt.broken_at) == (10, [], None)


def test_an_erased_stream_is_in_order(acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        stream = Stream.objects.named("run")
        erasure.blank_stream(stream)
        state.take_snapshots(stream)
    assert verified(acme) == []


def test_a_stream_of_any_size_is_read_in_parts(acme: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    with tenant_scope(acme.pk):
        huge = [drafted(text="".join(map(str, range(n, n + 20_000)))) for n in range(12)]
        store.append("huge", huge)
        stream = Stream.objects.named("huge")
        monkeypatch.setattr(record, "MOST_BYTES", 100_000)
        parts = [len(part.rows) for part in record.parts(stream, stream.version)]
        assert sum(parts) == 12
        assert max(parts) < 6
        monkeypatch.setattr(record, "MOST_BYTES", 1)
        assert [len(part.rows) for part in record.parts(stream, stream.version)] == [1] * 12
    assert verified(acme, "huge") == []


@pytest.fixture
def slowly(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Signal, Signal]]:
    """The walk waits behind its first part: the first signal is set when it does, the second one lets it go on."""
    waiting, may_go_on = Signal(), Signal()
    follow = Walk.follow

    def slow(self: Walk, rows: Any, claims: Any) -> None:
        follow(self, rows, claims)
        waiting.set()
        assert may_go_on.wait(PATIENCE)

    monkeypatch.setattr(Walk, "follow", slow)
    monkeypatch.setattr(record, "MOST_ROWS", 7)
    yield waiting, may_go_on
    may_go_on.set()


def test_what_is_appended_meanwhile_is_no_fault_and_left_for_the_next_time(
    acme: Tenant, slowly: tuple[Signal, Signal]
) -> None:
    waiting, may_go_on = slowly
    with threads() as several:
        verifying = several.start(lambda: verified(acme))
        assert waiting.wait(PATIENCE)
        with tenant_scope(acme.pk):
            store.append("run", [drafted() for _ in range(15)])
            state.take_snapshots(Stream.objects.named("run"))
        may_go_on.set()
        assert verifying.result() == []
    with tenant_scope(acme.pk):
        assert Verification.objects.get().version == LENGTH
    assert verified(acme) == []


def test_content_that_is_erased_meanwhile_is_no_fault(acme: Tenant, slowly: tuple[Signal, Signal]) -> None:
    waiting, may_go_on = slowly
    with threads() as several:
        verifying = several.start(lambda: verified(acme))
        assert waiting.wait(PATIENCE)
        with tenant_scope(acme.pk):
            stream = Stream.objects.select_for_update().get(name="run")
            erasure.blank_stream(stream)
            state.take_snapshots(stream)
        may_go_on.set()
        assert verifying.result() == []


def test_whoever_follows_all_events_does_not_wait_for_a_verification(
    acme: Tenant, slowly: tuple[Signal, Signal]
) -> None:
    waiting, may_go_on = slowly
    with threads() as several:
        verifying = several.start(lambda: verified(acme))
        assert waiting.wait(PATIENCE)
        with tenant_scope(acme.pk):
            store.append("other", [drafted(event_id="new")])
        wait_for_the_feed(acme, PATIENCE / 2)
        with tenant_scope(acme.pk):
            assert read_all(Cursor(), 1000)[-1].event_id == "new"
        may_go_on.set()
        assert verifying.result() == []


def test_two_who_verify_at_the_same_time_leave_one_result(acme: Tenant) -> None:
    tamper(acme, SET.format("type = 'a.b'"))

    def verify() -> None:
        for _ in range(5):
            with tenant_scope(acme.pk):
                verification.verify(Stream.objects.named("run"))
            time.sleep(0.001)

    with threads() as several:
        for work in [several.start(verify) for _ in range(4)]:
            work.result()
    with tenant_scope(acme.pk):
        assert (Verification.objects.count(), Finding.objects.count()) == (1, 1)


def test_verifying_writes_nothing_into_the_record(acme: Tenant) -> None:
    def everything() -> list[Any]:
        with tenant_scope(acme.pk), connection.cursor() as cursor:
            cursor.execute("SELECT memory_event::text, xmin::text FROM memory_event ORDER BY position")
            events = cursor.fetchall()
            cursor.execute("SELECT memory_stream::text, xmin::text FROM memory_stream ORDER BY id")
            return events + cursor.fetchall()

    before = everything()
    verified(acme)
    assert everything() == before

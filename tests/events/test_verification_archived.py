"""Archived events are verified as well: what somebody changes in a segment is found, with its stream and version."""

from collections.abc import Callable, Iterator
from threading import Event as Signal
from typing import Any

import pytest
import zstandard

from memory import recovery
from memory.events import compaction, history, record, segments, state, store, verification
from memory.events.walk import Fault, Walk
from memory.models import Event, Finding, Segment, Snapshot, Stream, Tenant, Verification
from memory.tenancy import tenant_scope
from tests import raw
from tests.events.archiving import archive, recorded, small_segments, story
from tests.events.tampering import tampering
from tests.events.test_retention import DAYS, age, keep
from tests.threads import threads

pytestmark = pytest.mark.django_db(transaction=True)
LENGTH = 47
PATIENCE = 20


@pytest.fixture(autouse=True)
def _small() -> Iterator[None]:
    with small_segments():
        yield


@pytest.fixture
def stream(acme: Tenant) -> Stream:
    """A run of which 40 events are archived, four segments of ten, with snapshots after every tenth."""
    with tenant_scope(acme.pk):
        made = recorded(LENGTH)
        assert state.take_snapshots(made) == 4
        assert archive(made, 7) == 4
    return made


def verified(tenant: Tenant) -> list[tuple[int, str]]:
    with tenant_scope(tenant.pk):
        result = verification.verify(Stream.objects.named("run"))
        findings = Finding.objects.in_stream(result.stream)
        assert all(finding.stream.name == "run" for finding in findings)
        return [(finding.version, finding.fault) for finding in findings]


def tamper(tenant: Tenant, statement: str, *values: Any) -> None:
    with tampering(tenant) as owner:
        assert owner.execute(statement, values).rowcount > 0


def forge(tenant: Tenant, change: Callable[[list[bytes]], list[bytes]]) -> None:
    """Put other lines into the second segment, compressed as they should be."""
    with tenant_scope(tenant.pk):
        segment = Segment.objects.get(first_version=11)
        lines = change(segments._lines(segment))
    text = b"\n".join(lines)
    tamper(
        tenant,
        "UPDATE memory_segment SET content = %s, raw_bytes = %s WHERE first_version = 11",
        zstandard.ZstdCompressor().compress(text),
        len(text),
    )


def test_archived_events_are_in_order(stream: Stream, acme: Tenant) -> None:
    assert verified(acme) == []
    with tenant_scope(acme.pk):
        kept = Verification.objects.of(stream)
        assert kept
        assert (kept.version, kept.clean_version, bytes(kept.clean_hash)) == (LENGTH, LENGTH, bytes(stream.last_hash))


FORGED: dict[str, tuple[Callable[[list[bytes]], list[bytes]], list[tuple[int, str]]]] = {
    "an altered payload": (lambda lines: [line.replace(b"text 13", b"text 99") for line in lines], [(13, Fault.CHAIN)]),
    "another id": (lambda lines: [line.replace(b'"e13"', b'"x13"') for line in lines], [(13, Fault.CHAIN)]),
    "a hidden error": (lambda lines: [line.replace(b"true", b"false") for line in lines],
                       [(11, Fault.SEGMENT), (12, Fault.CONTENT), (17, Fault.CONTENT)]),
    "another type": (lambda lines: [line.replace(b"task.created", b"task.failed.") for line in lines],
                     [(11, Fault.SEGMENT), (13, Fault.CHAIN), (18, Fault.CHAIN)]),
    "a swapped pair": (lambda lines: [lines[1], lines[0], *lines[2:]], [(11, Fault.SEGMENT)]),
    "a missing line": (lambda lines: lines[:-1], [(11, Fault.SEGMENT)]),
    "no JSON": (lambda lines: [b"[1,2", *lines[1:]], [(11, Fault.SEGMENT)]),
    "a line of something else": (lambda lines: [b'{"a":1}', *lines[1:]], [(11, Fault.SEGMENT)]),
    "numbers for texts": (lambda lines: [line.replace(b'"tool.call"', b"7") for line in lines], [(11, Fault.SEGMENT)]),
}  # fmt: skip


@pytest.mark.parametrize("what", FORGED)
def test_other_content_in_a_segment_is_found(stream: Stream, acme: Tenant, what: str) -> None:
    change, expected = FORGED[what]
    forge(acme, change)
    assert verified(acme) == expected


ALTERED: dict[str, tuple[str, list[tuple[int, str]]]] = {
    "altered bytes": ("content = set_byte(content, 40, get_byte(content, 40) # 255)", []),
    "no content": ("content = ''", [(11, Fault.SEGMENT)]),
    "a huge size": ("raw_bytes = 1000000000000", [(11, Fault.SEGMENT)]),
    "a hash": ("hashes = set_byte(hashes, 70, get_byte(hashes, 70) # 1)", [(13, Fault.CHAIN)]),
    "the last hash": ("hashes = set_byte(hashes, 319, get_byte(hashes, 319) # 1)",
                      [(20, Fault.CHAIN), (20, Fault.SNAPSHOT)]),
    "hashes cut off": ("hashes = substring(hashes FROM 1 FOR 300)", [(11, Fault.SEGMENT), (20, Fault.SNAPSHOT)]),
    "the counts by type": ("type_counts = '{}'", [(11, Fault.SEGMENT)]),
    "the strip": ("letters = repeat('m', 10)", [(11, Fault.SEGMENT)]),
}  # fmt: skip


@pytest.mark.parametrize("what", ALTERED)
def test_an_altered_segment_is_found(stream: Stream, acme: Tenant, what: str) -> None:
    change, expected = ALTERED[what]
    tamper(acme, f"UPDATE memory_segment SET {change} WHERE first_version = 11")
    found = verified(acme)
    if expected:
        assert found == expected
    else:  # whether the bytes still decompress, or to what, is not ours to say
        assert found
        assert all(11 <= version <= 20 for version, _ in found)


def test_a_segment_that_is_gone_is_named_with_its_events(stream: Stream, acme: Tenant) -> None:
    with tampering(acme) as owner:
        owner.execute("DELETE FROM memory_archivedid")
        owner.execute("DELETE FROM memory_segment WHERE first_version IN (1, 21)")
    assert verified(acme) == [(1, Fault.MISSING), (21, Fault.MISSING)]


def test_an_event_that_is_archived_and_in_the_table_as_well_is_found(stream: Stream, acme: Tenant) -> None:
    """Readers would take the one in the table."""
    tamper(
        acme,
        "INSERT INTO memory_event (tenant_id, stream_id, version, event_id, type, payload_json, metadata_json, occurred_at, "
        "recorded_at, causation_id, correlation_id, is_error, digest, hash) "
        "SELECT tenant_id, stream_id, 13, 'forged', type, '{\"a\":1}', metadata_json, occurred_at, "
        "recorded_at, causation_id, correlation_id, is_error, digest, hash "
        "FROM memory_event WHERE version = 45",
    )
    assert verified(acme) == [(13, Fault.DOUBLED)]


def test_events_that_two_segments_hold_are_found(stream: Stream, acme: Tenant) -> None:
    tamper(acme, "UPDATE memory_segment SET first_version = 15 WHERE first_version = 21")
    assert (15, Fault.DOUBLED) in verified(acme)


def test_what_a_tampered_segment_says_gives_no_answer_but_an_error(stream: Stream, acme: Tenant) -> None:
    """And a recovery says that the state is missing, and why."""
    tamper(acme, "UPDATE memory_segment SET content = 'x' WHERE first_version = 31")
    with tenant_scope(acme.pk):
        Snapshot.objects.all().delete()
        Stream.objects.filter(pk=stream.pk).update(agent_id="ops")
        made = recovery.recover("ops")
        assert [missing.part for missing in made.missing] == ["operational", "cognitive"]
        assert made.state is None
        assert "Segment" in made.missing[0].reason


def drop(tenant: Tenant) -> None:
    """Let retention drop the first two segments."""
    age(tenant, DAYS + 1, 20)
    keep(tenant, DAYS)
    from memory import jobs

    assert jobs.drop_expired_segments() == 2


def test_what_retention_has_dropped_is_passed_over(stream: Stream, acme: Tenant) -> None:
    drop(acme)
    assert verified(acme) == []
    assert verified(acme) == []  # also with the anchor of the first time


def test_an_anchor_within_what_was_dropped_still_holds(stream: Stream, acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        hashed = history.hash_at(stream, 15)
        Verification.objects.create(
            tenant=acme, stream=stream, verified_at=stream.last_event_at, version=15, faults=0, clean_version=15,
            clean_hash=hashed,
        )  # fmt: skip
    drop(acme)
    tamper(acme, "UPDATE memory_segment SET hashes = set_byte(hashes, 140, 1) WHERE first_version = 11")
    assert verified(acme) == [(15, Fault.REWRITTEN)]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("previous_hash = hashes", [(11, Fault.CHAIN)]),
        ("hashes = set_byte(hashes, 319, get_byte(hashes, 319) # 1)", [(20, Fault.SNAPSHOT), (21, Fault.CHAIN)]),
    ],
)
def test_what_is_left_of_dropped_events_has_to_follow(
    stream: Stream, acme: Tenant, change: str, expected: list[tuple[int, str]]
) -> None:
    drop(acme)
    tamper(acme, f"UPDATE memory_segment SET {change} WHERE first_version = 11")
    assert verified(acme) == expected


def test_behind_what_was_dropped_everything_is_verified_as_before(stream: Stream, acme: Tenant) -> None:
    drop(acme)
    tamper(
        acme,
        """UPDATE memory_snapshot SET state = jsonb_set(state, '{open_tasks}', '[1]') WHERE version = 40""",
    )
    tamper(acme, """UPDATE memory_event SET payload_json = '{"content":"forged"}' WHERE version = 44""")
    assert verified(acme) == [(40, Fault.SNAPSHOT), (44, Fault.CONTENT)]


@pytest.mark.parametrize("keep", [0, 7, 30])
def test_events_that_are_moved_while_they_are_verified_are_no_fault(
    acme: Tenant, monkeypatch: pytest.MonkeyPatch, keep: int
) -> None:
    """The walk waits behind its first part, of events in their table, while those and others become segments."""
    with tenant_scope(acme.pk):
        recorded(LENGTH)
    waiting, may_go_on = Signal(), Signal()
    follow = Walk.follow
    walks = 0

    def slow(self: Walk, rows: Any, claims: Any) -> None:
        nonlocal walks
        walks += self.version == 0
        follow(self, rows, claims)
        waiting.set()
        assert may_go_on.wait(PATIENCE)

    monkeypatch.setattr(Walk, "follow", slow)
    monkeypatch.setattr(record, "MOST_ROWS", 7)
    with threads() as several:
        verifying = several.start(lambda: verified(acme))
        assert waiting.wait(PATIENCE)
        with tenant_scope(acme.pk):
            moved = Stream.objects.named("run")
        assert several.start(lambda: compaction.compact(acme.pk, moved, keep)).result(PATIENCE).segments
        may_go_on.set()
        assert verifying.result(PATIENCE) == []
    assert walks == 1  # nothing looked like a fault even at first


def test_events_that_are_moved_between_two_looks_are_no_fault(acme: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worst moment: no segment holds the next event yet, and then the table does not any more."""
    with tenant_scope(acme.pk):
        moved = recorded(LENGTH)
    hot = record._hot

    def late(stream: Stream, after: int, last: int) -> Any:
        with threads() as several:
            several.start(lambda: compaction.compact(acme.pk, moved, keep=5)).result(PATIENCE)
        return hot(stream, after, last)

    monkeypatch.setattr(record, "_hot", late)
    assert verified(acme) == []
    with tenant_scope(acme.pk):
        assert Event.objects.in_stream(moved).count() == 5


def test_erased_segments_verify_and_content_slipped_into_one_does_not(stream: Stream, acme: Tenant) -> None:
    from memory.events import erasure

    with tenant_scope(acme.pk):
        erasure.blank_stream(Stream.objects.select_for_update().get(pk=stream.pk))
    assert verified(acme) == []
    forge(acme, lambda lines: [lines[0].replace(b'"{}"', b'"{\\"a\\":1}"', 1), *lines[1:]])
    assert verified(acme) == [(11, Fault.CONTENT)]


def test_a_retry_after_all_is_archived_and_verified_writes_nothing(stream: Stream, acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        archive(stream, 0)
        assert store.append("run", story(LENGTH)).new == 0
    assert verified(acme) == []
    with raw.owner() as owner:
        raw.enter(owner, acme.pk)
        assert owner.execute("SELECT count(*) FROM memory_event").fetchone() == (0,)

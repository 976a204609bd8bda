"""The walk along a stream names each fault where it is, and blames no event for another's."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.events import chain, facts
from memory.events.canonical import canonical_json
from memory.events.draft import content_digest
from memory.events.reducer import initial_state, replay
from memory.events.walk import MOST_FINDINGS, Claim, Fault, Walk
from tests.events.making import MAY, Recorded, recorded, streams

LENGTH = 12


@dataclass(frozen=True)
class Row:
    """An event as it is recorded."""

    version: int
    type: str
    payload_json: str
    digest: bytes
    hash: bytes = b""
    event_id: str = ""
    metadata_json: str = "{}"
    occurred_at: datetime = MAY
    recorded_at: datetime = MAY
    causation_id: str = ""
    correlation_id: str = ""
    is_error: bool = False
    is_erased: bool = False


def chained(rows: Sequence[Row]) -> list[Row]:
    """The rows with the hashes that fit them."""
    previous, made = chain.genesis("run"), []
    for row in rows:
        previous = chain.link(
            previous, row.digest, row.version, row.event_id, row.type, row.occurred_at, row.recorded_at,
            row.causation_id, row.correlation_id,
        )  # fmt: skip
        made.append(replace(row, hash=previous))
    return made


def rows_of(events: Sequence[Recorded]) -> list[Row]:
    """A stream's rows as the store writes them."""
    rows = []
    for event in events:
        text = canonical_json(event.payload, max_depth=100, where="payload")
        rows.append(
            Row(
                version=event.version,
                type=event.type,
                payload_json=text,
                digest=content_digest(text, "{}"),
                event_id=f"e{event.version}",
                occurred_at=event.occurred_at,
                is_error=facts.is_error(event.type, event.payload),
            )
        )
    return chained(rows)


EVENTS = recorded(*[("message.added", {"role": "user", "content": f"message {n}"}) for n in range(LENGTH)])
ROWS = rows_of(EVENTS)


def claim(version: int, **changes: Any) -> Claim:
    """What an honest snapshot says, with these changes to the state."""
    return Claim(version, ROWS[version - 1].hash, replay(initial_state(), EVENTS[:version]) | changes)


def walked(
    rows: Sequence[Row],
    claims: Sequence[Claim] = (),
    part: int = 5,
    version: int = LENGTH,
    head: bytes = b"",
    **known: Any,
) -> Walk:
    """A walk over the rows in parts, up to the head that the whole stream has."""
    known = {"last_state": max((claim.version for claim in claims), default=0), **known}
    walk = Walk("run", **known)
    for start in range(0, len(rows), part):
        piece = rows[start : start + part]
        walk.follow(piece, [claim for claim in claims if walk.version < claim.version <= piece[-1].version])
    walk.arrive(version, head or ROWS[-1].hash)
    return walk


def found(walk: Walk) -> list[tuple[int, str]]:
    assert walk.faults == len(walk.findings)
    return [(finding.version, finding.fault) for finding in walk.findings]


def changed(version: int, **changes: Any) -> list[Row]:
    return [replace(row, **changes) if row.version == version else row for row in ROWS]


@pytest.mark.parametrize("part", [1, 2, 5, 100])
def test_a_stream_in_order_has_no_faults(part: int) -> None:
    claims = [claim(4), claim(5), claim(LENGTH)]
    walk = walked(ROWS, claims, part, anchor=(7, ROWS[6].hash), last_snapshot=LENGTH)
    assert found(walk) == []
    assert (walk.version, walk.hash) == (LENGTH, ROWS[-1].hash)


@given(streams(), st.integers(1, 9))
def test_no_stream_that_was_recorded_has_faults(events: list[Recorded], part: int) -> None:
    rows = rows_of(events)
    stored = [replace(event, payload=json.loads(row.payload_json)) for event, row in zip(events, rows, strict=True)]
    claims = [Claim(n, rows[n - 1].hash, replay(initial_state(), stored[:n])) for n in range(1, len(events) + 1)]
    end = rows[-1].hash if rows else chain.genesis("run")
    assert found(walked(rows, claims, part, version=len(rows), head=end)) == []


def test_an_empty_stream_is_in_order() -> None:
    assert found(walked([], version=0, head=chain.genesis("run"))) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"payload_json": '{"content":"forged"}'},
        {"payload_json": "[]"},
        {"payload_json": "[" * 10_000 + "]" * 10_000},
        {"metadata_json": '{"by":"nobody"}'},
        {"is_error": True},
        {"is_erased": True},
    ],
)
def test_altered_content_is_found_where_it_is(changes: dict[str, Any]) -> None:
    assert found(walked(changed(6, **changes))) == [(6, Fault.CONTENT)]


@pytest.mark.parametrize(
    "changes",
    [
        {"type": "tool.call"},
        {"event_id": "e99"},
        {"occurred_at": MAY - timedelta(days=1)},
        {"recorded_at": MAY + timedelta(microseconds=1)},
        {"recorded_at": datetime(9998, 12, 31, tzinfo=UTC)},
        {"causation_id": "e1"},
        {"correlation_id": "x"},
        {"hash": b"\0" * 32},
        {"hash": b""},
        {"digest": content_digest("{}", "{}"), "payload_json": "{}"},
    ],
)
@pytest.mark.parametrize("version", [1, 6, LENGTH])
def test_anything_else_that_was_altered_is_found_where_it_is(changes: dict[str, Any], version: int) -> None:
    assert found(walked(changed(version, **changes))) == [(version, Fault.CHAIN)]


def test_an_error_that_was_hidden_is_found() -> None:
    rows = rows_of(recorded(("tool.result", {"error": "late"}), ("task.failed", {})))
    hidden = [replace(row, is_error=False) for row in rows]
    assert found(walked(hidden, version=2, head=rows[-1].hash)) == [(1, Fault.CONTENT), (2, Fault.CONTENT)]


def test_a_word_error_deep_in_a_payload_is_no_error() -> None:
    rows = rows_of(recorded(("tool.result", {"content": {"error": "quoted"}, "text": '"error":'})))
    assert found(walked(rows, version=1, head=rows[-1].hash)) == []


def test_blanked_content_is_in_order_and_blanks_nothing_else() -> None:
    erased = [replace(row, payload_json="{}", is_erased=True) for row in ROWS]
    assert found(walked(erased)) == []


@pytest.mark.parametrize("part", [1, 100])
def test_content_that_was_blanked_as_if_it_were_erased_is_found(part: int) -> None:
    assert found(walked(changed(6, payload_json="{}", is_erased=True), part=part)) == [(6, Fault.CONTENT)]


def test_an_erasure_blanks_a_stream_from_its_beginning_and_leaves_what_was_appended_afterwards() -> None:
    erased = [replace(row, payload_json="{}", is_erased=True) for row in ROWS[:7]]
    assert found(walked([*erased, *ROWS[7:]])) == []
    forged = replace(ROWS[4], payload_json='{"content":"forged"}')
    assert found(walked([*erased[:4], forged, *erased[5:], *ROWS[7:]])) == [(5, Fault.CONTENT)]


@pytest.mark.parametrize(("first", "last"), [(1, 1), (1, 5), (6, 6), (6, 8)])
def test_missing_events_are_found_as_one_gap(first: int, last: int) -> None:
    left = [row for row in ROWS if not first <= row.version <= last]
    walk = walked(left)
    assert found(walk) == [(first, Fault.MISSING)]
    assert f"{last}" in walk.findings[0].detail


def test_two_events_that_changed_places_are_found_and_the_next_one_is_not_blamed() -> None:
    rows = list(ROWS)
    rows[5], rows[6] = replace(ROWS[6], version=6), replace(ROWS[5], version=7)
    assert found(walked(rows)) == [(6, Fault.CHAIN), (7, Fault.CHAIN)]


def test_an_event_that_was_put_in_is_found() -> None:
    moved = [replace(row, version=row.version + 1) for row in ROWS[5:]]
    forged = replace(ROWS[5], event_id="forged", hash=b"\1" * 32)
    faults = found(walked([*ROWS[:5], forged, *moved]))
    assert faults[0] == (6, Fault.CHAIN)
    assert faults[-1] == (LENGTH + 1, Fault.END)


@pytest.mark.parametrize("left", [0, 1, 11])
def test_a_tail_that_was_cut_off_is_found(left: int) -> None:
    assert found(walked(ROWS[:left])) == [(left + 1, Fault.END)]


def test_a_tail_that_was_cut_off_with_the_head_set_back_is_told_by_a_later_snapshot() -> None:
    walk = walked(ROWS[:7], version=7, head=ROWS[6].hash, last_snapshot=10)
    assert found(walk) == [(8, Fault.END)]


def test_a_tail_that_was_cut_off_with_the_head_set_back_is_told_by_the_last_verification() -> None:
    walk = walked(ROWS[:7], version=7, head=ROWS[6].hash, anchor=(10, ROWS[9].hash))
    assert found(walk) == [(8, Fault.REWRITTEN)]


def test_a_head_that_was_set_back_or_altered_is_found() -> None:
    assert found(walked(ROWS, version=7)) == [(8, Fault.END)]
    assert found(walked(ROWS, head=b"\0" * 32)) == [(LENGTH, Fault.END)]
    assert found(walked(ROWS, version=20)) == [(LENGTH + 1, Fault.END)]


def test_a_history_whose_hashes_were_all_computed_anew_is_told_by_the_last_verification() -> None:
    forged = chained(changed(3, payload_json="{}", digest=content_digest("{}", "{}")))
    assert found(walked(forged, head=forged[-1].hash)) == []
    assert found(walked(forged, head=forged[-1].hash, anchor=(10, ROWS[9].hash))) == [(10, Fault.REWRITTEN)]


@pytest.mark.parametrize("part", [1, 5, 100])
def test_a_forged_snapshot_is_found_where_it_is(part: int) -> None:
    forged = [claim(3), claim(6, session="forged"), claim(9)]
    assert found(walked(ROWS, forged, part)) == [(6, Fault.SNAPSHOT)]


def test_a_snapshot_of_another_history_is_found_whichever_reducer_made_it() -> None:
    for state in (None, claim(6).state):
        assert found(walked(ROWS, [Claim(6, b"\0" * 32, state)])) == [(6, Fault.SNAPSHOT)]


def test_the_state_of_another_reducers_snapshot_is_not_compared() -> None:
    assert found(walked(ROWS, [Claim(6, ROWS[5].hash, None)])) == []


def test_snapshots_are_not_blamed_for_events_that_were_altered_or_are_missing() -> None:
    claims = [claim(4), claim(8), claim(10)]
    assert found(walked(changed(6, payload_json="{}"), claims)) == [(6, Fault.CONTENT)]
    assert found(walked([row for row in ROWS if row.version != 8], claims)) == [(8, Fault.MISSING)]


def test_after_an_altered_event_a_forged_snapshot_is_still_found_behind_the_next_honest_one() -> None:
    claims = [claim(8), claim(10, session="forged")]
    assert found(walked(changed(6, payload_json="{}"), claims)) == [(6, Fault.CONTENT), (10, Fault.SNAPSHOT)]


def test_all_faults_are_counted_and_the_first_ones_told() -> None:
    events = recorded(*[("a.b", {"n": n}) for n in range(3 * MOST_FINDINGS)])
    rows = [replace(row, payload_json='{"n":-1}') for row in rows_of(events)]
    walk = walked(rows, version=len(rows), head=rows[-1].hash)
    assert walk.faults == len(rows)
    assert [finding.version for finding in walk.findings] == list(range(1, MOST_FINDINGS + 1))


def test_findings_tell_nothing_of_what_events_say() -> None:
    walk = walked(changed(6, payload_json='{"content":"a secret"}'))
    assert "secret" not in str(walk.findings)

"""The hash chain shows every change, loss, insertion and reordering, and survives the blanking of content."""

import hashlib
import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from memory.events.chain import genesis, link, timestamp

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


@dataclass(frozen=True)
class Content:
    """What the hash of one event covers."""

    digest: bytes = b"d" * 32
    version: int = 1
    event_id: str = "evt_1"
    event_type: str = "tool.call"
    occurred_at: datetime = NOON
    recorded_at: datetime = NOON
    causation_id: str = ""
    correlation_id: str = ""

    def after(self, previous: bytes) -> bytes:
        return link(previous, **self.__dict__)


def chained(contents: list[Content], previous: bytes) -> list[bytes]:
    hashes = []
    for content in contents:
        previous = content.after(previous)
        hashes.append(previous)
    return hashes


EVENTS = [Content(version=n, event_id=f"evt_{n}", digest=bytes([n]) * 32) for n in range(1, 6)]
HASHES = chained(EVENTS, genesis("run"))


def test_the_hash_is_the_documented_one() -> None:
    start = hashlib.sha256(b"aresweb stream 1\x00run").digest()
    header = ["evt_1", "tool.call", "2026-05-01T12:00:00.000000Z", "2026-05-01T12:00:00.000000Z", "", ""]
    text = json.dumps([1, *header], separators=(",", ":"))
    assert genesis("run") == start
    assert Content().after(start) == hashlib.sha256(start + b"d" * 32 + text.encode()).digest()


def test_streams_of_other_names_have_other_chains() -> None:
    assert genesis("run") != genesis("run2")


@pytest.mark.parametrize(
    "change",
    [
        {"digest": b"e" * 32}, {"version": 9}, {"event_id": "evt_x"}, {"event_type": "tool.result"},
        {"occurred_at": NOON + timedelta(microseconds=1)}, {"recorded_at": NOON - timedelta(microseconds=1)},
        {"causation_id": "c"}, {"correlation_id": "c"},
    ],
)  # fmt: skip
def test_every_part_of_an_event_counts(change: dict[str, Any]) -> None:
    changed = [EVENTS[0], replace(EVENTS[1], **change), *EVENTS[2:]]
    hashes = chained(changed, genesis("run"))
    assert hashes[0] == HASHES[0]
    assert not set(hashes[1:]) & set(HASHES[1:])


def test_a_text_cannot_move_from_one_field_to_the_next() -> None:
    one, other = Content(causation_id="ab", correlation_id="c"), Content(causation_id="a", correlation_id="bc")
    quoted = Content(causation_id='a","b', correlation_id="")
    assert len({content.after(b"") for content in (one, other, quoted, Content(causation_id="a"))}) == 4


@pytest.mark.parametrize(
    "changed",
    [EVENTS[:2] + EVENTS[3:], [EVENTS[1], EVENTS[0], *EVENTS[2:]], [*EVENTS[:2], EVENTS[1], *EVENTS[2:]], EVENTS[1:]],
)
def test_loss_insertion_and_reordering_show_at_the_end(changed: list[Content]) -> None:
    assert chained(changed, genesis("run"))[-1] != HASHES[-1]


def test_times_are_utc_to_the_microsecond_whatever_their_zone() -> None:
    moment = datetime(2026, 5, 1, 14, 0, 0, 5, tzinfo=timezone(timedelta(hours=2)))
    assert timestamp(moment) == "2026-05-01T12:00:00.000005Z"
    assert timestamp(datetime(1, 1, 1, tzinfo=UTC)) == "0001-01-01T00:00:00.000000Z"

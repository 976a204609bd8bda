"""Streams with archived events, for tests."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.test import override_settings

from memory.events import compaction, store
from memory.events.draft import Draft
from memory.models import Stream
from tests.events.making import drafted

SIZE = 10


@contextmanager
def small_segments(hot: int = 20) -> Iterator[None]:
    """Segments of ten events, snapshots every ten, and so many events hot."""
    small: dict[str, Any] = {"ARES_SEGMENT_EVENTS": SIZE, "ARES_SNAPSHOT_EVERY": SIZE, "ARES_HOT_EVENTS": hot}
    with override_settings(ARES={**settings.ARES, **small}):
        yield


def story(length: int, prefix: str = "e") -> list[Draft]:
    """Events of several types, with ids `e1`, `e2` …, each caused by the one before; every fifth an error."""
    return [
        drafted(
            ("message.added", "tool.call", "tool.result", "task.created", "llm.response")[n % 5],
            f"{prefix}{n}",
            content=f"text {n}",
            role="user",
            name="t",
            tool_call_id=f"c{n}",
            error="late" if n % 5 == 2 else None,
        )
        for n in range(1, length + 1)
    ]


def recorded(length: int, name: str = "run", prefix: str = "e") -> Stream:
    """A stream of so many events."""
    store.append(name, story(length, prefix))
    return Stream.objects.named(name)


def archive(stream: Stream, keep: int) -> int:
    """Move all but the newest events into segments; returns how many segments."""
    made = 0
    while compaction.move_oldest(stream, keep):
        made += 1
    return made

"""What consolidation made one of several experiences, as the page of memory shows it. Needs a tenant's scope."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.urls import reverse

from dashboard.decided import percent
from memory.events import facts, history
from memory.models import Event, Experience, Stream
from memory.vocabulary import MEMORY_STREAM, EventType

MOST = 5


@dataclass(frozen=True, slots=True)
class Consolidated:
    """An abstraction, None where it is gone since, of how many it was made, how alike they were in hundredths, and
    why."""

    experience: Experience | None
    count: int
    similarity: int | None
    reason: str
    at: datetime
    url: str


def newest() -> list[Consolidated]:
    """The newest ones, as the tenant's memory stream tells them, in a fixed number of queries."""
    memory = Stream.objects.filter(name=MEMORY_STREAM).first()
    told = history.of_types(memory, [EventType.MEMORY_CONSOLIDATED], MOST, newest_first=True) if memory else []
    held = Experience.objects.by_id(facts.string(event.payload, "experience") for event in told)
    return [_shown(event, held) for event in told]


def _shown(event: Event, held: dict[str, Experience]) -> Consolidated:
    payload: dict[str, Any] = event.payload
    return Consolidated(
        held.get(facts.string(payload, "experience")),
        payload.get("count", 0),
        percent(payload.get("similarity")),
        facts.string(payload, "reason"),
        event.recorded_at,
        f"{reverse('dashboard:run', args=[MEMORY_STREAM])}?at={event.version}",
    )

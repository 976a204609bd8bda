"""A stream as the pages call it: a run. Pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.urls import reverse

from dashboard import formats
from memory.models import Stream
from memory.vocabulary import Outcome

# A run that has ended may get another task, and one of unknown outcome may go on: but not for ever.
STILL_LIVE = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Run:
    """What lists and headers show of a stream."""

    name: str
    title: str
    agent_id: str
    user_id: str
    outcome: str
    event_count: int
    error_count: int
    tokens_in: int
    tokens_out: int
    started_at: datetime | None
    last_event_at: datetime
    duration: str
    strip: str
    url: str
    fault_count: int
    forked_from: str
    forked_at: int


def is_live(stream: Stream, now: datetime) -> bool:
    """Whether more events are to be expected: the run has not ended, or its last event is not long ago."""
    return stream.outcome == Outcome.RUNNING or now - stream.last_event_at < STILL_LIVE


def of(stream: Stream, faults: int = 0) -> Run:
    """The run of a stream; `faults` is how many its last verification found."""
    span = (stream.ended_at - stream.started_at).total_seconds() if stream.started_at and stream.ended_at else None
    return Run(
        name=stream.name,
        title=stream.title,
        agent_id=stream.agent_id,
        user_id=stream.user_id,
        outcome=stream.outcome,
        event_count=stream.version,
        error_count=stream.error_count,
        tokens_in=stream.input_tokens,
        tokens_out=stream.output_tokens,
        started_at=stream.started_at,
        last_event_at=stream.last_event_at,
        duration=formats.duration(span),
        strip=stream.strip,
        url=reverse("dashboard:run", args=[stream.name]),
        fault_count=faults,
        forked_from=stream.forked_from,
        forked_at=stream.forked_at,
    )

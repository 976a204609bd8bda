"""The three layers of memory in figures: what is in each, how much it may hold, and what was lost on the way down.

Needs a tenant's scope. A fixed number of queries, whatever there is.
"""

import math
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from django.db.models import Count, Max, Min, Q, QuerySet, Sum, TextField
from django.db.models.functions import Cast, Coalesce, Length

from memory import limits
from memory.events import history
from memory.models import Decision, Distillation, Experience, Message, Session, Stream, Task
from memory.vocabulary import (
    MEMORY_STREAM,
    Action,
    DistillationMode,
    EventType,
    ExperienceStatus,
    TaskStatus,
    WorkStatus,
)

A_DAY = timedelta(days=1)
# The picture is 100 wide; what holds nothing is still a line.
WIDTH, LEAST_WIDTH = 100.0, 2.0
MOST_REASONS = 50
MOST_EVICTIONS = 1000


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer: how many things it holds and may hold, their text in characters, and when the oldest was made."""

    name: str
    count: int
    most: int
    characters: int
    oldest: datetime | None
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def percent(self) -> float:
        """How full it is, in hundredths."""
        return min(100.0, 100 * self.count / self.most)


def layers(now: datetime) -> list[Layer]:
    """The layers from the top: sessions, tasks, experiences."""
    return [_sessions(now), _tasks(now), _experiences(now)]


def slabs(read: int, held: int) -> list[str]:
    """For each layer the points of its part of the funnel in a square of 100: above as wide as what the refinery has
    read, below as what is held of it, both in tokens. Widths are square roots, so that areas can be compared."""
    share = math.sqrt(min(1.0, held / read)) if read else 0
    above, below = WIDTH, max(LEAST_WIDTH, WIDTH * share)
    return [_slab(top, bottom) for top, bottom in pairwise((above, above, below, below))]


def _slab(top: float, bottom: float) -> str:
    left, right = (WIDTH - top) / 2, (WIDTH + top) / 2
    left_below, right_below = (WIDTH - bottom) / 2, (WIDTH + bottom) / 2
    return f"{left:.2f},0 {right:.2f},0 {right_below:.2f},100 {left_below:.2f},100"


def refined() -> dict[str, int]:
    """What the refinery has read and kept, over all completed distillations that are no drafts."""
    done = _refined()
    sums = {name: Coalesce(Sum(name), 0) for name in ("messages", "candidates", "input_tokens", "memory_tokens")}
    totals: dict[str, int] = done.aggregate(runs=Count("pk"), **sums)
    return totals


def _refined() -> QuerySet[Distillation]:
    return Distillation.objects.filter(status=WorkStatus.COMPLETED, mode=DistillationMode.FULL, draft=False)


def reasons(now: datetime) -> list[dict[str, Any]]:
    """What was decided, by action and rule, the commonest first: how often ever and in a day, with an example."""
    settled = Decision.objects.filter(distillation__in=_refined()).values("stage", "action", "rule")
    counted = settled.annotate(
        total=Count("pk"), today=Count("pk", filter=Q(created_at__gte=now - A_DAY)), example=Max("reason")
    )
    return [{**reason} for reason in counted.order_by("-total", "stage", "rule")[:MOST_REASONS]]


def dropped(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of the reasons those for which something was let go, each with its share of them in hundredths."""
    gone = [reason for reason in found if reason["action"] == Action.DISCARD]
    most = max([reason["total"] for reason in gone], default=1)
    return [{**reason, "percent": 100 * reason["total"] / most} for reason in gone]


def kept(found: list[dict[str, Any]]) -> dict[str, int]:
    """How often a candidate was inserted, updated something, was merged or discarded."""
    counts = dict.fromkeys((str(action) for action in Action), 0)
    for reason in found:
        counts[reason["action"]] += reason["total"]
    return counts


def _sessions(now: datetime) -> Layer:
    live = Session.objects.filter(expired_at=None, expires_at__gt=now)
    counted = live.aggregate(count=Count("pk"), oldest=Min("created_at"))
    texts = Message.objects.filter(session__in=live).aggregate(
        messages=Count("pk"), characters=Coalesce(Sum(Length(Cast("content", TextField()))), 0)
    )
    facts = {
        "messages": texts["messages"],
        "window": limits.value("ARES_MAX_HISTORY"),
        "expired_today": Session.objects.filter(expired_at__gte=now - A_DAY).count(),
    }
    most = limits.value("ARES_MAX_SESSIONS")
    return Layer("Session", counted["count"], most, texts["characters"], counted["oldest"], facts)


def _tasks(now: datetime) -> Layer:
    counted = Task.objects.aggregate(
        count=Count("pk"),
        oldest=Min("created_at"),
        characters=Coalesce(Sum(Length(Cast("input", TextField()))), 0)
        + Coalesce(Sum(Length(Cast("output", TextField()))), 0),
        open=Count("pk", filter=Q(status=TaskStatus.OPEN)),
        failed=Count("pk", filter=Q(status=TaskStatus.FAILED)),
    )
    of_tasks = Distillation.objects.exclude(task_id="").filter(draft=False)
    paths = of_tasks.aggregate(**{str(mode): Count("pk", filter=Q(mode=mode)) for mode in DistillationMode})
    facts = {
        "open": counted["open"],
        "failed": counted["failed"],
        **paths,
        "days": limits.value("ARES_TASK_TTL_DAYS"),
        "forgotten_today": sum(history.counted_by_agent(EventType.TASK_EXPIRED, now - A_DAY).values()),
    }
    most = limits.value("ARES_MAX_TASKS")
    return Layer("Task", counted["count"], most, counted["characters"], counted["oldest"], facts)


def _experiences(now: datetime) -> Layer:
    statuses = {str(status): Count("pk", filter=Q(status=status)) for status in ExperienceStatus}
    active = Q(status=ExperienceStatus.ACTIVE)
    counted = Experience.objects.aggregate(
        **statuses,
        characters=Coalesce(Sum(Length("problem") + Length("solution"), filter=active), 0),
        tokens=Coalesce(Sum("tokens", filter=active), 0),
        oldest=Min("created_at", filter=active),
        pinned=Count("pk", filter=active & Q(pinned=True)),
        unembedded=Count("pk", filter=active & ~Q(embedding_status=WorkStatus.COMPLETED)),
        changed_today=Count("pk", filter=Q(updated_at__gte=now - A_DAY) & ~Q(status=ExperienceStatus.DRAFT)),
    )
    most = limits.value("ARES_MAX_EXPERIENCES")
    memory = Stream.objects.filter(name=MEMORY_STREAM).first()
    told = history.of_types(memory, [EventType.MEMORY_EVICTED], MOST_EVICTIONS, newest_first=True) if memory else []
    evicted = [event.payload.get("count") for event in told if event.recorded_at >= now - A_DAY]
    counted["evicted_today"] = sum(count for count in evicted if isinstance(count, int))
    return Layer("Experience", counted["active"], most, counted["characters"], counted["oldest"], counted)

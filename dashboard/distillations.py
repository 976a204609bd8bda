"""A distillation as the pages show it. Needs a tenant's scope."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Q, QuerySet
from django.urls import reverse

from dashboard import formats
from memory.models import Decision, Distillation, Stream
from memory.vocabulary import Action, WorkStatus

# How each status looks: the glyph and colour of a run's outcome.
LOOKS = {
    WorkStatus.PENDING: "unknown",
    WorkStatus.PROCESSING: "running",
    WorkStatus.COMPLETED: "succeeded",
    WorkStatus.FAILED: "failed",
}
UNDER_WAY = frozenset({WorkStatus.PENDING, WorkStatus.PROCESSING})


@dataclass(frozen=True, slots=True)
class Shown:
    """A distillation, how it looks, how long it took, and how many candidates it kept and let go."""

    distillation: Distillation
    title: str
    looks: str
    is_under_way: bool
    took: str
    kept: int
    dropped: int
    url: str
    run_url: str

    @property
    def kept_percent(self) -> str:
        """What was kept of what was read, in tokens and hundredths; empty where nothing was read."""
        read = self.distillation.input_tokens
        return f"{100 * self.distillation.memory_tokens / read:.1f} %" if read else ""


def matching(text: str, status: str, mode: str, kind: str) -> QuerySet[Distillation]:
    """Distillations with this text in run, user, agent or id, the newest first; `kind` tells drafts from others."""
    found = Distillation.objects.order_by("-created_at", "-id")
    if status:
        found = found.filter(status=status)
    if mode:
        found = found.filter(mode=mode)
    if kind in ("draft", "real"):
        found = found.filter(draft=kind == "draft")
    if text:
        named = Q(stream_name__icontains=text) | Q(user_id__icontains=text) | Q(agent_id__icontains=text)
        found = found.filter(named | Q(id__icontains=text) | Q(task_id__icontains=text))
    return found


def shown(found: Sequence[Distillation], now: datetime) -> list[Shown]:
    """These distillations as they are shown, in two more queries."""
    titles = dict(Stream.objects.filter(name__in={one.stream_name for one in found}).values_list("name", "title"))
    of_these = Decision.objects.filter(distillation__in=[one.pk for one in found]).values_list("distillation_id")
    counts = {
        pk: (total - dropped, dropped)
        for pk, total, dropped in of_these.annotate(
            total=Count("pk"), dropped=Count("pk", filter=Q(action=Action.DISCARD))
        )
    }
    return [_shown(one, titles.get(one.stream_name, ""), *counts.get(one.pk, (0, 0)), now) for one in found]


def _shown(one: Distillation, title: str, kept: int, dropped: int, now: datetime) -> Shown:
    status = WorkStatus(one.status)
    took = formats.duration(_span(one, now).total_seconds()) if one.started_at else ""
    return Shown(
        distillation=one,
        title=title or one.stream_name,
        looks=LOOKS[status],
        is_under_way=status in UNDER_WAY,
        took=took,
        kept=kept,
        dropped=dropped,
        url=reverse("dashboard:distillation", args=[one.pk]),
        run_url=reverse("dashboard:run", args=[one.stream_name]),
    )


def _span(one: Distillation, now: datetime) -> timedelta:
    return (one.completed_at or now) - (one.started_at or now)

"""Sessions and tasks as the pages of memory show them. Needs a tenant's scope."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, TextField
from django.db.models.functions import Cast
from django.urls import reverse

from memory.models import Distillation, Session, Source, Task
from memory.vocabulary import DistillationMode

TEXT_LENGTH = 300
LIVE, EXPIRED = "live", "expired"
NO_PATH = "none"


@dataclass(frozen=True, slots=True)
class ShownSession:
    """A session with its run, and what came of it."""

    session: Session
    title: str
    is_live: bool
    url: str
    distillations: int
    experiences: int


@dataclass(frozen=True, slots=True)
class ShownTask:
    """A task with its run, and the distillation that tells which path it took; None where it took none."""

    task: Task
    text: str
    output: str
    url: str
    distillation: Distillation | None


def sessions(now: datetime, text: str, state: str) -> QuerySet[Session]:
    """The sessions with this text in title, id, user or agent, that are live or expired; empty lets all through."""
    found = Session.objects.select_related("stream").order_by("-last_active_at", "-id")
    over = Q(expires_at__lte=now) | Q(expired_at__isnull=False)
    if state in (LIVE, EXPIRED):
        found = found.filter(over) if state == EXPIRED else found.exclude(over)
    if text:
        found = found.filter(
            Q(id__icontains=text)
            | Q(user_id__icontains=text)
            | Q(agent_id__icontains=text)
            | Q(stream__title__icontains=text)
        )
    return found


def shown_sessions(found: Sequence[Session], now: datetime) -> list[ShownSession]:
    """These sessions as they are shown, in two more queries."""
    names = [session.pk for session in found]
    runs = Distillation.objects.filter(stream_name__in=names, draft=False).values_list("stream_name")
    distilled = dict(runs.annotate(number=Count("pk")))
    rests = Source.objects.filter(stream_name__in=names).values_list("stream_name")
    experiences = dict(rests.annotate(number=Count("experience", distinct=True)))
    return [
        ShownSession(
            session,
            session.stream.title,
            not session.is_over(now),
            reverse("dashboard:run", args=[session.pk]),
            distilled.get(session.pk, 0),
            experiences.get(session.pk, 0),
        )
        for session in found
    ]


def tasks(text: str, status: str, path: str) -> QuerySet[Task]:
    """The tasks with this text in what went in or came out, this status, and this path (`none`: not distilled)."""
    found = Task.objects.order_by("-updated_at", "-id")
    if status:
        found = found.filter(status=status)
    of_task = Distillation.objects.filter(task_id=OuterRef("pk"), draft=False)
    if path == NO_PATH:
        found = found.exclude(Exists(of_task))
    elif path in list(DistillationMode):
        found = found.filter(Exists(of_task.filter(mode=path)))
    if text:
        told = found.annotate(went_in=Cast("input", TextField()), came_out=Cast("output", TextField()))
        found = told.filter(Q(id=text) | Q(went_in__icontains=text) | Q(came_out__icontains=text))
    return found


def shown_tasks(found: Sequence[Task]) -> list[ShownTask]:
    """These tasks as they are shown, in one more query; of several distillations the newest counts."""
    of_these = Distillation.objects.filter(task_id__in=[task.pk for task in found], draft=False)
    newest = {distillation.task_id: distillation for distillation in of_these.order_by("created_at", "id")}
    return [
        ShownTask(
            task,
            _text(task.input),
            _text(task.output),
            reverse("dashboard:run", args=[task.session_id]),
            newest.get(task.pk),
        )
        for task in found
    ]


def _text(value: Any) -> str:
    """The beginning of any JSON as text; empty for null."""
    text = "" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= TEXT_LENGTH else text[: TEXT_LENGTH - 1] + "…"

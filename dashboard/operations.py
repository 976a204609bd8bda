"""The work in the background as its page shows it: queues, dead letters, work in hand, services. Needs a tenant's
scope."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from django.db.models import QuerySet
from django.urls import reverse

from dashboard import formats
from dashboard.readable import cut
from memory import conf, queue, schedules
from memory.embedding import current
from memory.embedding.local import LocalEmbedder
from memory.llm import client
from memory.models import Distillation, Experience, Knowledge, QueueItem, Tool
from memory.vocabulary import (
    DISTILLATION_PREFIX,
    KNOWLEDGE_PREFIX,
    TOOL_PREFIX,
    DistillationMode,
    Queue,
    WorkStatus,
)

STATES = ("pending", "waiting", "leased", "abandoned", "completed", "failed")
UNDER_WAY = ("pending", "waiting", "leased", "abandoned")
# More than one worker takes at a time; of more, the page says how many.
MOST_IN_HAND = 50


@dataclass(frozen=True, slots=True)
class QueueRow:
    """A queue: how much is in each of STATES."""

    name: str
    counts: tuple[tuple[str, int], ...]

    @property
    def is_under_way(self) -> bool:
        """Whether a worker will do something about it by itself."""
        return any(number for state, number in self.counts if state in UNDER_WAY)


@dataclass(frozen=True, slots=True)
class Work:
    """A piece of work and what it is about: without an address, that is gone."""

    item: QueueItem
    kind: str
    title: str
    url: str
    is_abandoned: bool


@dataclass(frozen=True, slots=True)
class ServiceRow:
    """What is set as a service, without its secrets, and the last that the tenant's work tells of it. `note` is what
    else is known of the model."""

    name: str
    setting: str
    where: str
    note: str
    good_at: datetime | None
    bad_at: datetime | None
    problem: str


def queues(now: datetime) -> list[QueueRow]:
    """Every queue."""
    return [
        QueueRow(name, tuple((state, found[state]) for state in STATES)) for name, found in queue.counts(now).items()
    ]


def dead() -> QuerySet[QueueItem]:
    """The dead letters, the newest first."""
    return QueueItem.objects.filter(status=WorkStatus.FAILED).order_by("-updated_at", "-pk")


def in_hand() -> QuerySet[QueueItem]:
    """What a worker has, the lease that ends first first."""
    return QueueItem.objects.filter(status=WorkStatus.PROCESSING).order_by("leased_until", "pk")


# How a subject is found, what it is called on a page, and the page: by the letters that its id begins with.
_SUBJECTS: dict[str, tuple[type[Any], str, str]] = {
    KNOWLEDGE_PREFIX: (Knowledge, "title", "document"),
    TOOL_PREFIX: (Tool, "name", "tool"),
    DISTILLATION_PREFIX: (Distillation, "stream_name", "distillation"),
}
_EXPERIENCE: tuple[type[Any], str, str] = (Experience, "solution", "experience")


def shown(items: Sequence[QueueItem], now: datetime) -> list[Work]:
    """These pieces of work with what they are about, in a query for each kind of subject."""
    titles: dict[str, str] = {}
    for table, field, _ in (*_SUBJECTS.values(), _EXPERIENCE):
        mine = [item.subject_id for item in items if _subject(item)[0] is table]
        if mine:
            titles.update(table.objects.filter(pk__in=mine).values_list("pk", field))
    return [_work(item, titles.get(item.subject_id), now) for item in items]


def _work(item: QueueItem, title: str | None, now: datetime) -> Work:
    kind = _subject(item)[2]
    url = "" if title is None else reverse(f"dashboard:{kind}", args=[item.subject_id])
    is_abandoned = item.leased_until is not None and item.leased_until <= now
    return Work(item, kind, cut(title or item.subject_id), url, is_abandoned)


def _subject(item: QueueItem) -> tuple[type[Any], str, str]:
    return next((found for prefix, found in _SUBJECTS.items() if item.subject_id.startswith(prefix)), _EXPERIENCE)


def services() -> list[ServiceRow]:
    """The embedding model and the language model. The queue's rows tell when work was last done and what last failed;
    where a language model fails, the refinery goes on by rules, and its distillation says so."""
    failed = QueueItem.objects.exclude(error="").filter(
        attempts__gt=0, status__in=[WorkStatus.PENDING, WorkStatus.FAILED]
    )
    embedded = QueueItem.objects.filter(queue=Queue.EMBEDDING, status=WorkStatus.COMPLETED)
    refined = Distillation.objects.filter(mode=DistillationMode.FULL, status=WorkStatus.COMPLETED)
    told = refined.filter(error__contains=client.SERVICE)
    return [
        ServiceRow(
            "Embedding",
            conf.text("ARES_EMBEDDING_MODEL") or LocalEmbedder.model,
            address(conf.text("ARES_EMBEDDING_URL")) or "local, needs no network",
            _calibrated(conf.text("ARES_EMBEDDING_MODEL") if conf.text("ARES_EMBEDDING_URL") else LocalEmbedder.model),
            _newest(embedded, "updated_at")[0],
            *_newest(failed.filter(error__startswith=current.SERVICE), "updated_at"),
        ),
        ServiceRow(
            "Language model",
            conf.text("ARES_LLM_MODEL"),
            address(conf.text("ARES_LLM_URL")) or "none set: the refinery works by rules",
            "",
            _newest(refined.filter(error=""), "completed_at")[0] if conf.text("ARES_LLM_URL") else None,
            *_newest(told, "completed_at"),
        ),
    ]


def _calibrated(model: str) -> str:
    found = current.calibration_of(model)
    if found == current.UNKNOWN:
        return "not calibrated: its similarities are told as low"
    return f"calibrated: unrelated texts {found.unrelated:.2f}, paraphrases {found.paraphrased:.2f}"


def _newest(rows: QuerySet[Any], when: str) -> tuple[datetime | None, str]:
    found = rows.order_by(f"-{when}").values_list(when, "error").first()
    return (found[0], cut(found[1])) if found else (None, "")


def address(url: str) -> str:
    """An address without what may be secret in it: user, password, query and fragment. Pure."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}" if parts.netloc else ""


def schedule_rows() -> list[dict[str, Any]]:
    """The schedules of the installation."""
    return [
        {
            "name": found.job.replace("_", " "),
            "every": formats.duration(60 * found.minutes).removesuffix(" 00 s").removesuffix(" 00 min"),
            "took": formats.duration(found.last_seconds),
            "standing": found,
        }
        for found in schedules.standing()
    ]

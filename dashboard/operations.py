"""What the page of operations shows: the queues, what failed in them, the services behind, and the schedules."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.urls import reverse
from django_q.models import Schedule, Task

from memory import conf, queue
from memory.embedding.current import embedder
from memory.models import QueueItem
from memory.vocabulary import DISTILLATION_PREFIX, EXPERIENCE_PREFIX, KNOWLEDGE_PREFIX, TOOL_PREFIX, Queue, WorkStatus

# The states of work as the page names them, in the order in which work goes through them.
STATES = ("pending", "waiting", "leased", "abandoned", "completed", "failed")
BUSY = frozenset({"pending", "leased", "abandoned"})
MOST_LETTERS = 100
MOST_IN_HAND = 20
# By the beginning of a subject's id: the name of its page's address.
PAGES = {
    EXPERIENCE_PREFIX: "experience",
    DISTILLATION_PREFIX: "distillation",
    KNOWLEDGE_PREFIX: "document",
    TOOL_PREFIX: "tool",
}


@dataclass(frozen=True, slots=True)
class QueueRow:
    """A queue and how much work is in each of STATES."""

    name: str
    counts: list[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class Work:
    """A piece of work: what it is about, and where that is shown."""

    item: QueueItem
    address: str


@dataclass(frozen=True, slots=True)
class Health:
    """A service: what is asked, when it last did well, and the last that went wrong with it."""

    name: str
    what: str
    done_at: datetime | None
    failed_at: datetime | None
    error: str

    @property
    def is_ill(self) -> bool:
        """Whether the newest news is bad."""
        return self.failed_at is not None and (self.done_at is None or self.failed_at > self.done_at)


@dataclass(frozen=True, slots=True)
class Job:
    """A schedule: what runs how often, when next, and how the last run went (None: never, or forgotten)."""

    name: str
    every: timedelta
    next_at: datetime
    last: Task | None


def context(now: datetime) -> dict[str, Any]:
    """Everything the page shows, of the tenant of the scope."""
    counts = queue.counts(now)
    letters = QueueItem.objects.filter(status=WorkStatus.FAILED).order_by("-updated_at", "-pk")
    in_hand = QueueItem.objects.filter(status=WorkStatus.PROCESSING).order_by("leased_until", "pk")
    return {
        "queues": [QueueRow(str(name), [(state, counts[name][state]) for state in STATES]) for name in Queue],
        "is_busy": any(counts[name][state] for name in Queue for state in BUSY),
        "failed": sum(counts[name]["failed"] for name in Queue),
        "letters": [_work(item) for item in letters[:MOST_LETTERS]],
        "in_hand": [_work(item) for item in in_hand[:MOST_IN_HAND]],
        "services": [_embedding(), _language_model()],
        "jobs": jobs(),
        "attempts": conf.value("ARES_QUEUE_ATTEMPTS"),
        "now": now,
    }


def jobs() -> list[Job]:
    """The schedules, the next one first. They serve all tenants and hold nothing of any."""
    schedules = list(Schedule.objects.filter(name__startswith="aresweb: ").order_by("next_run", "name"))
    last = {task.id: task for task in Task.objects.filter(id__in=[schedule.task for schedule in schedules])}
    return [
        Job(
            schedule.name.removeprefix("aresweb: ").replace("_", " "),
            timedelta(minutes=schedule.minutes or 0),
            schedule.next_run,
            last.get(schedule.task),
        )
        for schedule in schedules
    ]


def _work(item: QueueItem) -> Work:
    page = next((name for prefix, name in PAGES.items() if item.subject_id.startswith(prefix)), "")
    return Work(item, reverse(f"dashboard:{page}", args=[item.subject_id]) if page else "")


def _embedding() -> Health:
    where = "a service" if conf.text("ARES_EMBEDDING_URL") else "on this machine"
    return _health("Embedding model", f"{embedder().model}, {where}", Queue.EMBEDDING)


def _language_model() -> Health:
    if not conf.text("ARES_LLM_URL"):
        return Health("Language model", "none: rules extract", None, None, "")
    return _health("Language model", f"{conf.text('ARES_LLM_MODEL')}, a service", Queue.DISTILLATION)


def _health(name: str, what: str, which: Queue) -> Health:
    mine = QueueItem.objects.filter(queue=which)
    done = mine.filter(status=WorkStatus.COMPLETED).order_by("-updated_at").first()
    failed = mine.exclude(error="").order_by("-updated_at").first()
    return Health(
        name,
        what,
        done.updated_at if done else None,
        failed.updated_at if failed else None,
        failed.error if failed else "",
    )

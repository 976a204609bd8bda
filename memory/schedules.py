"""The one table of schedules: which job runs how often."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django_q.models import Schedule, Task


@dataclass(frozen=True, slots=True)
class Regular:
    """A job of `memory.jobs` that runs every so many minutes."""

    job: str
    minutes: int


@dataclass(frozen=True, slots=True)
class Standing:
    """How a schedule stands: when it runs next, and how its last run that is still on record went, None where none is.

    `has_run` is true of one whose runs are no longer on record: django-q keeps the newest ones of all jobs alone.
    """

    job: str
    minutes: int
    next_run: datetime
    has_run: bool
    last_at: datetime | None
    last_seconds: float | None
    has_succeeded: bool | None


PREFIX = "aresweb: "
SCHEDULES = (
    Regular("expire_sessions", minutes=1),
    Regular("work_queues", minutes=1),
    Regular("embed_missing", minutes=10),
    Regular("expire_tasks", minutes=10),
    Regular("evict_experiences", minutes=10),
    Regular("consolidate", minutes=60),
    Regular("take_snapshots", minutes=1),
    Regular("analyse_streams", minutes=1),
    Regular("compact_streams", minutes=5),
    Regular("drop_expired_segments", minutes=60),
    Regular("forget_idempotency_keys", minutes=60),
    Regular("forget_logins", minutes=60),
    Regular("verify_streams", minutes=60),
    Regular("verify_audit_logs", minutes=60),
    Regular("measure_storage", minutes=10),
    Regular("keep_no_longer", minutes=60),
    Regular("index_vectors", minutes=10),
    Regular("draw_maps", minutes=60),
)


def install() -> None:
    """Make django-q's schedules equal to the table: new ones are added, changed ones changed, others removed."""
    names = [f"{PREFIX}{regular.job}" for regular in SCHEDULES]
    Schedule.objects.filter(name__startswith=PREFIX).exclude(name__in=names).delete()
    for name, regular in zip(names, SCHEDULES, strict=True):
        Schedule.objects.update_or_create(
            name=name,
            defaults={
                "func": f"memory.jobs.{regular.job}",
                "schedule_type": Schedule.MINUTES,
                "minutes": regular.minutes,
                "repeats": -1,
            },
        )


def standing() -> list[Standing]:
    """How the installed schedules stand, by name. What their runs returned is not read: it may be a tenant's."""
    found = list(Schedule.objects.filter(name__startswith=PREFIX).order_by("name"))
    of_these = Task.objects.filter(group__in=[schedule.name for schedule in found])
    runs = of_these.order_by("group", "-stopped").distinct("group").values("group", "started", "stopped", "success")
    last = {run["group"]: run for run in runs}
    return [_standing(schedule, last.get(schedule.name)) for schedule in found]


def _standing(schedule: Schedule, run: dict[str, Any] | None) -> Standing:
    return Standing(
        schedule.name.removeprefix(PREFIX),
        schedule.minutes,
        schedule.next_run,
        bool(schedule.task),
        run["stopped"] if run else None,
        (run["stopped"] - run["started"]).total_seconds() if run else None,
        run["success"] if run else None,
    )

"""The one table of schedules: which job runs how often."""

from dataclasses import dataclass

from django_q.models import Schedule


@dataclass(frozen=True, slots=True)
class Regular:
    """A job of `memory.jobs` that runs every so many minutes."""

    job: str
    minutes: int


SCHEDULES = (
    Regular("expire_sessions", minutes=1),
    Regular("work_queues", minutes=1),
    Regular("embed_missing", minutes=10),
    Regular("expire_tasks", minutes=10),
    Regular("evict_experiences", minutes=10),
    Regular("consolidate", minutes=60),
    Regular("take_snapshots", minutes=1),
    Regular("compact_streams", minutes=5),
    Regular("drop_expired_segments", minutes=60),
    Regular("forget_idempotency_keys", minutes=60),
    Regular("verify_streams", minutes=60),
    Regular("index_vectors", minutes=10),
)


def install() -> None:
    """Make django-q's schedules equal to the table: new ones are added, changed ones changed, others removed."""
    names = [f"aresweb: {regular.job}" for regular in SCHEDULES]
    Schedule.objects.filter(name__startswith="aresweb: ").exclude(name__in=names).delete()
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

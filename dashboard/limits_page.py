"""What a tenant uses of its limits, as rows of a page. Needs the tenant's scope."""

from dataclasses import dataclass
from datetime import datetime

from memory import allowance, limits
from memory.allowance import MEBIBYTE, SETTINGS
from memory.models import ApiKey, Experience, Session, Task, Tenant
from memory.tenancy import current_tenant_id
from memory.vocabulary import ExperienceStatus, Measure


@dataclass(frozen=True, slots=True)
class Use:
    """What is used of one limit; `most` is None where there is none. `share` is in whole percent, at most 100."""

    label: str
    used: int
    most: int | None
    setting: str
    unit: str = ""

    @property
    def share(self) -> int:
        return 0 if not self.most else min(100, round(100 * self.used / self.most))

    @property
    def is_near(self) -> bool:
        """Whether nine tenths are used."""
        return bool(self.most) and self.share >= 90


@dataclass(frozen=True, slots=True)
class KeyUse:
    """What a key that has limits of its own uses of them in this minute."""

    key: ApiKey
    requests: Use
    events: Use


def rows(now: datetime) -> list[Use]:
    """What the tenant uses of each of its limits."""
    taken = allowance.used(_minute(now))
    tenant = Tenant.objects.get(pk=current_tenant_id())
    by_minute = [
        Use(f"{measure.capitalize()} in this minute", taken.get((0, measure), 0), _most(name), name)
        for measure, name in SETTINGS.items()
    ]
    experiences = Experience.objects.exclude(status=ExperienceStatus.DRAFT).count()
    storage = Use(
        "Storage", tenant.stored_bytes // MEBIBYTE, _most("ARES_MAX_STORAGE_MB"), "ARES_MAX_STORAGE_MB", "MiB"
    )
    return [
        *by_minute,
        Use(
            "Live sessions",
            Session.objects.filter(expired_at=None).count(),
            _most("ARES_MAX_SESSIONS"),
            "ARES_MAX_SESSIONS",
        ),
        Use("Tasks", Task.objects.count(), _most("ARES_MAX_TASKS"), "ARES_MAX_TASKS"),
        Use("Experiences", experiences, _most("ARES_MAX_EXPERIENCES"), "ARES_MAX_EXPERIENCES"),
        storage,
    ]


def key_rows(now: datetime) -> list[KeyUse]:
    """What each usable key that has limits of its own uses of them."""
    taken = allowance.used(_minute(now))
    bounded = [
        key
        for key in ApiKey.objects.order_by("name", "pk")
        if key.is_usable(now) and (key.requests_a_minute or key.events_a_minute)
    ]
    return [KeyUse(key, *(_of_key(key, measure, taken) for measure in Measure)) for key in bounded]


def _of_key(key: ApiKey, measure: Measure, taken: dict[tuple[int, Measure], int]) -> Use:
    return Use(measure.capitalize(), taken.get((key.pk, measure), 0), key.most_a_minute(measure), "")


def _most(setting: str) -> int | None:
    return limits.value(setting) or None


def _minute(now: datetime) -> float:
    return now.replace(second=0, microsecond=0).timestamp()

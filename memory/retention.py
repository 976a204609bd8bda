"""How long a tenant keeps sessions that are over and experiences that nobody uses. Needs a tenant's scope.

Archived events have a retention of their own (`memory.events.retention`), and so has the audit log (`memory.audit`).
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models.functions import Coalesce

from memory import audit, limits, sql
from memory.layers import distilled, lineage
from memory.manager import MemoryManager
from memory.models import Experience, Session
from memory.models.experience import ExperienceQuerySet
from memory.models.session import SessionQuerySet
from memory.vocabulary import ExperienceStatus

ACTOR = "schedule:retention"
# How many of each one run of the job takes at most, so that its transaction stays short.
BATCH = 100


@dataclass(frozen=True, slots=True)
class Old:
    """How many are older than a tenant keeps them, or would be."""

    sessions: int
    experiences: int
    audit_entries: int


def count(session_days: int, experience_days: int, audit_days: int, now: datetime) -> Old:
    """What would be dropped if they were kept so many days; 0 is for ever."""
    return Old(
        _sessions(session_days, now).count(), _experiences(experience_days, now).count(), audit.count_old(audit_days)
    )


def drop_old(now: datetime) -> int:
    """Delete sessions and experiences that are kept no longer; returns how many."""
    sessions = list(_sessions(limits.value("ARES_SESSION_DAYS"), now).values_list("pk", flat=True)[:BATCH])
    manager = MemoryManager(ACTOR, lambda _: None)
    for session_id in sessions:
        manager.delete_session(session_id)
    old = _experiences(limits.value("ARES_EXPERIENCE_DAYS"), now)
    experiences = list(old.order_by("pk").values_list("pk", flat=True)[:BATCH])
    if experiences:
        sql.run("lock_memory", {})
        lineage.let_go(experiences, ACTOR)
        distilled.remove(experiences)
        lineage.forget_told(experiences)
    if sessions or experiences:
        audit.record(ACTOR, "retention.dropped", sessions=len(sessions), experiences=len(experiences))
    return len(sessions) + len(experiences)


def _sessions(days: int, now: datetime) -> SessionQuerySet:
    """Those that expired so many days ago or more; none for 0."""
    if not days:
        return Session.objects.none()
    return Session.objects.filter(expired_at__lt=now - timedelta(days=days)).order_by("expired_at")


def _experiences(days: int, now: datetime) -> ExperienceQuerySet:
    """Those that were used and changed last so many days ago or more, and are neither pinned nor drafts."""
    if not days:
        return Experience.objects.none()
    before = now - timedelta(days=days)
    used = Experience.objects.annotate(used_last=Coalesce("last_used_at", "created_at"))
    kept = used.filter(used_last__lt=before, updated_at__lt=before, pinned=False)
    return kept.exclude(status=ExperienceStatus.DRAFT)

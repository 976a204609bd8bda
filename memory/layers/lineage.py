"""What experiences are to each other: parts of a whole, and followers of what held before. Needs a tenant's scope."""

from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Q

from memory.events import recalled
from memory.layers import revisions
from memory.models import Experience, IdempotencyKey
from memory.vocabulary import ExperienceStatus

# So many ids are looked for in one statement.
AT_ONCE = 100


def let_go(ids: Collection[str], actor: str) -> None:
    """Before these are deleted: what had become part of them holds again, and so does what they had superseded, unless
    something else did before or has since."""
    now = datetime.now(UTC)
    parts = Experience.objects.select_for_update().filter(abstraction_id__in=ids, status=ExperienceStatus.ARCHIVED)
    for part in parts.exclude(pk__in=ids).order_by("pk"):
        held = {"status": ExperienceStatus.ACTIVE, "abstraction_id": None}
        revisions.change(part, held, "restore", actor, "What it had become part of was deleted.", now)
    older = Experience.objects.select_for_update().filter(superseded_by_id__in=ids, status=ExperienceStatus.SUPERSEDED)
    for experience in older.exclude(pk__in=ids).order_by("-valid_from", "pk"):
        heir = _heir(experience, ids)
        back: dict[str, Any] = {"superseded_by_id": None}
        if heir is not None:
            back = {"superseded_by_id": heir.pk, "valid_to": heir.valid_from}
        elif not _is_taken(experience, ids):
            back |= {"status": ExperienceStatus.ACTIVE, "valid_to": None}
        revisions.change(experience, back, "restore", actor, "What had taken its place was deleted.", now)


def forget_told(ids: Sequence[str]) -> dict[str, int]:
    """Take these experiences out of what was told of them: answers to Idempotency-Keys are deleted, and recalls in
    any stream blanked. Returns how many of each."""
    answers = 0
    for start in range(0, len(ids), AT_ONCE):
        told = reduce(or_, (Q(answer__contains=each) for each in ids[start : start + AT_ONCE]))
        answers += IdempotencyKey.objects.filter(told).delete()[0]
    return {"idempotency_keys": answers, "recalls": recalled.blank(ids)}


def _heir(experience: Experience, ids: Collection[str]) -> Experience | None:
    """What superseded those that superseded the experience, and stays."""
    seen = {experience.pk}
    following = experience.superseded_by
    while following is not None and following.pk in ids and following.pk not in seen:
        seen.add(following.pk)
        following = following.superseded_by
    return following if following is not None and following.pk not in ids else None


def _is_taken(experience: Experience, ids: Collection[str]) -> bool:
    """Whether something else is said of the same subject by now."""
    if not experience.subject:
        return False
    same = Experience.objects.active().owned_by(experience.user_id).filter(subject=experience.subject)
    return same.exclude(pk__in=ids).exists()

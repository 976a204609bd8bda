"""The history of experiences: every change goes through here and is kept, with who or what made it.

Needs a tenant's scope.
"""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from memory import queue
from memory.errors import Conflict
from memory.models import Experience, Revision, Source
from memory.retrieval import items, lexical
from memory.tenancy import current_tenant_id
from memory.tokens import counting
from memory.vocabulary import ExperienceStatus, Queue, WorkStatus

# What a revision keeps of an experience, and can give back.
KEPT = (
    "user_id",
    "kind",
    "problem",
    "solution",
    "language",
    "entities",
    "subject",
    "value",
    "confidence",
    "importance",
    "status",
    "pinned",
    "helpful",
    "harmful",
    "valid_from",
    "valid_to",
    "superseded_by_id",
    "abstraction_id",
)
TIMES = ("valid_from", "valid_to")


def begin(
    experience: Experience, change: str, actor: str, reason: str, now: datetime, sources: Sequence[Source] = ()
) -> Experience:
    """Write a new experience with its sources and its first revision; what follows from its text is filled in.

    Raises:
        Conflict: one with this owner, kind and text is there.
    """
    experience.tenant_id = current_tenant_id()
    experience.created_at = experience.updated_at = now
    _derive(experience)
    experience.save(force_insert=True)
    Source.objects.bulk_create(sources, ignore_conflicts=True)
    lexical.index(items.of_experiences([experience]))
    _keep(experience, 1, change, actor, reason, None, now)
    return experience


def change(
    experience: Experience, changes: Mapping[str, Any], change: str, actor: str, reason: str, now: datetime
) -> Experience:
    """Change an experience, which must be locked, and keep a revision; no change at all is none.

    A new text is embedded anew, by the worker.

    Raises:
        Conflict: another one with this owner, kind and text is there.
    """
    before = kept(experience)
    text = experience.text
    for name, value in changes.items():
        setattr(experience, name, value)
    if kept(experience) == before:
        return experience
    _derive(experience)
    if experience.text != text:
        experience.embedding_status = WorkStatus.PENDING
        queue.put(Queue.EMBEDDING, [experience.pk])
        lexical.index(items.of_experiences([experience]))
    experience.revision += 1
    experience.updated_at = now
    experience.save()
    _keep(experience, experience.revision, change, actor, reason, before, now)
    return experience


def kept(experience: Experience) -> dict[str, Any]:
    """What a revision keeps, as JSON has it."""
    found = {name: getattr(experience, name) for name in KEPT}
    return found | {name: found[name].isoformat() if found[name] else None for name in TIMES}


def restored(before: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a revision, as the model has them."""
    times = {name: datetime.fromisoformat(before[name]) if before[name] else None for name in TIMES}
    return {name: before[name] for name in KEPT} | times


def digest(user_id: str, kind: str, text: str) -> bytes:
    """By what an experience is known again: SHA-256 (32 bytes) over owner, kind and text, whatever its spaces and
    case."""
    plain = " ".join(text.casefold().split())
    return hashlib.sha256(f"{user_id}\x1f{kind}\x1f{plain}".encode("utf-8", "replace")).digest()


def _derive(experience: Experience) -> None:
    experience.digest = digest(experience.user_id, experience.kind, experience.text)
    experience.tokens = counting.count(experience.text)
    if experience.status == ExperienceStatus.DRAFT:
        return
    same = Experience.objects.exclude(pk=experience.pk).exclude(status=ExperienceStatus.DRAFT)
    other = same.filter(digest=experience.digest).values_list("pk", flat=True).first()
    if other:
        raise Conflict(f"Experience {other} says this already. Nothing was changed.", experience=other)


def _keep(
    experience: Experience, number: int, change: str, actor: str, reason: str, before: Any, now: datetime
) -> None:
    Revision.objects.create(
        tenant_id=experience.tenant_id,
        experience=experience,
        number=number,
        change=change,
        actor=actor,
        reason=reason,
        before=before,
        after=kept(experience),
        created_at=now,
    )

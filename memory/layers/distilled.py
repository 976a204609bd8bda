"""Distilled memory: what people do to experiences. Every change can be seen in their revisions, and the last one
undone.

`actor` says who it is: `user:<address>` or `key:<name>`. Needs a tenant's scope.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from memory import limits, queue, sql
from memory.errors import Conflict, Invalid
from memory.events import store
from memory.events.draft import draft, text
from memory.layers import deletions, lineage, revisions
from memory.models import Decision, Experience, IndexedText, Revision, Source, Vector
from memory.vocabulary import (
    MEMORY_STREAM,
    PERSONAL_KINDS,
    Collection,
    EventType,
    ExperienceStatus,
    Kind,
)

TEXT_LENGTH = 20_000
REASON_LENGTH = 500
VALUE_LENGTH = 200
# What a client or an operator may set.
EDITABLE = frozenset({"problem", "solution", "kind", "confidence", "subject", "value", "pinned", "status"})
# So much weighs what was thought before any feedback came: the strength of a beta prior, in verdicts.
PRIOR = 4
# Three more helpful than harmful verdicts make an experience one that is evicted last.
OFTEN_HELPFUL = 3
# So many are evicted in one transaction at most; the next one takes the others.
EVICTED_AT_ONCE = 1000
VERDICTS = {"helpful": 1.0, "harmful": 0.0}
# How revisions name a distillation as who made them.
DISTILLER = "distillation:"
# By the status they lead to.
STATUS_CHANGES = {ExperienceStatus.ACTIVE: "restore", ExperienceStatus.ARCHIVED: "archive"}


def edit(experience_id: str, changes: Mapping[str, Any], actor: str, reason: str = "") -> Experience:
    """Change what is given of EDITABLE.

    Raises:
        NotFound: there is no such experience.
        Invalid: a field is unknown, or not what it must be.
        Conflict: another experience says this already, or it is a draft.
    """
    unknown = ", ".join(sorted(changes.keys() - EDITABLE))
    if unknown:
        raise Invalid(f"These cannot be changed: {unknown[:REASON_LENGTH]}. There are: {', '.join(sorted(EDITABLE))}.")
    experience = lock(experience_id)
    wanted = {name: _checked(experience, name, value) for name, value in changes.items()}
    if not (wanted.get("solution", experience.solution)).strip():
        raise Invalid("solution must hold something.")
    made = STATUS_CHANGES.get(wanted["status"], "edit") if set(wanted) == {"status"} else "edit"
    if set(wanted) == {"pinned"}:
        made = "pin" if wanted["pinned"] else "unpin"
    if wanted.get("status") == ExperienceStatus.ACTIVE:
        wanted |= _as_active(experience)
    return revisions.change(experience, wanted, made, actor, reason_of(reason), datetime.now(UTC))


def pin(experience_id: str, actor: str, *, pinned: bool = True) -> Experience:
    """Keep it from eviction, or no longer."""
    return edit(experience_id, {"pinned": pinned}, actor)


def archive(experience_id: str, actor: str, reason: str = "") -> Experience:
    """Take it away from agents; it can be restored."""
    return edit(experience_id, {"status": ExperienceStatus.ARCHIVED}, actor, reason)


def restore(experience_id: str, actor: str, reason: str = "") -> Experience:
    """Give an archived or superseded one back to agents."""
    return edit(experience_id, {"status": ExperienceStatus.ACTIVE}, actor, reason)


def release(experience_id: str, actor: str, reason: str = "") -> Experience:
    """Let one out of quarantine.

    Raises:
        Conflict: it is not there.
    """
    experience = lock(experience_id)
    if experience.status != ExperienceStatus.QUARANTINED:
        raise Conflict(f"Experience {experience_id} is not in quarantine, but {experience.status}.")
    changes = {"status": ExperienceStatus.ACTIVE}
    return revisions.change(experience, changes, "release", actor, reason_of(reason), datetime.now(UTC))


def feedback(experience_id: str, verdict: Any, actor: str, note: Any = None) -> Experience:
    """Whether it helped. Confidence moves to the mean of a beta posterior: PRIOR verdicts weigh what was thought
    before.

    Raises:
        NotFound: there is no such experience. Invalid: the verdict is neither `helpful` nor `harmful`.
    """
    if not isinstance(verdict, str) or verdict not in VERDICTS:
        raise Invalid("verdict must be helpful or harmful.")
    told = text(note, "note", REASON_LENGTH)
    experience = lock(experience_id)
    changes = {
        verdict: getattr(experience, verdict) + 1,
        "confidence": after_verdict(
            experience.confidence, VERDICTS[verdict], experience.helpful + experience.harmful + 1
        ),
    }
    return revisions.change(experience, changes, verdict, actor, told, datetime.now(UTC))


def after_verdict(confidence: float, verdict: float, number: int) -> float:
    """The confidence in [0, 1] after the `number`th verdict (1: helpful, 0: harmful): the running mean of a
    beta-binomial posterior whose prior weighs PRIOR verdicts (Gelman et al., Bayesian Data Analysis, section 2.4).
    Pure."""
    return round(confidence + (verdict - confidence) / (PRIOR + number), 4)


def delete(experience_id: str, actor: str) -> dict[str, Any]:
    """Delete an experience with all that belongs to it; the answer is a receipt that counts rows by table. What had
    become part of it, or had been superseded by it, holds again. The same words are not learned again.

    Raises:
        NotFound: there is none.
    """
    sql.run("lock_memory", {})
    experience = lock(experience_id)
    lineage.let_go([experience.pk], actor)
    deletions.remember(experience, actor)
    rows = remove([experience.pk]) | lineage.forget_told([experience.pk])
    return {"id": experience_id, "deleted_at": datetime.now(UTC), "rows": rows}


def remove(ids: Sequence[str]) -> dict[str, int]:
    """Delete these experiences and what belongs to them: no row and no vector stays. Returns how many rows, by
    table."""
    others = Experience.objects.filter(abstraction_id__in=ids) | Experience.objects.filter(superseded_by_id__in=ids)
    for other in others.select_for_update().order_by("pk"):
        other.abstraction_id = None if other.abstraction_id in ids else other.abstraction_id
        other.superseded_by_id = None if other.superseded_by_id in ids else other.superseded_by_id
        other.save(update_fields=["abstraction", "superseded_by"])
    Decision.objects.filter(neighbour_id__in=ids).update(neighbour_id="", neighbour_text="")
    return {
        "decisions": Decision.objects.filter(experience_id__in=ids).delete()[0],
        "revisions": Revision.objects.filter(experience_id__in=ids).delete()[0],
        "sources": Source.objects.filter(experience_id__in=ids).delete()[0],
        "vectors": Vector.objects.filter(collection=Collection.EXPERIENCE, item_id__in=ids).delete()[0],
        "indexed_texts": IndexedText.objects.filter(collection=Collection.EXPERIENCE, item_id__in=ids).delete()[0],
        "queue_items": queue.forget(ids),
        "experiences": Experience.objects.filter(pk__in=ids).delete()[0],
    }


def evict() -> int:
    """Delete what a tenant has too many of: the least recently used first, often helpful ones later, pinned ones last.
    Returns how many; the tenant's memory stream records which. Whoever adds experiences asks for it; with nothing to
    do, it reads no more than the limit."""
    sql.run("lock_memory", {})
    most = limits.value("ARES_MAX_EXPERIENCES")
    surplus = Experience.objects.kept()[: most + EVICTED_AT_ONCE].count() - most
    if surplus <= 0:
        return 0
    ids = Experience.objects.evictable(OFTEN_HELPFUL, surplus)
    remove(ids)
    payload = {"experiences": ids, "count": len(ids), "most": most}
    store.append(MEMORY_STREAM, [draft({"type": EventType.MEMORY_EVICTED, "payload": payload}, store.limits())])
    return len(ids)


def lock(experience_id: str) -> Experience:
    """The experience, locked until the transaction ends.

    Raises:
        NotFound: there is none. Conflict: it is a draft.
    """
    found = Experience.objects.select_for_update().with_id(experience_id)
    if found.status == ExperienceStatus.DRAFT:
        raise Conflict("A draft is accepted or dropped with its distillation.")
    return found


def _as_active(experience: Experience) -> dict[str, Any]:
    """What else is no longer so when it holds again."""
    if experience.status == ExperienceStatus.QUARANTINED:
        return {}
    return {"abstraction_id": None, "superseded_by_id": None, "valid_to": None}


def _checked(experience: Experience, name: str, value: Any) -> Any:
    check = _CHECKS.get(name)
    if check is not None:
        return check(experience, value)
    return text(value, name, TEXT_LENGTH if name in ("problem", "solution") else VALUE_LENGTH).strip()


def _pinned(experience: Experience, value: Any) -> bool:
    if not isinstance(value, bool):
        raise Invalid("pinned must be true or false.")
    return value


def _confidence(experience: Experience, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise Invalid("confidence must be a number from 0 to 1.")
    return float(value)


def _status(experience: Experience, value: Any) -> str:
    if not isinstance(value, str) or value not in (ExperienceStatus.ACTIVE, ExperienceStatus.ARCHIVED):
        raise Invalid("status must be active or archived.")
    return value


def _kind(experience: Experience, value: Any) -> str:
    if not isinstance(value, str) or value not in set(Kind):
        raise Invalid(f"kind must be one of {', '.join(Kind)}.")
    if not experience.user_id and value in PERSONAL_KINDS and value != experience.kind:
        raise Conflict(f"It is shared in the tenant; a {value} belongs to a user.")
    return value


_CHECKS: Mapping[str, Callable[[Experience, Any], Any]] = {
    "pinned": _pinned,
    "confidence": _confidence,
    "status": _status,
    "kind": _kind,
}


def reason_of(reason: Any) -> str:
    """A reason as it was given, empty where none was.

    Raises:
        Invalid: it is no text, or too long.
    """
    return text(reason, "reason", REASON_LENGTH)

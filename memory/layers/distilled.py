"""Distilled memory: what people do to experiences. Every change can be seen in their revisions, and the last one
undone.

`actor` says who it is: `user:<address>` or `key:<name>`. Needs a tenant's scope.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from memory import limits, queue
from memory.errors import Conflict, Invalid
from memory.events import store
from memory.events.draft import draft, text
from memory.layers import revisions
from memory.models import Decision, Experience, IndexedText, Revision, Source, Vector
from memory.retrieval import items, lexical
from memory.vocabulary import (
    EXPERIENCE_PREFIX,
    MEMORY_STREAM,
    PERSONAL_KINDS,
    Collection,
    EventType,
    ExperienceStatus,
    Kind,
    Queue,
    new_id,
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
VERDICTS = {"helpful": 1.0, "harmful": 0.0}
# So many parts an experience is split into at most: each is embedded and indexed.
MOST_PARTS = 20
# What changes several experiences at once.
TOGETHER = ("merge", "split", "undo")
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
    experience = _settled(experience_id)
    wanted = {name: _checked(experience, name, value) for name, value in changes.items()}
    if not (wanted.get("solution", experience.solution)).strip():
        raise Invalid("solution must hold something.")
    made = STATUS_CHANGES.get(wanted["status"], "edit") if set(wanted) == {"status"} else "edit"
    if set(wanted) == {"pinned"}:
        made = "pin" if wanted["pinned"] else "unpin"
    if wanted.get("status") == ExperienceStatus.ACTIVE:
        wanted |= _as_active(experience)
    return revisions.change(experience, wanted, made, actor, _reason(reason), datetime.now(UTC))


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
    return revisions.change(experience, changes, "release", actor, _reason(reason), datetime.now(UTC))


def merge(experience_id: str, other_id: str, actor: str, reason: str = "") -> Experience:
    """Put another experience into this one: this one's text gets its own, sources go along, the other is archived.

    Raises:
        NotFound: one of them is not there.
        Invalid: both are one.
        Conflict: they belong to different users, one is not active, or together they are too long.
    """
    if experience_id == other_id:
        raise Invalid("An experience cannot be merged with itself.")
    pair = {each.pk: each for each in (lock(one) for one in sorted((experience_id, other_id)))}
    kept, other = pair[experience_id], pair[other_id]
    if kept.user_id != other.user_id:
        raise Conflict("They belong to different users, so they stay apart.")
    for each in (kept, other):
        _check_active(each, "merged")
    now = datetime.now(UTC)
    told = _reason(reason)
    away = {"status": ExperienceStatus.ARCHIVED, "abstraction_id": kept.pk}
    revisions.change(other, away, "merge", actor, told or f"Merged into {kept.pk}.", now)
    texts = {
        "problem": kept.problem if other.problem in kept.problem else f"{kept.problem}\n{other.problem}".strip(),
        "solution": kept.solution if other.solution in kept.solution else f"{kept.solution}\n{other.solution}",
        "entities": list(dict.fromkeys([*kept.entities, *other.entities])),
    }
    if max(len(texts["problem"]), len(texts["solution"])) > TEXT_LENGTH:
        raise Conflict(f"Together they are longer than {TEXT_LENGTH:,} characters, so they stay apart.")
    revisions.change(kept, texts, "merge", actor, told or f"Merged with {other.pk}.", now)
    share_sources(other, kept)
    return kept


def split(experience_id: str, parts: Sequence[Mapping[str, Any]], actor: str, reason: str = "") -> list[Experience]:
    """Make several experiences of one, which is archived; each has its sources.

    Args:
        parts: `{problem?, solution}` each, from two to MOST_PARTS.

    Raises:
        NotFound: there is no such experience. Invalid: the parts are not what they must be.
        Conflict: one of the parts is known already, or it is not active.
    """
    if not isinstance(parts, list | tuple) or len(parts) < 2 or not all(isinstance(part, dict) for part in parts):
        raise Invalid("parts must be a list of at least two objects with problem and solution.")
    if len(parts) > MOST_PARTS:
        raise Invalid(f"parts must be at most {MOST_PARTS}, not {len(parts):,}.")
    experience = lock(experience_id)
    _check_active(experience, "split")
    now = datetime.now(UTC)
    made = []
    for number, part in enumerate(parts):
        solution = text(part.get("solution"), f"parts[{number}].solution", TEXT_LENGTH).strip()
        if not solution:
            raise Invalid(f"parts[{number}].solution must hold something.")
        new = Experience(
            **{name: getattr(experience, name) for name in revisions.KEPT if name not in ("helpful", "harmful")},
            id=new_id(EXPERIENCE_PREFIX),
            agent_id=experience.agent_id,
            method=experience.method,
        )
        new.problem = text(part.get("problem"), f"parts[{number}].problem", TEXT_LENGTH).strip()
        new.solution, new.subject, new.value = solution, "", ""
        made.append(revisions.begin(new, "split", actor, _reason(reason) or f"Split from {experience.pk}.", now))
        share_sources(experience, new)
    away = {"status": ExperienceStatus.ARCHIVED}
    revisions.change(experience, away, "split", actor, _reason(reason) or "Split.", now)
    queue.put(Queue.EMBEDDING, [new.pk for new in made])
    return made


def undo(experience_id: str, actor: str) -> Experience:
    """Take back the last change, with what it did to others; taking back an undo does it again.

    Raises:
        NotFound: there is no such experience. Conflict: nothing was changed since it was made, or it is a draft.
    """
    experience = _settled(experience_id)
    last = Revision.objects.filter(experience=experience).order_by("-number").first()
    if last is None or last.before is None:
        raise Conflict(f"Experience {experience_id} was not changed since it was made.")
    now = datetime.now(UTC)
    for other in _changed_with(last):
        gone = {"status": ExperienceStatus.ARCHIVED}
        back = revisions.restored(other.before) if other.before else gone
        reason = f"Undone with revision {last.number} of {experience.pk}."
        revisions.change(lock(other.experience_id), back, "undo", actor, reason, now)
    return revisions.change(
        experience, revisions.restored(last.before), "undo", actor, f"Undid revision {last.number}.", now
    )


def _changed_with(last: Revision) -> list[Revision]:
    """What the same merge, split or undoing did to other experiences that were not changed since: one act of somebody
    has one time. A distillation has one time too, but its changes stand each for itself."""
    if last.change not in TOGETHER or last.actor.startswith("distillation:"):
        return []
    same = Revision.objects.filter(created_at=last.created_at, actor=last.actor, change=last.change)
    others = same.exclude(experience_id=last.experience_id).select_related("experience").order_by("experience_id")
    return [each for each in others if each.number == each.experience.revision]


def feedback(experience_id: str, verdict: Any, actor: str, note: Any = None) -> Experience:
    """Whether it helped. Confidence moves to the mean of a beta posterior: PRIOR verdicts weigh what was thought
    before.

    Raises:
        NotFound: there is no such experience. Invalid: the verdict is neither `helpful` nor `harmful`.
    """
    if not isinstance(verdict, str) or verdict not in VERDICTS:
        raise Invalid("verdict must be helpful or harmful.")
    told = text(note, "note", REASON_LENGTH)
    experience = _settled(experience_id)
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


def delete(experience_id: str) -> dict[str, Any]:
    """Delete an experience with all that belongs to it; the answer is a receipt that counts rows by table.

    Raises:
        NotFound: there is none.
    """
    experience = lock(experience_id)
    return {"id": experience_id, "deleted_at": datetime.now(UTC), "rows": remove([experience.pk])}


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


def evict(now: datetime) -> int:
    """Delete what a tenant has too many of: the least recently used first, often helpful ones later, pinned ones last.
    Returns how many; the tenant's memory stream records which."""
    most = limits.value("ARES_MAX_EXPERIENCES")
    surplus = Experience.objects.exclude(status=ExperienceStatus.DRAFT).count() - most
    if surplus <= 0:
        return 0
    ids = Experience.objects.evictable(OFTEN_HELPFUL)[:surplus]
    remove(ids)
    payload = {"experiences": ids[:1000], "count": len(ids), "most": most}
    store.append(MEMORY_STREAM, [draft({"type": EventType.MEMORY_EVICTED, "payload": payload}, store.limits())])
    return len(ids)


def lock(experience_id: str) -> Experience:
    """The experience, locked until the transaction ends.

    Raises:
        NotFound: there is none.
    """
    return Experience.objects.select_for_update().with_id(experience_id)


def share_sources(giver: Experience, taker: Experience) -> None:
    """Let the taker rest on the giver's sources too."""
    rows = [
        Source(
            tenant_id=taker.tenant_id,
            experience=taker,
            distillation_id=source.distillation_id,
            stream_name=source.stream_name,
            event_version=source.event_version,
            message_id=source.message_id,
            created_at=datetime.now(UTC),
        )
        for source in Source.objects.filter(experience=giver)
    ]
    Source.objects.bulk_create(rows, ignore_conflicts=True)
    lexical.index(items.of_experiences([taker]))


def _settled(experience_id: str) -> Experience:
    """The experience, locked; a draft is its distillation's to accept or drop."""
    experience = lock(experience_id)
    if experience.status == ExperienceStatus.DRAFT:
        raise Conflict("A draft is accepted or dropped with its distillation.")
    return experience


def _check_active(experience: Experience, done: str) -> None:
    """What waits for an operator, or was taken away, must not come back to agents in another's text."""
    if experience.status != ExperienceStatus.ACTIVE:
        raise Conflict(f"Experience {experience.pk} is {experience.status}; only active ones can be {done}.")


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


def _reason(reason: Any) -> str:
    return text(reason, "reason", REASON_LENGTH)

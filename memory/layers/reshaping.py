"""Experiences are merged, split, and put back as they were. Needs a tenant's scope."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from memory import queue, sql
from memory.errors import Conflict, Invalid
from memory.events.draft import text
from memory.layers import revisions
from memory.layers.distilled import DISTILLER, TEXT_LENGTH, evict, lock, reason_of
from memory.models import Experience, Revision, Source
from memory.retrieval import items, lexical
from memory.vocabulary import EXPERIENCE_PREFIX, ExperienceStatus, Queue, new_id

# So many parts an experience is split into at most: each is embedded and indexed.
MOST_PARTS = 20
# Changes that touch several experiences at once.
TOGETHER = frozenset({"merge", "consolidate", "split", "undo"})


def merge(experience_id: str, other_id: str, actor: str, reason: str = "") -> Experience:
    """Put another experience into this one: this one's text gets its own, sources go along, the other is archived.

    Raises:
        NotFound: one of them is not there.
        Invalid: both are one.
        Conflict: they belong to different users, one is not active, or together they are too long.
    """
    if experience_id == other_id:
        raise Invalid("An experience cannot be merged with itself.")
    sql.run("lock_memory", {})
    pair = {each.pk: each for each in (lock(one) for one in sorted((experience_id, other_id)))}
    kept, other = pair[experience_id], pair[other_id]
    if kept.user_id != other.user_id:
        raise Conflict("They belong to different users, so they stay apart.")
    for each in (kept, other):
        _check_active(each, "merged")
    now = datetime.now(UTC)
    told = reason_of(reason)
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
    sql.run("lock_memory", {})
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
        made.append(revisions.begin(new, "split", actor, reason_of(reason) or f"Split from {experience.pk}.", now))
        share_sources(experience, new)
    away = {"status": ExperienceStatus.ARCHIVED}
    revisions.change(experience, away, "split", actor, reason_of(reason) or "Split.", now)
    queue.put(Queue.EMBEDDING, [new.pk for new in made])
    evict()
    return made


def undo(experience_id: str, actor: str) -> Experience:
    """Take back the last change, with what it did to others; taking back an undo does it again.

    Raises:
        NotFound: there is no such experience. Conflict: nothing was changed since it was made, or it is a draft.
    """
    sql.run("lock_memory", {})
    experience = lock(experience_id)
    last = Revision.objects.filter(experience=experience).order_by("-number").first()
    if last is None or (last.before is None and last.change != "consolidate"):
        raise Conflict(f"Experience {experience_id} was not changed since it was made.")
    now = datetime.now(UTC)
    for other in _beside(last):
        touched = Experience.objects.select_for_update().get(pk=other.experience_id)
        revisions.change(touched, _back(other), "undo", actor, f"With {experience.pk}.", now)
    return revisions.change(experience, _back(last), "undo", actor, f"Undid revision {last.number}.", now)


def _beside(revision: Revision) -> list[Revision]:
    """What the same act did to other experiences that were not changed since: one act of somebody has one time. A
    distillation has one time too, but its changes stand each for itself."""
    if revision.change not in TOGETHER or revision.actor.startswith(DISTILLER):
        return []
    same = Revision.objects.filter(change=revision.change, actor=revision.actor, created_at=revision.created_at)
    others = same.exclude(experience_id=revision.experience_id).select_related("experience").order_by("experience_id")
    return [each for each in others if each.number == each.experience.revision]


def _back(revision: Revision) -> dict[str, Any]:
    """What takes a revision back: what it changed is as before; what it made is put away."""
    if revision.before is None:
        return {"status": ExperienceStatus.ARCHIVED}
    changed = {name for name in revisions.KEPT if revision.before[name] != revision.after[name]}
    return {name: value for name, value in revisions.restored(revision.before).items() if name in changed}


def _check_active(experience: Experience, done: str) -> None:
    """What waits for an operator, or was taken away, must not come back to agents in another's text."""
    if experience.status != ExperienceStatus.ACTIVE:
        raise Conflict(f"Experience {experience.pk} is {experience.status}; only active ones can be {done}.")


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

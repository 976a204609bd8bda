"""Consolidate: related experiences become one abstraction that keeps every specific; its members rest, and can be had
back. Never across users or tenants. Clusters are found by pure functions; `consolidate` needs a tenant's scope."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import numpy as np
import numpy.typing as npt

from memory import limits, queue, sql
from memory.distillation.merge import is_same_problem, merged
from memory.embedding.calibration import Calibration
from memory.embedding.current import calibration_of, embedder
from memory.errors import Conflict
from memory.events import store
from memory.events.draft import draft
from memory.layers import deletions, distilled, reshaping, revisions
from memory.models import Experience, Vector
from memory.vocabulary import (
    EXPERIENCE_PREFIX,
    MEMORY_STREAM,
    Collection,
    EventType,
    ExperienceStatus,
    Kind,
    Method,
    Queue,
    WorkStatus,
    new_id,
)

# So many of an owner's newest experiences are compared with each other at a time: 2,000 are 4 million similarities.
MOST = 2_000
CLUSTERED = (Kind.SOLUTION, Kind.PROCEDURE)
ACTOR = "schedule:consolidate"


def clusters(
    vectors: npt.NDArray[np.float32], problems: Sequence[str], calibration: Calibration, least: float, size: int
) -> list[list[int]]:
    """Groups of at least `size` items, by their places, in which each is at least `least` similar to the first and
    about the same problem; no item is in two. The items with the most such neighbours come first. Pure.

    Args:
        vectors: shape (items, dimension), rows of unit length.
    """
    cosines = vectors @ vectors.T
    floor = next((step / 1000 for step in range(-1000, 1001) if calibration.similarity(step / 1000) >= least), 1.0)
    near = cosines >= floor
    free = np.ones(len(vectors), bool)
    found = []
    for place in np.argsort(-near.sum(axis=1), kind="stable"):
        if not free[place]:
            continue
        group = [int(other) for other in np.flatnonzero(near[place] & free) if other != place]
        group = [int(place), *(other for other in group if is_same_problem(problems[place], problems[other]))]
        if len(group) >= size:
            free[group] = False
            found.append(group)
    return found


def consolidate() -> int:
    """Make abstractions of the tenant's related experiences; returns how many. The tenant's memory stream records each,
    with what it was made of and why."""
    sql.run("lock_memory", {})
    model = embedder().model
    owners = Experience.objects.active().filter(kind__in=CLUSTERED).values_list("user_id", flat=True).distinct()
    made = sum(_of_owner(owner, model) for owner in list(owners.order_by("user_id")))
    if made:
        distilled.evict()
    return made


def _of_owner(owner: str, model: str) -> int:
    mine = Experience.objects.active().owned_by(owner).filter(kind__in=CLUSTERED, pinned=False)
    newest = list(mine.order_by("-updated_at", "pk")[:MOST])
    kept = Vector.objects.filter(
        collection=Collection.EXPERIENCE, model=model, item_id__in=[each.pk for each in newest]
    )
    vectors: Mapping[str, npt.NDArray[np.float32]] = {row.item_id: np.asarray(row.vector, np.float32) for row in kept}
    embedded = [each for each in newest if each.pk in vectors]
    size = limits.value("ARES_CLUSTER_SIZE")
    if len(embedded) < size:
        return 0
    matrix = np.vstack([vectors[each.pk] for each in embedded])
    problems = [each.problem for each in embedded]
    calibration, least = calibration_of(model), limits.fraction("ARES_CLUSTER_SIMILARITY")
    made = 0
    for group in clusters(matrix, problems, calibration, least, size):
        members = [embedded[place] for place in group]
        whole = _abstract(members)
        if whole is not None:
            cosines = matrix[group[1:]] @ matrix[group[0]]
            _record(whole, members, calibration.similarity(float(cosines.min())), least)
            made += 1
    return made


def _record(whole: Experience, members: Sequence[Experience], similarity: float, least: float) -> None:
    """Tell what became one and why: ids and figures alone, since nothing of this stream is ever erased."""
    payload = {
        "experience": whole.pk,
        "archived": [each.pk for each in members],
        "count": len(members),
        "similarity": round(similarity, 4),
        "reason": f"{len(members)} experiences of one owner are about the same problem, each at least {similarity:.2f} "
        f"similar to the first; {least:g} is enough.",
    }
    store.append(MEMORY_STREAM, [draft({"type": EventType.MEMORY_CONSOLIDATED, "payload": payload}, store.limits())])


def _abstract(members: Sequence[Experience]) -> Experience | None:
    """What the members became: None if they hold more than one text can, or somebody deleted what they would become."""
    now = datetime.now(UTC)
    problem, solution = members[0].problem, members[0].solution
    for member in members[1:]:
        problem, solution = merged(problem, solution, member.problem, member.solution)
        if not solution:
            return None
    surest = max(members, key=lambda each: each.confidence)
    new = Experience(
        id=new_id(EXPERIENCE_PREFIX),
        user_id=surest.user_id,
        agent_id=surest.agent_id if len({each.agent_id for each in members}) == 1 else "",
        kind=Kind.ABSTRACTION,
        method=Method.PATTERN,
        problem=problem,
        solution=solution,
        language=surest.language,
        entities=list(dict.fromkeys(name for each in members for name in each.entities))[:48],
        confidence=surest.confidence,
        importance=max(each.importance for each in members),
        status=ExperienceStatus.ACTIVE,
        valid_from=min(each.valid_from for each in members),
        embedding_status=WorkStatus.PENDING,
    )
    if deletions.was_deleted(revisions.digest(new.user_id, new.kind, new.text)):
        return None
    reason = f"Made of {len(members)} related experiences."
    try:
        revisions.begin(new, "consolidate", ACTOR, reason, now)
    except Conflict:
        return None  # an earlier abstraction says this already, and an operator has its members back
    for member in members:
        gone = {"status": ExperienceStatus.ARCHIVED, "abstraction_id": new.pk}
        revisions.change(member, gone, "consolidate", ACTOR, f"Part of {new.pk}.", now)
        reshaping.share_sources(member, new)
    queue.put(Queue.EMBEDDING, [new.pk])
    return new

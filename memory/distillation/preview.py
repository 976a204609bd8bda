"""What other thresholds would have decided on recent candidates. Needs a tenant's scope.

A decision keeps its candidate, the nearest neighbour's text as it was, and how near it was; its other neighbours are
not kept. So this decides again beside that one neighbour, by the values in force first, and tells what would change.
"""

from collections import Counter
from dataclasses import dataclass

from memory.distillation.apply import UPDATE, candidate_of
from memory.distillation.data import Candidate
from memory.distillation.update import Neighbour, Thresholds, Verdict, decide
from memory.models import Decision, Experience

# So many of the newest candidates are decided again.
MOST = 200


@dataclass(frozen=True, slots=True)
class Change:
    """A candidate that would be decided otherwise: how it is by the values in force, and how it would be."""

    decision: Decision
    text: str
    similarity: float
    before: Verdict
    after: Verdict


@dataclass(frozen=True, slots=True)
class Preview:
    """How many candidates were looked at, how many each action would take before and after, and which would change."""

    candidates: int
    before: Counter[str]
    after: Counter[str]
    changes: list[Change]


def preview(now: Thresholds, then: Thresholds) -> Preview:
    """Decide the newest MOST candidates that had a neighbour by both."""
    before: Counter[str] = Counter()
    after: Counter[str] = Counter()
    changes: list[Change] = []
    found = Decision.objects.filter(stage=UPDATE, similarity__isnull=False).exclude(neighbour_id="")
    recent = list(found.select_related("distillation").order_by("-created_at", "-id")[:MOST])
    known = Experience.objects.by_id({decision.neighbour_id for decision in recent})
    for decision in recent:
        candidate, neighbour = candidate_of(decision.candidate), _neighbour(decision, known.get(decision.neighbour_id))
        one, other = decide(candidate, [neighbour], now), decide(candidate, [neighbour], then)
        before[one.action] += 1
        after[other.action] += 1
        if (one.action, one.rule) != (other.action, other.rule):
            changes.append(Change(decision, candidate.text, neighbour.similarity, one, other))
    return Preview(len(recent), before, after, changes)


def _neighbour(decision: Decision, known: Experience | None) -> Neighbour:
    """The neighbour as it was when the candidate came; what is not kept of it is taken from what it is now, or from the
    candidate."""
    candidate: Candidate = candidate_of(decision.candidate)
    problem, _, solution = decision.neighbour_text.partition("\n") if candidate.problem else ("", "", "")
    return Neighbour(
        id=decision.neighbour_id,
        kind=known.kind if known else candidate.kind,
        problem=problem,
        solution=solution or decision.neighbour_text,
        subject=known.subject if known else "",
        value=known.value if known else "",
        confidence=known.confidence if known else candidate.confidence,
        valid_from=known.valid_from if known else candidate.occurred_at,
        similarity=decision.similarity or 0.0,
    )

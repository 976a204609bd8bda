"""Decisions as the pages show them: what was there, what was decided about it, and why. Needs a tenant's scope."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Q, QuerySet
from django.urls import reverse

from dashboard.difference import Piece, around, pieces
from memory.events import history
from memory.models import Decision, Stream
from memory.vocabulary import Action, EventType

MOST_RULES = 200
MOST_SOURCES = 12
# Of so many messages at the beginning of a run the step is known.
MOST_MESSAGES = 5_000
PERCENT = 100
# From this similarity on, two texts are told apart word by word; below it, each is read by itself.
ALIKE = 0.85


@dataclass(frozen=True, slots=True)
class Place:
    """A message that something came from, as a step of its run."""

    version: int
    url: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A decision with its candidate's texts, the steps that the candidate came from, and what differs from the
    neighbour that it was compared with, where both are alike."""

    decision: Decision
    problem: str
    solution: str
    kind: str
    method: str
    terms: list[tuple[str, str]]
    places: list[Place]
    similarity: int | None
    changes: list[Piece]
    experience_url: str
    distillation_url: str
    is_kept: bool


def matching(action: str, rule: str, text: str) -> QuerySet[Decision]:
    """Decisions of this action and rule with this text in reason or candidate, the newest first; drafts' ones never."""
    found = Decision.objects.filter(distillation__draft=False).select_related("distillation", "experience")
    if action:
        found = found.filter(action=action)
    if rule:
        found = found.filter(rule=rule)
    if text:
        candidate = Q(candidate__problem__icontains=text) | Q(candidate__solution__icontains=text)
        found = found.filter(candidate | Q(candidate__text__icontains=text) | Q(reason__icontains=text))
    return found.order_by("-created_at", "-distillation_id", "-number")


def rules() -> list[str]:
    """The rules by which something was decided, in alphabetical order, the first MOST_RULES."""
    return list(Decision.objects.order_by("rule").values_list("rule", flat=True).distinct()[:MOST_RULES])


def shown(found: Iterable[Decision], places: Mapping[str, Place] | None = None) -> list[Shown]:
    """These decisions with their distillations, as they are shown; `places` are the steps of messages by their ids."""
    return [_shown(decision, places or {}) for decision in found]


def places_in(stream_name: str, found: Iterable[Decision]) -> dict[str, Place]:
    """The steps of a run that hold the messages which these decisions' candidates came from, by message id."""
    wanted = sorted({source for decision in found for source in sources_of(decision)})
    if not wanted:
        return {}
    said = history.of_types(Stream.objects.named(stream_name), [EventType.MESSAGE_ADDED], MOST_MESSAGES)
    versions = {event.payload.get("message_id"): event.version for event in said}
    return {message: place(stream_name, versions[message]) for message in wanted if message in versions}


def sources_of(decision: Decision) -> list[str]:
    """The ids of the messages that a decision's candidate came from, the first MOST_SOURCES."""
    found = decision.candidate.get("sources")
    return [source for source in found if isinstance(source, str)][:MOST_SOURCES] if isinstance(found, list) else []


def place(stream: str, version: int) -> Place:
    """The step of a run."""
    return Place(version, f"{reverse('dashboard:run', args=[stream])}?at={version}")


def _is_alike(decision: Decision) -> bool:
    """Whether it helps to compare a candidate with its neighbour word by word."""
    is_joined = decision.action in (Action.UPDATE, Action.MERGE)
    return bool(decision.neighbour_text) and (is_joined or (decision.similarity or 0) >= ALIKE)


def percent(similarity: float | None) -> int | None:
    """A similarity in hundredths."""
    return None if similarity is None else round(PERCENT * similarity)


def _shown(decision: Decision, places: Mapping[str, Place]) -> Shown:
    candidate: dict[str, Any] = decision.candidate
    told = [places.get(source) for source in sources_of(decision)]
    solution = candidate.get("solution") or candidate.get("text") or ""
    terms = candidate.get("terms") or {}
    neighbour = decision.neighbour_text
    text = f"{candidate['problem']}\n{solution}" if candidate.get("problem") else solution
    return Shown(
        decision=decision,
        problem=candidate.get("problem") or "",
        solution=solution,
        kind=candidate.get("kind") or "",
        method=candidate.get("method") or "",
        terms=[(name.replace("_", " "), f"{value:+.2f}") for name, value in terms.items()],
        places=sorted({there for there in told if there}, key=lambda there: there.version),
        similarity=percent(decision.similarity),
        changes=around(pieces(neighbour, decision.result_text or text)) if _is_alike(decision) else [],
        experience_url=reverse("dashboard:experience", args=[decision.experience_id]) if decision.experience_id else "",
        distillation_url=reverse("dashboard:distillation", args=[decision.distillation_id]),
        is_kept=decision.action != Action.DISCARD,
    )

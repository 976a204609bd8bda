"""One distillation: how it stands, the picture of it, and its decisions. Needs a tenant's scope."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from dashboard import decided, distillations, drafts
from dashboard.listing import listing
from dashboard.picture import Traced, picture
from dashboard.readable import cut
from memory.events import history
from memory.events.facts import text_of
from memory.models import Decision, Distillation, Stream
from memory.vocabulary import Action, DistillationMode, EventType, WorkStatus

KEPT, DROPPED = "kept", "dropped"
# Marks of the picture; beyond it they would be thinner than a pixel.
MOST_MESSAGES = 2000
MOST_DECISIONS = 2000


def context(found: Distillation, query: Mapping[str, str], now: datetime) -> dict[str, Any]:
    """What `distillations/detail.html` shows."""
    everything = list(Decision.objects.filter(distillation=found).order_by("number")[:MOST_DECISIONS])
    places = decided.places_in(found.stream_name, everything)
    show = query.get("show", "") if query.get("show") in (KEPT, DROPPED) else ""
    page = listing(_decisions(found, show), query)
    [shown] = distillations.shown([found], now)
    return {
        "shown": shown,
        "show": show,
        "rules": sorted(found.rules.items()),
        "packed": _packed(found, everything),
        "difference": drafts.difference(found) if found.draft and found.status == WorkStatus.COMPLETED else None,
        "listing": page,
        "decisions": decided.shown(page.rows, places),
        "decisions_total": shown.kept + shown.dropped,
        "experiences_total": len({one.experience_id for one in everything if one.experience_id}),
        "picture": picture(_versions(found, places), [_traced(one, places) for one in everything]),
    }


def _packed(found: Distillation, decisions: Sequence[Decision]) -> dict[str, str] | None:
    """What the light path kept of a task."""
    if found.mode != DistillationMode.LIGHT or not decisions:
        return None
    candidate = decisions[0].candidate
    return {"went_in": cut(text_of(candidate.get("input"))), "came_out": cut(text_of(candidate.get("output")))}


def _decisions(found: Distillation, show: str) -> Any:
    decisions = Decision.objects.filter(distillation=found).select_related("distillation").order_by("number")
    if show == KEPT:
        return decisions.exclude(action=Action.DISCARD)
    return decisions.filter(action=Action.DISCARD) if show == DROPPED else decisions


def _versions(found: Distillation, places: Mapping[str, decided.Place]) -> list[int]:
    """The versions of the run's messages up to the last one that something came from."""
    if not places:
        return []
    stream = Stream.objects.named(found.stream_name)
    said = history.of_types(stream, [EventType.MESSAGE_ADDED], MOST_MESSAGES)
    return [event.version for event in said]


def _traced(one: Decision, places: Mapping[str, decided.Place]) -> Traced:
    versions = tuple(sorted({places[source].version for source in decided.sources_of(one) if source in places}))
    is_kept = one.action != Action.DISCARD
    return Traced(one.number, versions, (one.experience_id or "") if is_kept else "")

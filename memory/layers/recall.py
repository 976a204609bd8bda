"""Recalling: a search on behalf of a session or stream, which is told there. Needs a tenant's scope."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.db.models import F

from memory.events import store
from memory.events.draft import draft, text
from memory.layers import session
from memory.models import Experience, Session, Stream
from memory.retrieval import search
from memory.retrieval.filters import Filters, for_agent
from memory.retrieval.plan import Plan
from memory.retrieval.search import Found
from memory.tokens import counting
from memory.vocabulary import SESSION_PREFIX, STREAM_NAME_MAX_LENGTH, Collection, EventType, ExperienceStatus

# How much of each result's text the record repeats; the whole stands in the memory itself.
EXCERPT = 300
# What no agent is given before somebody has looked at it.
WAITING = frozenset({ExperienceStatus.QUARANTINED, ExperienceStatus.DRAFT})


def recall(
    query: Any, limit: Any = 10, *, plan: Plan | None = None, allowed: Filters | None = None, stream: Any = None
) -> Found:
    """What fits the query, as `search` finds it; the stream, where one is named, gets `memory.recalled`.

    In a session's name, only what its user may see is found, and in any stream's name nothing that waits for an
    operator, whatever the filters say. Otherwise nobody's own memory is found unless the filters name the user, or ask
    for all users.

    Raises:
        Invalid, TooLarge: query, limit or stream are not what they must be.
        NotFound, SessionExpired: there is no such stream or session (any more).
    """
    if stream is None:
        return search.search(query, limit, plan=plan, allowed=for_agent(allowed or Filters()))
    name = text(stream, "stream", STREAM_NAME_MAX_LENGTH)
    within = session.live(name) if name.startswith(SESSION_PREFIX) else None
    if within is None:
        session.check_stream(name, [])
        Stream.objects.named(name)
    found = search.search(query, limit, plan=plan, allowed=_open_to(within, allowed or Filters()))
    event = draft({"type": EventType.MEMORY_RECALLED, "payload": _told(query, found)}, store.limits())
    if within is None:
        store.append(name, [event])
    else:
        session.record(within, [event])
    return found


def used(found: Found) -> list[str]:
    """The experiences among the results: those whose use is to be noted."""
    return [hit.id for hit in found.hits if hit.source == Collection.EXPERIENCE]


def note_use(experience_ids: Sequence[str], now: datetime) -> int:
    """Count one more use of these experiences; returns of how many."""
    in_order = Experience.objects.select_for_update().filter(pk__in=experience_ids).order_by("pk")
    ids = list(in_order.values_list("pk", flat=True))
    return Experience.objects.filter(pk__in=ids).update(uses=F("uses") + 1, last_used_at=now)


def _open_to(within: Session | None, allowed: Filters) -> Filters:
    if allowed.statuses is not None:
        allowed = replace(allowed, statuses=[status for status in allowed.statuses if status not in WAITING])
    if within is None:
        return for_agent(allowed)
    open_to_user = ("", within.user_id)
    return replace(allowed, user_ids=[user for user in allowed.user_ids or open_to_user if user in open_to_user])


def _told(query: str, found: Found) -> dict[str, Any]:
    results = [
        {"source": hit.source, "id": hit.id, "score": round(hit.score, 4), "text": hit.text[:EXCERPT]}
        for hit in found.hits
    ]
    tokens = sum(counting.count(hit.text) for hit in found.hits)
    rewritten = {"rewritten": found.rewritten} if found.rewritten else {}
    return {"query": query, **rewritten, "tokens": tokens, "results": results, "missing": dict(found.missing)}

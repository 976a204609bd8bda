"""One experience with all that is known of it. Needs a tenant's scope."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef
from django.urls import reverse

from dashboard import changes, decided, experiences
from dashboard.decided import percent
from dashboard.difference import Piece, around, pieces
from dashboard.experiences import Shown
from dashboard.readable import cut
from memory.embedding.current import calibration_of
from memory.events import facts, history
from memory.flight import timeline
from memory.models import Decision, Event, Experience, Revision, Source, Stream, Vector
from memory.retrieval.filters import Filters
from memory.retrieval.vector import VectorStore
from memory.vocabulary import PERSONAL_KINDS, Collection, ExperienceStatus

MOST_SOURCES = 50
MOST_DECISIONS = 50
MOST_REVISIONS = 50
MOST_MEMBERS = 100
NEIGHBOURS = 6
# Of a revision's fields those that an operator compares; the others follow from them.
TEXT_FIELDS = ("problem", "solution")


@dataclass(frozen=True, slots=True)
class From:
    """A message that an experience rests on, as a step of its run; `text` is empty where it was erased."""

    version: int
    url: str
    run: str
    role: str
    text: str
    is_erased: bool


@dataclass(frozen=True, slots=True)
class Change:
    """A revision: what it did to the texts word by word, and to other fields as before and after."""

    revision: Revision
    texts: list[tuple[str, list[Piece]]]
    fields: list[tuple[str, str, str]]


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An experience that says something near, and how near, in hundredths."""

    experience: Experience
    near: int
    url: str


def context(found: Experience) -> dict[str, Any]:
    """What `experiences/detail.html` shows."""
    others = Experience.objects.by_id(filter(None, (found.superseded_by_id, found.abstraction_id)))
    decisions = Decision.objects.filter(experience=found).select_related("distillation").order_by("-created_at", "-id")
    revisions = list(Revision.objects.filter(experience=found).order_by("-number")[:MOST_REVISIONS])
    return {
        "shown": Shown(found, found.sources.count(), percent(found.confidence) or 0, ""),
        "experience": found,
        "verbs": changes.offered(found),
        "importance": percent(found.importance),
        "sources": sources([found]).get(found.pk, []),
        "decisions": decided.shown(decisions[:MOST_DECISIONS]),
        "changes": [_change(revision) for revision in revisions],
        "neighbours": neighbours(found),
        "superseded_by": others.get(found.superseded_by_id or ""),
        "abstraction": others.get(found.abstraction_id or ""),
        "members": list(found.members.order_by("created_at", "id")[:MOST_MEMBERS]),
        "supersedes": list(found.supersedes.order_by("created_at", "id")[:MOST_MEMBERS]),
        "mentions_url": f"{reverse('dashboard:runs')}?q={found.pk}",
    }


def waiting(found: Sequence[Experience]) -> list[dict[str, Any]]:
    """Experiences in quarantine, each with why it waits and where it came from."""
    ids = [one.pk for one in found]
    reasons = dict(
        Decision.objects.filter(experience__in=ids).order_by("created_at").values_list("experience_id", "reason")
    )
    came_from = sources(found)
    return [
        {
            "shown": shown,
            "reason": shown.experience.metadata.get("quarantine") or reasons.get(shown.experience.pk, ""),
            "sources": came_from.get(shown.experience.pk, []),
        }
        for shown in experiences.shown(found)
    ]


def sources(found: Iterable[Experience]) -> dict[str, list[From]]:
    """The messages that experiences rest on, the first MOST_SOURCES of all, by experience; in three queries."""
    rows = list(
        Source.objects.filter(experience__in=[one.pk for one in found]).order_by(
            "experience_id", "stream_name", "event_version"
        )[:MOST_SOURCES]
    )
    runs = {stream.name: stream for stream in Stream.objects.filter(name__in={row.stream_name for row in rows})}
    events = history.at_places(
        {stream: {row.event_version for row in rows if row.stream_name == name} for name, stream in runs.items()}
    )
    made: dict[str, list[From]] = {}
    for row in rows:
        run = runs.get(row.stream_name)
        event = events.get((run.pk, row.event_version)) if run else None
        made.setdefault(row.experience_id, []).append(_from(row, run, event))
    return made


def from_step(stream_name: str, version: int) -> list[Shown]:
    """The experiences that rest on an event, drafts left out."""
    resting = Source.objects.filter(experience=OuterRef("pk"), stream_name=stream_name, event_version=version)
    found = Experience.objects.exclude(status=ExperienceStatus.DRAFT).filter(Exists(resting))
    return [Shown(one, 0, percent(one.confidence) or 0, experiences.url(one.pk)) for one in found.order_by("id")]


def neighbours(found: Experience) -> list[Neighbour]:
    """The nearest other experiences by its own vector, among those that it may be merged with: never another user's."""
    own = Vector.objects.filter(collection=Collection.EXPERIENCE, item_id=found.pk).order_by("-created_at").first()
    if own is None:
        return []
    users = [found.user_id] if found.kind in PERSONAL_KINDS else sorted({"", found.user_id})
    statuses = [ExperienceStatus.ACTIVE, ExperienceStatus.QUARANTINED]
    filters = Filters(user_ids=users, statuses=statuses)
    hits = VectorStore().search(Collection.EXPERIENCE, own.vector, own.model, NEIGHBOURS + 1, filters)
    calibration = calibration_of(own.model)
    near = {hit.item_id: calibration.similarity(hit.cosine) for hit in hits if hit.item_id != found.pk}
    there = Experience.objects.by_id(near)
    return [
        Neighbour(there[item], percent(similarity) or 0, experiences.url(item))
        for item, similarity in list(near.items())[:NEIGHBOURS]
        if item in there
    ]


def _from(row: Source, run: Stream | None, event: Event | None) -> From:
    is_there = event is not None and not event.is_erased
    return From(
        version=row.event_version,
        url=decided.place(row.stream_name, row.event_version).url if run else "",
        run=(run.title or run.name) if run else row.stream_name,
        role=facts.string(event.payload, "role") if event and is_there else "",
        text=_said(event) if event and is_there else "",
        is_erased=not is_there,
    )


def _said(event: Event) -> str:
    """What a message says; what it asks tools for where it says nothing."""
    text = facts.text_of(event.payload.get("content"))
    return cut(text) if text else timeline.summary(event.type, event.payload)


def _change(revision: Revision) -> Change:
    before, after = revision.before or {}, revision.after
    texts = [
        (name, around(pieces(str(before.get(name) or ""), str(after.get(name) or ""))))
        for name in TEXT_FIELDS
        if before and before.get(name) != after.get(name)
    ]
    fields = [
        (name.replace("_", " "), _told(before.get(name)), _told(value))
        for name, value in after.items()
        if before and name not in TEXT_FIELDS and before.get(name) != value
    ]
    return Change(revision, texts, fields)


def _told(value: Any) -> str:
    if value in (None, "", []):
        return "none"
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value)

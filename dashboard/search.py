"""A search and its results as the page shows them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from django.urls import reverse

from memory.retrieval.filters import Filters
from memory.retrieval.plan import Plan
from memory.retrieval.search import Hit
from memory.retrieval.why import Explanation
from memory.vocabulary import Collection, ExperienceStatus, Kind

LIMITS = ("10", "20", "50")
SOURCES = {
    "experience": "experiences",
    "knowledge": "documents",
    "tool": "tools",
}
# What each part of a score is called, and what it says.
PARTS = {
    "vector": ("meaning", "how near the meaning is, by the vectors"),
    "lexical": ("words", "which words are shared, by BM25"),
    "neighbours": ("neighbours", "what stands right before and after it fits"),
    "names": ("names", "the query names whom or what it is about"),
    "recency": ("recency", "how recent it is, for its kind"),
    "use": ("use", "how often it was given to agents"),
    "feedback": ("feedback", "how it was judged"),
}


@dataclass(frozen=True, slots=True)
class Asked:
    """What the address asks for; what is none of the choices counts as not set."""

    q: str
    source: str
    user: str
    kind: str
    status: str
    as_of: str
    limit: str
    why: str

    @property
    def fields(self) -> list[tuple[str, str]]:
        """The fields of the address that are set, apart from `why`."""
        names = ("q", "source", "user", "kind", "status", "as_of", "limit")
        return [(name, getattr(self, name)) for name in names if getattr(self, name)]

    @property
    def moment(self) -> datetime | None:
        """The end of the day that `as_of` names."""
        return datetime.fromisoformat(f"{self.as_of}T23:59:59.999999").replace(tzinfo=UTC) if self.as_of else None

    @property
    def plan(self) -> Plan:
        """The default plan, for the source alone that is asked for."""
        plan = Plan()
        if not self.source:
            return plan
        return replace(
            plan,
            experience_weight=float(self.source == Collection.EXPERIENCE),
            knowledge_weight=float(self.source == Collection.KNOWLEDGE),
            tools_weight=float(self.source == Collection.TOOL),
        )

    @property
    def filters(self) -> Filters:
        """The filters that are set."""
        return Filters(
            user_ids=("", self.user) if self.user else None,
            kinds=(self.kind,) if self.kind else None,
            statuses=tuple(ExperienceStatus) if self.status == "any" else None,
            as_of=self.moment,
        )


def asked(query: Mapping[str, str]) -> Asked:
    """What a query string asks for."""
    source, kind, limit = query.get("source", ""), query.get("kind", ""), query.get("limit", "")
    return Asked(
        q=query.get("q", "").strip(),
        source=source if source in SOURCES else "",
        user=query.get("user", "").replace("\0", "").strip()[:200],
        kind=kind if kind in set(Kind) else "",
        status="any" if query.get("status") == "any" else "",
        as_of=_day(query.get("as_of", "")),
        limit=limit if limit in LIMITS else LIMITS[0],
        why=query.get("why", "").replace("\0", "").strip()[:200],
    )


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a score: its word, what it says, its number, and its bar's width in percent of the best score."""

    word: str
    meaning: str
    number: str
    width: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A result, ready to be shown. `where` says where it came from, one thing a line: text and address, or none."""

    hit: Hit
    place: int
    score: str
    parts: list[Part]
    heading: str
    url: str
    item_id: str
    where: list[tuple[str, str]]


def shown(hits: list[Hit]) -> list[Shown]:
    """Results with the parts of their scores, drawn to the scale of the best one."""
    best = max((hit.score for hit in hits), default=0.0) or 1.0
    return [
        Shown(
            hit=hit,
            place=place,
            score=f"{hit.score:.3f}",
            parts=parts(hit.scores, best),
            heading=_heading(hit),
            url=_url(hit),
            item_id=f"{hit.id}.{hit.provenance['passage']}" if hit.source == Collection.KNOWLEDGE else hit.id,
            where=_where(hit.provenance),
        )
        for place, hit in enumerate(hits, start=1)
    ]


def parts(scores: Mapping[str, float], best: float) -> list[Part]:
    """The parts of a score that count something, in a fixed order."""
    return [
        Part(word, meaning, f"{scores[name]:+.3f}", f"{min(100.0, 100 * abs(scores[name]) / best):.1f}")
        for name, (word, meaning) in PARTS.items()
        if abs(scores.get(name, 0.0)) >= 0.0005
    ]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A part of the score of an item beside the same part of the last result's."""

    word: str
    own: str
    last: str


def compared(explanation: Explanation) -> list[Comparison]:
    """The parts of the scores of an item and of the last result; none where there is only one."""
    own, last = explanation.scored, explanation.last
    if own is None or last is None or own.key == last.key:
        return []
    return [
        Comparison(word, f"{own.parts.get(name, 0.0):.3f}", f"{last.parts.get(name, 0.0):.3f}")
        for name, (word, _) in PARTS.items()
        if own.parts.get(name) or last.parts.get(name)
    ]


def _heading(hit: Hit) -> str:
    if hit.source == Collection.EXPERIENCE:
        return str(hit.provenance["kind"])
    return str(hit.provenance.get("title") or hit.provenance.get("name"))


def _url(hit: Hit) -> str:
    if hit.source == Collection.KNOWLEDGE:
        return f"{reverse('dashboard:document', args=[hit.id])}#passage-{hit.provenance['passage']}"
    return reverse("dashboard:tool", args=[hit.id]) if hit.source == Collection.TOOL else ""


def _where(provenance: Mapping[str, Any]) -> list[tuple[str, str]]:
    places = [
        (
            f"event {source['event_version']}",
            f"{reverse('dashboard:run', args=[source['stream']])}?at={source['event_version']}",
        )
        for source in provenance.get("sources", ())
    ]
    if "passage" in provenance:
        places.append((f"passage {provenance['passage']}", ""))
    return places


def _day(text: str) -> str:
    try:
        return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC).date().isoformat()
    except ValueError:
        return ""

"""What memory has to say on a question in a session: the experiences that its user may see. Needs a tenant's scope."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from memory.embedding.current import calibration_of, embedder
from memory.models import Source
from memory.retrieval import search
from memory.retrieval.filters import Filters
from memory.retrieval.plan import Plan

# Experiences alone: documents and tools are searched by whoever wants them.
EXPERIENCES = Plan(knowledge_weight=0, tools_weight=0)


@dataclass(frozen=True, slots=True)
class Recalled:
    """An experience that was found, and why."""

    id: str
    text: str
    kind: str
    score: float
    scores: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Recollection:
    """What was found, the best first, and what could not be asked."""

    found: Sequence[Recalled] = ()
    missing: Mapping[str, str] = field(default_factory=dict)


class Recall(Protocol):
    """A way to ask memory: the question, how many experiences at most, and for which user."""

    def __call__(self, query: str, most: int, user_id: str) -> Recollection: ...


def recall(query: str, most: int, user_id: str, plan: Plan = EXPERIENCES) -> Recollection:
    """The experiences that fit a question best. One that is no nearer to it than unrelated texts are to each other, and
    has no word in common with it, is not among them: it would only take tokens."""
    found = search.search(query[: search.MAX_QUERY], most, plan=plan, allowed=Filters(user_ids=["", user_id]))
    calibration = calibration_of(embedder().model)
    return Recollection(
        [
            Recalled(hit.id, hit.text, str(hit.provenance["kind"]), hit.score, hit.scores)
            for hit in found.hits
            if hit.raw.get("lexical") or calibration.similarity(hit.raw.get("vector", -1.0)) > 0
        ],
        found.missing,
    )


def origins(experience_ids: Sequence[str], stream_name: str) -> dict[str, frozenset[int]]:
    """Of the experiences that rest on this stream alone: the versions of the events that they came from."""
    versions: dict[str, set[int]] = {}
    elsewhere: set[str] = set()
    rows = Source.objects.filter(experience_id__in=experience_ids)
    for experience_id, name, version in rows.values_list("experience_id", "stream_name", "event_version"):
        versions.setdefault(experience_id, set()).add(version)
        if name != stream_name:
            elsewhere.add(experience_id)
    return {each: frozenset(there) for each, there in versions.items() if each not in elsewhere}

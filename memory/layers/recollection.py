"""What memory has to say on a question in a session: the experiences that its user may see. Needs a tenant's scope."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol

import numpy as np

from memory.embedding.current import embedder
from memory.embedding.spec import Embedder
from memory.errors import ServiceFailed
from memory.layers import kinship
from memory.models import Experience, Source, Vector
from memory.retrieval import contents, search
from memory.retrieval.filters import Filters
from memory.retrieval.plan import Plan
from memory.retrieval.search import Found, Hit
from memory.vocabulary import SOLVING, Collection

# Experiences alone: documents and tools are searched by whoever wants them.
EXPERIENCES = Plan(knowledge_weight=0, tools_weight=0)
# So many are looked at again, whatever is asked for.
CANDIDATES = 20
# What meaning counts; the rest is for words in common. Measured with `bench/savings.py`.
MEANING_WEIGHT = 0.9
# Solutions that are less than half as near as the nearest one are left out.
LEAST_SHARE = 0.5
FAR = "It solves a problem that is much farther from the input than another one."
# What search adds for other reasons than the question stays.
KEPT_PARTS = ("recency", "use", "feedback")


@dataclass(frozen=True, slots=True)
class Recalled:
    """An experience that was found, and why."""

    id: str
    text: str
    kind: str
    score: float
    scores: Mapping[str, float]


class Unfit(NamedTuple):
    """An experience that would have come next, and why it does not."""

    id: str
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Recollection:
    """What was found, the best first, and what could not be asked. `unfit` is the nearest of what has too little to do
    with the question or solves a far other problem, each with its text and the reason; `rewritten` the words that were
    searched for instead of it."""

    found: Sequence[Recalled] = ()
    missing: Mapping[str, str] = field(default_factory=dict)
    unfit: Sequence[Unfit] = ()
    rewritten: str = ""


class Recall(Protocol):
    """A way to ask memory: the question, how many experiences at most, and for which user."""

    def __call__(self, query: str, most: int, user_id: str) -> Recollection: ...


def recall(query: str, most: int, user_id: str, plan: Plan = EXPERIENCES) -> Recollection:
    """The experiences that fit a question best. One that merely stands beside another that does is not among them, and
    neither is one below the plan's floor of relevance: it would only take tokens."""
    model = embedder()
    asked = query[: search.MAX_QUERY]
    wide = min(max(CANDIDATES, most), search.MAX_LIMIT)
    plan = replace(plan, knowledge_weight=0, tools_weight=0)
    found = search.search(asked, wide, plan=plan, allowed=Filters(user_ids=["", user_id]), model=model)
    direct = [hit for hit in found.hits if hit.raw]
    missing = dict(found.missing)
    ordered, far = [_recalled(hit, hit.score, hit.scores) for hit in direct], set[str]()
    if "vector" not in missing and plan.vector_weight and not plan.rerank_weight:
        try:
            ordered, far = _ordered(found.rewritten or asked, direct, model)
        except ServiceFailed as error:  # what was asked is remembered, the problems are not
            missing["vector"] = error.detail
    near = [each for each in ordered if each.id not in far]
    unfit = [Unfit(each.id, each.text, FAR) for each in ordered[:most] if each.id in far]
    unfit += _unfit(found, most - len(ordered))
    return Recollection(near[:most], missing, unfit, found.rewritten)


def _unfit(found: Found, most: int) -> list[Unfit]:
    """What would have come next if it were not for the floor."""
    nearest = list(found.unfit.items())[: max(most, 0)]
    texts = contents.of([key for key, _ in nearest])
    return [Unfit(key.item_id, texts[key].text, reason) for key, reason in nearest if key in texts]


def _ordered(asked: str, hits: Sequence[Hit], model: Embedder) -> tuple[list[Recalled], set[str]]:
    """The experiences in the order of how near they are, by their text, by their problem, and by their words; and the
    ids of those that are too far."""
    if not hits:
        return [], set()
    ids = [hit.id for hit in hits]
    problems = dict(Experience.objects.filter(pk__in=ids).values_list("pk", "problem"))
    vectors = _vectors(ids, model)
    near = kinship.nearness(
        asked, [problems.get(hit.id) or hit.text for hit in hits], [vectors.get(hit.id) for hit in hits], model
    )
    meaning, words = _spread(near), _spread([hit.raw.get("lexical", 0.0) for hit in hits])
    made = []
    for hit, by_meaning, by_words in zip(hits, meaning, words, strict=True):
        parts = {name: part for name, part in hit.scores.items() if name in KEPT_PARTS}
        parts |= {"meaning": MEANING_WEIGHT * by_meaning, "lexical": (1 - MEANING_WEIGHT) * by_words}
        made.append(_recalled(hit, sum(parts.values()), parts))
    far = {hits[place].id for place in _far(hits, near)}
    return sorted(made, key=lambda each: each.score, reverse=True), far


def _far(hits: Sequence[Hit], near: Sequence[float]) -> set[int]:
    """The places of the solutions of far other problems: one solution fits, and the others only take tokens. One that
    alone has the question's words is none of them: a code or a name has little meaning. Statements add up to an answer,
    and are none either."""
    solving = [place for place, hit in enumerate(hits) if hit.provenance["kind"] in SOLVING]
    nearest = max((near[place] for place in solving), default=0.0)
    if nearest <= 0:  # nothing tells them apart
        return set()
    by_words = sorted(solving, key=lambda place: hits[place].raw.get("lexical", 0.0), reverse=True)
    named = {place for place in by_words[:1] if _stands_out([hits[each].raw.get("lexical", 0.0) for each in by_words])}
    return {place for place in solving if near[place] < LEAST_SHARE * nearest} - named


def _stands_out(words: Sequence[float]) -> bool:
    """Whether the first has twice as much in common with the question as any other."""
    return words[0] > 0 and (len(words) == 1 or words[0] >= 2 * words[1])


def _vectors(experience_ids: Sequence[str], model: Embedder) -> dict[str, kinship.Vector]:
    """The vectors of those experiences that have one by this model."""
    found = Vector.objects.filter(collection=Collection.EXPERIENCE, item_id__in=experience_ids, model=model.model)
    return {item_id: np.asarray(vector, np.float32) for item_id, vector in found.values_list("item_id", "vector")}


def _spread(values: Sequence[float]) -> list[float]:
    """The values between the least and the greatest as shares, so that those of different measures can be added."""
    least, most = min(values), max(values)
    return [(value - least) / (most - least) if most > least else 0.0 for value in values]


def _recalled(hit: Hit, score: float, scores: Mapping[str, float]) -> Recalled:
    return Recalled(hit.id, hit.text, str(hit.provenance["kind"]), score, scores)


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

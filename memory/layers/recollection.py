"""What memory has to say on a question in a session: the experiences that its user may see. Needs a tenant's scope."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol

from memory.embedding.current import embedder
from memory.embedding.spec import Embedder
from memory.errors import ServiceFailed
from memory.layers import kinship
from memory.models import Experience, Source
from memory.retrieval import contents, search
from memory.retrieval.filters import Filters
from memory.retrieval.plan import Plan
from memory.retrieval.search import Found, Hit

# Experiences alone: documents and tools are searched by whoever wants them.
EXPERIENCES = Plan(knowledge_weight=0, tools_weight=0)
# So many are looked at again, whatever is asked for.
CANDIDATES = 20
# What meaning counts; the rest is for words in common. Measured with `bench/savings.py`.
MEANING_WEIGHT = 0.9
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
    with the question, each with its text and the reason; `rewritten` the words that were searched for instead of it."""

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
    ordered = [_recalled(hit, hit.score, hit.scores) for hit in direct]
    if "vector" not in missing and plan.vector_weight and not plan.rerank_weight:
        try:
            ordered = _ordered(found.rewritten or asked, direct, model)
        except ServiceFailed as error:  # what was asked is remembered, the problems are not
            missing["vector"] = error.detail
    return Recollection(ordered[:most], missing, _unfit(found, most - len(ordered)), found.rewritten)


def _unfit(found: Found, most: int) -> list[Unfit]:
    """What would have come next if it were not for the floor."""
    nearest = list(found.unfit.items())[: max(most, 0)]
    texts = contents.of([key for key, _ in nearest])
    return [Unfit(key.item_id, texts[key].text, reason) for key, reason in nearest if key in texts]


def _ordered(asked: str, hits: Sequence[Hit], model: Embedder) -> list[Recalled]:
    """The experiences in the order of how near they are: by their text, by their problem, and by their words."""
    if not hits:
        return []
    problems = dict(Experience.objects.filter(pk__in=[hit.id for hit in hits]).values_list("pk", "problem"))
    near = kinship.to_problems(asked, [problems.get(hit.id) or hit.text for hit in hits], model)
    texts = [hit.raw.get("vector", 0.0) for hit in hits]
    meaning = _spread([text + problem for text, problem in zip(texts, near, strict=True)])
    words = _spread([hit.raw.get("lexical", 0.0) for hit in hits])
    made = []
    for hit, by_meaning, by_words in zip(hits, meaning, words, strict=True):
        parts = {name: part for name, part in hit.scores.items() if name in KEPT_PARTS}
        parts |= {"meaning": MEANING_WEIGHT * by_meaning, "lexical": (1 - MEANING_WEIGHT) * by_words}
        made.append(_recalled(hit, sum(parts.values()), parts))
    return sorted(made, key=lambda each: each.score, reverse=True)


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

"""Recall over what was distilled, against raw turns, with as many tokens for the one as for the other.

Each set's conversations are recorded and refined by the worker's own code. A budget is what so many turns of average
length take in a context; turns or experiences fill it, the best first. An experience counts for the turns it came from.
"""

import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bench.datasets import Corpus, Dataset

# More results than any budget here holds.
MOST = 60
# Ids of turns for a query, the best first, at most so many.
Search = Callable[[str, int], list[str]]


@dataclass(frozen=True, slots=True)
class Remembered:
    """A distilled corpus: a tenant of its own, what each turn takes in a context, which turn each message is, and how
    many experiences there are, with what they take."""

    tenant_id: int
    user_id: str
    tokens: Mapping[str, int]
    turns: Mapping[tuple[str, int], str]
    experiences: int
    experience_tokens: int


def distilled(name: str, corpus: Corpus) -> Remembered:
    """The corpus, recorded and refined."""
    from bench.distillation import Tenant
    from memory.layers import shapes
    from memory.models import Message
    from memory.tenancy import tenant_scope
    from memory.tokens import counting

    tenant = Tenant(f"distilled-{name}-{corpus.name}".lower().replace(" ", "-"))
    turns: dict[tuple[str, int], str] = {}
    tokens: dict[str, int] = {}
    for document in corpus.documents:
        session = tenant.say(corpus.name, document.messages())
        with tenant_scope(tenant.row.pk):
            messages = Message.objects.filter(session_id=session).order_by("number")
            for key, message in zip(document.texts, messages, strict=True):
                turns[session, message.event_version] = key
                tokens[key] = counting.count(shapes.text_of(message.role, message.name, message.content))
    tenant.distil()
    held = tenant.experiences(status="active")
    return Remembered(tenant.row.pk, corpus.name, tokens, turns, len(held), sum(each.tokens for each in held))


def budgets(held: Remembered, dataset: Dataset) -> list[int]:
    """What as many turns of average length take as the set's places say."""
    return [round(places * statistics.fmean(held.tokens.values())) for places in dataset.places]


def by_turns(held: Remembered, query: str, most: Sequence[int], search: Search) -> list[set[str]]:
    """The turns that fit into so many tokens, by each budget."""
    taken = [(turn, held.tokens[turn]) for turn in search(query, MOST)]
    return [set(_fitting(taken, budget)) for budget in most]


def by_experiences(held: Remembered, query: str, most: Sequence[int], plan: Any, model: Any) -> list[set[str]]:
    """The turns behind the experiences that fit into so many tokens, by each budget."""
    from memory.layers import shapes
    from memory.models import Source
    from memory.retrieval import search
    from memory.retrieval.filters import Filters
    from memory.tenancy import tenant_scope
    from memory.tokens import counting

    own = replace(plan, knowledge_weight=0, tools_weight=0)
    with tenant_scope(held.tenant_id):
        allowed = Filters(user_ids=["", held.user_id])
        hits = search.search(query, MOST, plan=own, allowed=allowed, model=model).hits
        rows = Source.objects.filter(experience_id__in=[hit.id for hit in hits])
        behind: dict[str, set[str]] = {}
        for experience, stream, version in rows.values_list("experience_id", "stream_name", "event_version"):
            behind.setdefault(experience, set()).add(held.turns[stream, version])
    taken = [(hit.id, counting.count(shapes.memory_line(hit.text))) for hit in hits]
    return [set().union(*(behind[each] for each in _fitting(taken, budget))) for budget in most]


def _fitting(taken: Sequence[tuple[str, int]], budget: int) -> Iterator[str]:
    """What fits, the best first; what is too long for what is left is passed over, as in a context."""
    for each, tokens in taken:
        if tokens <= budget:
            budget -= tokens
            yield each

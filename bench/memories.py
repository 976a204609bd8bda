"""Recall over what was distilled, against raw turns, with as many tokens for the one as for the other.

Each set's conversations are recorded and refined by the worker's own code. A question's budget is what its first turns
take, found by the same method; experiences fill it, the best first, as in a context. An experience counts for the turns
it came from.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bench.datasets import Corpus

# More experiences than any budget here holds.
MOST = 60


@dataclass(frozen=True, slots=True)
class Remembered:
    """A distilled corpus: a tenant of its own, which turn each message is, and what the turns take."""

    tenant_id: int
    user_id: str
    turns: dict[tuple[str, int], str]
    tokens: dict[str, int]
    memories: int
    memory_tokens: int
    behind: frozenset[str]


def distilled(name: str, corpus: Corpus) -> Remembered:
    """The corpus, recorded and refined."""
    from bench.distillation import Tenant
    from memory.models import Message, Source
    from memory.tenancy import tenant_scope
    from memory.tokens import counting

    tenant = Tenant(f"distilled-{name}-{corpus.name}".lower().replace(" ", "-"))
    turns: dict[tuple[str, int], str] = {}
    for document in corpus.documents:
        session = tenant.say(corpus.name, document.messages())
        with tenant_scope(tenant.row.pk):
            versions = Message.objects.filter(session_id=session).order_by("number")
            for version, key in zip(versions.values_list("event_version", flat=True), document.texts, strict=True):
                turns[session, version] = key
    tenant.distil()
    held = tenant.experiences(status="active")
    with tenant_scope(tenant.row.pk):
        sources = Source.objects.filter(experience__status="active").values_list("stream_name", "event_version")
        behind = frozenset(turns[source] for source in sources)
    texts = {key: text for document in corpus.documents for key, text in document.texts.items()}
    return Remembered(
        tenant.row.pk,
        corpus.name,
        turns,
        {key: counting.count(text) for key, text in texts.items()},
        len(held),
        sum(each.tokens for each in held),
        behind,
    )


def turns_for(held: Remembered, query: str, budgets: Sequence[int], plan: Any, model: Any) -> list[set[str]]:
    """The turns behind the best experiences that fit into so many tokens, by each budget."""
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
        for experience, *source in rows.values_list("experience_id", "stream_name", "event_version"):
            behind.setdefault(experience, set()).add(held.turns[tuple(source)])
    taken = [(hit.id, counting.count(hit.text)) for hit in hits]
    return [set().union(*(behind[each] for each in _fitting(taken, budget))) for budget in budgets]


def _fitting(taken: Sequence[tuple[str, int]], budget: int) -> Iterator[str]:
    """What fits, the best first; what is too long for what is left is passed over, as in a context."""
    for each, tokens in taken:
        if tokens <= budget:
            budget -= tokens
            yield each

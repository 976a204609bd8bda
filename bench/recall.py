"""How often search finds what answers a question: the product's own search, part by part, on public sample sets, over
turns and over what was distilled of them.

Weights were tuned on every other LoCoMo question; `held out` are the others. Texts are indexed as passages of
documents: conversations themselves are never embedded.
"""

import statistics
from collections import Counter
from collections.abc import Sequence
from typing import Any

from bench import datasets, memories
from bench.datasets import Corpus, Dataset
from bench.memories import Search
from bench.report import RESULTS, publish
from bench.server import Installation

# What a question's recall is at the three places that its set measures.
Recall = tuple[float, ...]


def run(place: Installation) -> None:
    """Measure every set with every method, and publish the means."""
    data = datasets.folder()
    if data is None:
        print("recall: there is no sample data; ARES_SAMPLE_DATA names its folder.")
        return
    rows, beside = [], []
    for dataset in datasets.all_sets(data):
        methods = [_methods(dataset, corpus) for corpus in dataset.corpora]
        rows += _over_turns(dataset, methods)
        beside += _over_memories(dataset, methods)
    columns = ("set", "method", "questions", "at", "recall", "held out")
    publish("recall", "Recall of the texts that answer a question", columns, rows)
    columns = ("set", "method", "tokens", "raw turns", "distilled", "turns kept as", "of their tokens")
    publish("recall_distilled", "Recall within as many tokens of turns and of what was distilled", columns, beside)


def _over_turns(dataset: Dataset, methods: Sequence[dict[str, Search]]) -> list[tuple[str, str, int, str, str, str]]:
    found: dict[str, list[Recall]] = {}
    for corpus, searches in zip(dataset.corpora, methods, strict=True):
        for method, search in searches.items():
            for question in corpus.questions:
                ids = search(question.text, dataset.places[-1])
                tops = [set(ids[:place]) for place in dataset.places]
                found.setdefault(method, []).append(_recall(tops, question.fitting, dataset))
    at = " / ".join(map(str, dataset.places))
    return [
        (dataset.name, method, len(recalls), at, _means(recalls), _means(recalls[1::2]))
        for method, recalls in found.items()
    ]


def _over_memories(
    dataset: Dataset, methods: Sequence[dict[str, Search]]
) -> list[tuple[str, str, str, str, str, str, str]]:
    """Recall of turns and of experiences, by each budget; how many experiences there are, and what they take."""
    from bench.cached import Cached
    from memory.embedding.current import embedder

    model = Cached(embedder(), RESULTS / "vectors.sqlite")
    held = [memories.distilled(dataset.name, corpus) for corpus in dataset.corpora]
    turns = sum(len(each.tokens) for each in held)
    share = sum(each.experience_tokens for each in held) / sum(sum(each.tokens.values()) for each in held)
    kept = f"{sum(each.experiences for each in held):,} of {turns:,}"
    rows = []
    for method, plan in _compared().items():
        raw: list[Recall] = []
        distilled: list[Recall] = []
        for corpus, searches, remembered in zip(dataset.corpora, methods, held, strict=True):
            most = memories.budgets(remembered, dataset)
            for question in corpus.questions:
                there = memories.by_turns(remembered, question.text, most, searches[method])
                raw.append(_recall(there, question.fitting, dataset))
                there = memories.by_experiences(remembered, question.text, most, plan, model)
                distilled.append(_recall(there, question.fitting, dataset))
        spent = [memories.budgets(each, dataset) for each in held]
        tokens = " / ".join(str(round(statistics.fmean(at))) for at in zip(*spent, strict=True))
        rows.append((dataset.name, method, tokens, _means(raw), _means(distilled), kept, f"{share:.0%}"))
    return rows


def _compared() -> dict[str, Any]:
    """The plans by which turns and experiences are compared."""
    from memory.retrieval.plan import Plan

    plain = {"neighbour_weight": 0.0, "name_weight": 0.0}
    return {
        "vectors": Plan(lexical_weight=0, **plain),
        "BM25": Plan(vector_weight=0, **plain),
        "the default plan": Plan(),
    }


def _methods(dataset: Dataset, corpus: Corpus) -> dict[str, Search]:
    from memory.retrieval.plan import Fusion, Plan

    plain = {"neighbour_weight": 0.0, "name_weight": 0.0}
    plans = _compared() | {
        "reciprocal rank fusion": Plan(fusion=Fusion.RANK, **plain),
        "weighted sum": Plan(**plain),
        "… with neighbours": Plan(name_weight=0),
        "… with names": Plan(neighbour_weight=0),
        "rank fusion with both": Plan(fusion=Fusion.RANK),
    }
    return {"term frequency": _term_frequency(corpus)} | _searches(dataset, corpus, plans)


def _searches(dataset: Dataset, corpus: Corpus, plans: dict[str, object]) -> dict[str, Search]:
    """The product's search by each plan, in a tenant of its own that knows nothing but the corpus."""
    from bench.cached import Cached
    from memory import tenants
    from memory.embedding.current import embedder
    from memory.layers import knowledge
    from memory.retrieval import search
    from memory.tenancy import tenant_scope
    from tests.embed import embed

    RESULTS.mkdir(exist_ok=True)
    model = Cached(embedder(), RESULTS / "vectors.sqlite")
    tenant, _ = tenants.get_or_open(f"recall-{dataset.name}-{corpus.name}".lower().replace(" ", "-"))
    ids = {}
    with tenant_scope(tenant.pk):
        for document in corpus.documents:
            kept = knowledge.keep(document.title, "\n".join(document.texts.values()), list(document.texts.values()))
            embed([kept.pk], model)
            ids |= {(kept.pk, number): key for number, key in enumerate(document.texts, start=1)}

    def by(plan: object) -> Search:
        def find(query: str, limit: int) -> list[str]:
            with tenant_scope(tenant.pk):
                hits = search.search(query, limit, plan=plan, model=model).hits
            return [ids[hit.id, hit.provenance["passage"]] for hit in hits]

        return find

    return {name: by(plan) for name, plan in plans.items()}


def _term_frequency(corpus: Corpus) -> Search:
    """The naive way: a text is its ten commonest words but stop words, and fits by how many of them are asked for."""
    from memory.retrieval.terms import query_terms, terms

    common = {}
    for document in corpus.documents:
        for key, text in document.texts.items():
            telling = set(query_terms(text))
            counted = Counter({term: times for term, times in terms(text).items() if term in telling})
            common[key] = {term for term, _ in counted.most_common(10)}

    def find(query: str, limit: int) -> list[str]:
        asked = set(query_terms(query))
        return sorted(common, key=lambda key: -len(common[key] & asked))[:limit]

    return find


def _recall(found: Sequence[set[str]], fitting: frozenset[str], dataset: Dataset) -> Recall:
    hits = [len(fitting & texts) for texts in found]
    return tuple(float(each > 0) if dataset.any_fits else each / len(fitting) for each in hits)


def _means(recalls: Sequence[Recall]) -> str:
    return " / ".join(f"{statistics.fmean(at):.3f}" for at in zip(*recalls, strict=True))

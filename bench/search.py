"""Searching experiences against the bare SQL of the same query, in turns, and against peers where they are installed.

Texts are made up, with words as uneven as in a language, and vectors lie in clusters as those of texts do. The query's
vector is given: embedding takes the same time whoever searches.
"""

import random
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench import peers
from bench.report import publish
from bench.server import Installation

SIZES = (1_000, 5_000, 100_000)
BATCH = 500
QUERIES = 100
LIMIT = 10
DIMENSION = 384
MODEL = "made-up"
WORDS = 20_000


@dataclass(frozen=True, slots=True)
class Made:
    """What is searched, and what is asked."""

    texts: list[str]
    vectors: NDArray[np.float32]
    questions: list[str]
    asked: NDArray[np.float32]


class Given:
    """A model whose vectors of queries are known."""

    model, dimension = MODEL, DIMENSION

    def __init__(self, made: Made) -> None:
        self._known = dict(zip(made.questions, made.asked, strict=True))

    def embed_query(self, texts: list[str]) -> Any:
        return np.stack([self._known[text] for text in texts])

    embed_passages = embed_query


def run(place: Installation) -> None:
    """Measure each size, in a tenant of its own."""
    rows, beside = [], []
    for size in SIZES:
        made = _made(size)
        search, bare, adding = _product(made)
        spans = _spans({"search": search, "bare": bare}, made)
        ratio = spans["search"][0] / spans["bare"][0]
        rows.append((f"{size:,}", *spans["search"], *spans["bare"], ratio))
        beside.append((f"{size:,}", "aresweb", size / adding, *spans["search"]))
        beside += [(f"{size:,}", name, *figures) for name, figures in peers.measured(made, _spans)]
    columns = ("experiences", "p50 ms", "p95 ms", "bare SQL p50 ms", "bare SQL p95 ms", "ratio of p50")
    publish("search", "Search of experiences by vectors and words, against the bare SQL of both", columns, rows)
    columns = ("items", "what", "added a second", "search p50 ms", "search p95 ms")
    publish("search_peers", f"The same vectors in other stores. {peers.missing()}", columns, beside)


def _made(size: int) -> Made:
    source, numbers = random.Random(size), np.random.default_rng(size)
    words = ["".join(source.choices("abcdefghijklmnopqrstuvwxyz", k=7)) for _ in range(WORDS)]
    weights = [1 / (number + 10) for number in range(WORDS)]
    centres = numbers.normal(size=(200, DIMENSION))

    def vectors(count: int) -> NDArray[np.float32]:
        made = centres[numbers.integers(0, len(centres), count)] + 0.7 * numbers.normal(size=(count, DIMENSION))
        return (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)

    texts = [" ".join(source.choices(words, weights, k=source.randint(15, 60))) for _ in range(size)]
    questions = [" ".join(source.choices(words, weights, k=8)) for _ in range(QUERIES)]
    return Made(texts, vectors(size), questions, vectors(QUERIES))


def _product(made: Made) -> tuple[Callable[[int], Any], Callable[[int], Any], float]:
    """The product's search and the bare SQL by a question's number, and how long adding everything took, in seconds."""
    from django.db import connection

    from aresweb.database.base import as_owner
    from memory import jobs, tenants
    from memory.retrieval.plan import Plan
    from memory.retrieval.search import search
    from memory.tenancy import tenant_scope

    tenant, _ = tenants.get_or_open(f"search-{len(made.texts)}")
    began = perf_counter()
    for start in range(0, len(made.texts), BATCH):
        with tenant_scope(tenant.pk):
            _add(tenant.pk, made, start)
    adding = perf_counter() - began
    jobs.index_vectors()
    with as_owner(connection) as cursor:
        cursor.execute("VACUUM ANALYZE")
    plan, model = Plan(knowledge_weight=0, tools_weight=0), Given(made)

    def ask(number: int) -> Any:
        with tenant_scope(tenant.pk):
            return search(made.questions[number], LIMIT, plan=plan, model=model)

    return ask, _bare(made, tenant.pk), adding


def _add(tenant_id: int, made: Made, start: int) -> None:
    from memory.models import Experience
    from memory.retrieval import items, lexical, vector
    from memory.vocabulary import Collection, Kind, Method, new_id

    now = datetime.now(UTC)
    rows = [
        Experience(
            id=new_id("exp_"),
            tenant_id=tenant_id,
            kind=Kind.SOLUTION,
            method=Method.DIRECT,
            solution=text,
            confidence=0.8,
            importance=0.5,
            valid_from=now,
            digest=new_id("").encode().ljust(32),
            created_at=now,
            updated_at=now,
        )
        for text in made.texts[start : start + BATCH]
    ]
    Experience.objects.bulk_create(rows)
    lexical.index(items.of_experiences(rows))
    kept = [
        vector.Item(row.pk, MODEL, numbers, b"d" * 32)
        for row, numbers in zip(rows, made.vectors[start : start + BATCH], strict=True)
    ]
    vector.VectorStore().add(Collection.EXPERIENCE, kept)


BARE = """
WITH near AS MATERIALIZED ({near}), words AS MATERIALIZED ({words}), both_legs AS (
    SELECT item_id, coalesce(cosine, 0) + coalesce(score, 0) / 20 AS total FROM near FULL JOIN words USING (item_id)
)
SELECT item.id, item.problem, item.solution, item.kind, item.confidence, item.valid_from, total
FROM both_legs JOIN memory_experience AS item ON item.tenant_id = aresweb_tenant_id() AND item.id = both_legs.item_id
ORDER BY total DESC LIMIT 10
"""


def _bare(made: Made, tenant_id: int) -> Callable[[int], Any]:
    """Both legs and the rows in one statement over one connection, as somebody would write it by hand."""
    import psycopg
    from django.db import connection

    from aresweb.database.base import APPLICATION_ROLE
    from memory import sql
    from memory.retrieval import bm25, filters, lexical, vector
    from memory.retrieval.filters import Filters
    from memory.retrieval.search import POOL
    from memory.retrieval.terms import query_terms
    from memory.vocabulary import Collection

    allowed = Filters(statuses=["active"], min_confidence=0.2)
    condition = filters.exists(Collection.EXPERIENCE, allowed, "{}", each=True)
    if len(made.texts) > vector.EXACT_UP_TO:
        near = vector._indexed(MODEL, DIMENSION, condition.format("stored.item_id"))
    else:
        near = vector._exact(filters.exists(Collection.EXPERIENCE, allowed, "stored.item_id"))
    statement = BARE.format(near=near, words=lexical._statement(condition.format("text.item_id")))
    raw = psycopg.connect(**connection.get_connection_params() | {"cursor_factory": None})
    raw.execute(f"SET ROLE {APPLICATION_ROLE}")
    raw.execute("SELECT set_config('aresweb.tenant_id', %s, false)", [str(tenant_id)])
    raw.execute(sql.read("read_index_on").replace("true", "false"), {"wide": "100", "most": "1000000"})
    raw.commit()
    constant = {"collection": "experience", "model": MODEL, "dimension": DIMENSION, "k1": bm25.K1, "b": bm25.B}
    constant |= {"limit": POOL} | filters.parameters(allowed)

    def ask(number: int) -> Any:
        asked = {"vector": vector.written(made.asked[number]), "terms": query_terms(made.questions[number])}
        rows = raw.execute(statement, constant | asked, prepare=True).fetchall()
        raw.commit()
        return rows

    return ask


def _spans(ways: dict[str, Callable[[int], Any]], made: Made) -> dict[str, tuple[float, float]]:
    """The median and the 95th percentile of one search, in milliseconds, each way; they take turns."""
    spent: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(-10, QUERIES):  # the first ones do not count
        for name, ask in ways.items():
            began = perf_counter()
            ask(number % QUERIES)
            if number >= 0:
                spent[name].append(1000 * (perf_counter() - began))
    return {name: (statistics.median(spans), statistics.quantiles(spans, n=20)[-1]) for name, spans in spent.items()}

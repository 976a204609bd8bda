"""BM25, the formula. Pure; `bm25.sql` computes the same in PostgreSQL.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with the idf that Lucene uses,
which is never negative: ln(1 + (N - n + 0.5) / (n + 0.5)).
"""

from collections.abc import Iterable
from math import log
from typing import NamedTuple

# How fast a term's frequency saturates, and how much a text's length counts: the values of Trotman, Puurula and
# Burgess, "Improvements to BM25 and Language Models Examined" (2014). Measured against others in docs/adr/0009.
K1 = 0.9
B = 0.4


class Occurrence(NamedTuple):
    """A query's term in one text: how often it stands there, and in how many texts of the collection at all."""

    frequency: float
    texts: int


def idf(texts: int, collection: int) -> float:
    """The weight of a term that stands in so many texts of a collection of this size."""
    return log(1 + (collection - texts + 0.5) / (texts + 0.5))


def saturation(frequency: float, length: float, average: float) -> float:
    """What a term's frequency in a text of this length (in terms) counts, in [0, K1 + 1)."""
    return frequency * (K1 + 1) / (frequency + K1 * (1 - B + B * length / average))


def score(occurrences: Iterable[Occurrence], length: float, average: float, collection: int) -> float:
    """The score of a text: the sum over the query's terms that stand in it."""
    return sum(idf(found.texts, collection) * saturation(found.frequency, length, average) for found in occurrences)

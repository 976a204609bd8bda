"""Embedding at once what the worker would embed in a moment. Needs a tenant's scope."""

from collections.abc import Sequence

from memory.embedding.spec import Embedder
from memory.layers import embedding
from memory.vocabulary import WorkStatus


def embed(subject_ids: Sequence[str], model: Embedder) -> int:
    """Give these experiences, documents and tools the vectors that they lack; returns of how many texts."""
    lacking = embedding.lacking(subject_ids, model.model)
    embedding.keep(subject_ids, lacking, model.embed_passages([item.passage for item in lacking]), model.model)
    embedding.mark(subject_ids, WorkStatus.COMPLETED)
    return len(lacking)

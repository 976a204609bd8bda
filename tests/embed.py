"""Embedding in tests: at once what the worker would embed in a moment, and by a service of the test's own."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime

from django.conf import settings
from django.test import override_settings

from memory.embedding import current
from memory.embedding.spec import Embedder
from memory.layers import embedding
from memory.models import EmbeddingModel
from memory.vocabulary import WorkStatus


def embed(subject_ids: Sequence[str], model: Embedder) -> int:
    """Give these experiences, documents and tools the vectors that they lack; returns of how many texts. Needs a tenant's
    scope."""
    lacking = embedding.lacking(subject_ids, model.model)
    embedding.keep(subject_ids, lacking, model.embed_passages([item.passage for item in lacking]), model.model)
    embedding.mark(subject_ids, WorkStatus.COMPLETED)
    return len(lacking)


@contextmanager
def embedded_by(url: str, model: str = "model-x") -> Iterator[Embedder]:
    """Embedding by this service while the block lasts; the model was measured before."""
    services = {"ARES_EMBEDDING_URL": url, "ARES_EMBEDDING_MODEL": model}
    measured = {"dimension": 8, "unrelated": 0.9, "paraphrased": 0.98, "measured_at": datetime.now(UTC)}
    EmbeddingModel.objects.update_or_create(name=model, defaults=measured)
    with override_settings(ARES_SERVICES=settings.ARES_SERVICES | services):
        current.embedder.cache_clear()
        try:
            yield current.embedder()
        finally:
            current.embedder.cache_clear()

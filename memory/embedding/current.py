"""The embedding model in use, and how its cosines are to be read."""

from functools import cache

from memory import conf
from memory.embedding.calibration import Calibration
from memory.embedding.http import HttpEmbedder
from memory.embedding.local import LocalEmbedder
from memory.embedding.spec import Embedder
from memory.models import EmbeddingModel
from memory.services import Service

# What its errors begin with.
SERVICE = "The embedding service"
# Measured by `manage.py calibrate_embedding`.
LOCAL = Calibration(unrelated=0.7816, paraphrased=0.9469)
# Of a model that was not calibrated: cosines as they are, which keeps too much apart rather than too little.
UNKNOWN = Calibration(unrelated=0.0, paraphrased=0.85)


@cache
def embedder() -> Embedder:
    """The model that this installation is set to: the service's where ARES_EMBEDDING_URL names one, else the local."""
    url = conf.text("ARES_EMBEDDING_URL")
    if not url:
        return LocalEmbedder()
    service = Service(SERVICE, url, conf.text("ARES_EMBEDDING_KEY"), conf.value("ARES_SERVICE_SECONDS"))
    return HttpEmbedder(
        service,
        conf.text("ARES_EMBEDDING_MODEL"),
        query_prefix=conf.text("ARES_EMBEDDING_QUERY_PREFIX"),
        passage_prefix=conf.text("ARES_EMBEDDING_PASSAGE_PREFIX"),
        batch=conf.value("ARES_EMBEDDING_BATCH"),
        concurrency=conf.value("ARES_EMBEDDING_CONCURRENCY"),
    )


def calibration_of(model: str) -> Calibration:
    """How to read the cosines of a model."""
    kept = EmbeddingModel.objects.filter(name=model).first()
    if kept is not None:
        return Calibration(kept.unrelated, kept.paraphrased)
    return LOCAL if model == LocalEmbedder.model else UNKNOWN

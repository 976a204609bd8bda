"""The embedding model in use, and how its cosines are to be read."""

import logging
from datetime import UTC, datetime
from functools import cache

from memory import conf, sql
from memory.embedding.calibration import Calibration, measure
from memory.embedding.http import HttpEmbedder
from memory.embedding.local import LocalEmbedder
from memory.embedding.remembering import Remembering
from memory.embedding.spec import Embedder
from memory.models import EmbeddingModel
from memory.services import QUERY_REST, Service

logger = logging.getLogger(__name__)
# What its errors begin with.
SERVICE = "The embedding service"
# Measured by `manage.py calibrate_embedding`.
LOCAL = Calibration(unrelated=0.7816, paraphrased=0.9469)
# Of a model that tells nothing apart: high, so that too much is kept apart rather than too little.
UNKNOWN = Calibration(unrelated=0.9, paraphrased=0.98)


@cache
def embedder() -> Embedder:
    """The model that this installation is set to: the service's where ARES_EMBEDDING_URL names one, else the local.
    Of a model that was measured, vectors of another dimension than then are refused."""
    if is_local():
        return Remembering(LocalEmbedder())
    kept = EmbeddingModel.objects.filter(name=conf.text("ARES_EMBEDDING_MODEL")).first()
    return Remembering(of_service(kept.dimension if kept else None))


def is_local() -> bool:
    """Whether the model runs in this process, and asks nobody."""
    return not conf.text("ARES_EMBEDDING_URL")


def of_service(dimension: int | None) -> HttpEmbedder:
    """The model of ARES_EMBEDDING_URL, of this dimension or, without one, of that of its first answer."""
    url, key = conf.text("ARES_EMBEDDING_URL"), conf.text("ARES_EMBEDDING_KEY")
    return HttpEmbedder(
        Service(SERVICE, url, key, conf.value("ARES_SERVICE_SECONDS")),
        Service(SERVICE, url, key, conf.value("ARES_QUERY_SECONDS"), tries=1, rest=QUERY_REST),
        conf.text("ARES_EMBEDDING_MODEL"),
        dimension=dimension,
        query_prefix=conf.text("ARES_EMBEDDING_QUERY_PREFIX"),
        passage_prefix=conf.text("ARES_EMBEDDING_PASSAGE_PREFIX"),
        batch=conf.value("ARES_EMBEDDING_BATCH"),
        concurrency=conf.value("ARES_EMBEDDING_CONCURRENCY"),
    )


def warm_up() -> None:
    """Load what is large, so that nobody has to wait for it."""
    if is_local():
        embedder().embed_query(["ready"])


def calibration_of(model: str) -> Calibration:
    """How to read the cosines of a model."""
    for measured in sql.run("calibration", {"model": model}):  # every search asks: the ORM would take longer than this
        return Calibration(*measured)
    return LOCAL if model == LocalEmbedder.model else UNKNOWN


def calibrate(model: Embedder) -> None:
    """Measure a model that never was, before anything is decided by its vectors.

    Raises:
        ServiceFailed: the model cannot answer; ask again later.
    """
    if model.model == LocalEmbedder.model or EmbeddingModel.objects.filter(name=model.model).exists():
        return
    try:
        found = measure(model)
    except ValueError as error:
        logger.warning("%s: %s Its similarities are told as low.", model.model, error)
        found = UNKNOWN
    keep(model, found)


def keep(model: Embedder, found: Calibration) -> None:
    """Keep what was measured of a model, for the whole installation."""
    measured = {
        "dimension": model.dimension,
        "unrelated": found.unrelated,
        "paraphrased": found.paraphrased,
        "measured_at": datetime.now(UTC),
    }
    EmbeddingModel.objects.update_or_create(name=model.model, defaults=measured)

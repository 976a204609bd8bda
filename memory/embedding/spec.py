"""What every embedding model offers."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class Embedder(Protocol):
    """A model: its name, the dimension of its vectors, and two ways to embed, since a query is no passage."""

    model: str
    dimension: int

    def embed_query(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of queries: shape (len(texts), dimension), rows of unit length."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of what is searched: shape (len(texts), dimension), rows of unit length."""
        ...

"""What every embedding model offers."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float32]


class Embedder(Protocol):
    """A model that turns texts into vectors of unit length.

    Both methods give an array of shape (texts, dimension), and raise `memory.errors.EmbeddingFailed` where the model
    cannot answer. Queries and passages are told apart because some models want them marked.
    """

    @property
    def model(self) -> str: ...
    @property
    def dimension(self) -> int: ...

    def embed_query(self, texts: Sequence[str]) -> Matrix: ...
    def embed_passages(self, texts: Sequence[str]) -> Matrix: ...

"""What every embedding model offers."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float32]

# Of a longer text, so much is embedded. What comes later hardly moves the vector, and an agent waits for that of a
# query: the local model takes 2 ms a token on one core, 0.4 s for 1,000 characters of English and 4 s for 8,000.
MOST_CHARACTERS = 8_000
MOST_QUERY_CHARACTERS = 2_000


class Embedder(Protocol):
    """A model that turns texts into vectors of unit length. Threads may share it.

    Both methods give an array of shape (texts, dimension), and raise `memory.errors.ServiceFailed` where the model
    cannot answer. Queries and passages are told apart because some models want them marked.
    """

    @property
    def model(self) -> str: ...
    @property
    def dimension(self) -> int: ...

    def embed_query(self, texts: Sequence[str]) -> Matrix: ...
    def embed_passages(self, texts: Sequence[str]) -> Matrix: ...

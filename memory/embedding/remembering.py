"""Texts that come again are not embedded again."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import Lock

import numpy as np
import numpy.typing as npt

from memory.embedding.spec import Embedder, Matrix

Key = tuple[bool, bytes]

# Vectors that one process remembers: 3 MiB at 384 dimensions.
MOST = 2048


class Remembering:
    """A model that remembers the vectors of the texts it was last asked for."""

    def __init__(self, inner: Embedder, most: int = MOST) -> None:
        self._inner = inner
        self._most = most
        self._lock = Lock()
        self._kept: OrderedDict[Key, npt.NDArray[np.float32]] = OrderedDict()

    @property
    def model(self) -> str:
        """See `Embedder`."""
        return self._inner.model

    @property
    def dimension(self) -> int:
        """See `Embedder`."""
        return self._inner.dimension

    def embed_query(self, texts: Sequence[str]) -> Matrix:
        """See `Embedder`."""
        return self._embed(texts, self._inner.embed_query, is_query=True)

    def embed_passages(self, texts: Sequence[str]) -> Matrix:
        """See `Embedder`."""
        return self._embed(texts, self._inner.embed_passages, is_query=False)

    def _embed(self, texts: Sequence[str], ask: Callable[[Sequence[str]], Matrix], *, is_query: bool) -> Matrix:
        keys = [(is_query, _digest(text)) for text in texts]
        with self._lock:
            known = {key: self._kept[key] for key in keys if key in self._kept}
        lacking = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if lacking:
            known |= dict(zip(lacking, ask(list(lacking.values())), strict=True))
        self._keep({key: known[key] for key in keys})
        return np.stack([known[key] for key in keys]) if keys else ask([])

    def _keep(self, used: dict[Key, npt.NDArray[np.float32]]) -> None:
        with self._lock:
            for key, vector in used.items():
                self._kept[key] = vector
                self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()

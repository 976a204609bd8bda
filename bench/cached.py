"""An embedding model whose vectors are kept in a file between runs: the same texts are not embedded again."""

import hashlib
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memory.embedding.spec import Embedder

BATCH = 50


class Cached:
    """`model`'s vectors, from the file where they stand there."""

    def __init__(self, model: Embedder, path: Path) -> None:
        self.model, self.dimension, self._embedder = model.model, model.dimension, model
        self._file = sqlite3.connect(path)
        self._file.execute("CREATE TABLE IF NOT EXISTS vector (key TEXT PRIMARY KEY, value BLOB)")

    def embed_query(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._vectors("query", texts, self._embedder.embed_query)

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._vectors("passage", texts, self._embedder.embed_passages)

    def _vectors(
        self, role: str, texts: Sequence[str], embed: Callable[[Sequence[str]], NDArray[np.float32]]
    ) -> NDArray[np.float32]:
        keys = [hashlib.sha256(f"{self.model}\0{role}\0{text}".encode()).hexdigest() for text in texts]
        known = {key: self._kept(key) for key in keys}
        new = {key: text for key, text in zip(keys, texts, strict=True) if known[key] is None}
        for start in range(0, len(new), BATCH):
            batch = list(new)[start : start + BATCH]
            for key, row in zip(batch, embed([new[key] for key in batch]), strict=True):
                known[key] = np.asarray(row, np.float32)
                self._file.execute("INSERT OR REPLACE INTO vector VALUES (?, ?)", (key, known[key].tobytes()))
            self._file.commit()
        return np.stack([known[key] for key in keys])

    def _kept(self, key: str) -> NDArray[np.float32] | None:
        row = self._file.execute("SELECT value FROM vector WHERE key = ?", (key,)).fetchone()
        return None if row is None else np.frombuffer(row[0], np.float32)

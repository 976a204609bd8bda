"""Texts told again: digests by which a text is recognised when it comes back whole, shortened or reformatted. Pure.

A text is cut at line breaks, and where it is JSON into its leaves, each with its key. The words of such a line are read
without case, punctuation and markup, so that indentation, quotes, bullets and the order of keys do not count. A line
of up to SHINGLE words is one piece; of a longer one the runs of SHINGLE words are, thinned out by winnowing (Schleimer,
Wilkerson, Aiken: Winnowing, SIGMOD 2003): of WINDOW runs in a row the one with the smallest hash is kept. Both sides
choose the same ones wherever they agree, so what they share of SHINGLE + WINDOW - 1 words or more is always found.

Only keyed digests are kept: without the key, which each stream has for itself, nobody can tell whether a text that
they think of was there.
"""

import hashlib
import json
import re
import zlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

SHINGLE = 5
WINDOW = 8
# Pieces of one text that are kept: of a longer one those with the smallest digests, a sample that both sides agree on.
MOST_KEPT = 64
# Pieces of one text that are looked for.
MOST_SOUGHT = 2000
# A single word says too little about where it comes from, unless it is as long as an identifier.
LONG_WORD = 8
# Characters of a text that are read.
READ = 400_000
DEEPEST = 100

# A word; of scripts without spaces between words each character is one.
_WORD = re.compile(
    r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W_\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+"
)


class Pieces(Protocol):
    """What a run has told so far: in which event each digest was met last."""

    def versions_of(self, digests: Collection[int]) -> Mapping[int, int]:
        """The newest version that has each of these digests; digests that none has are left out."""
        ...

    def add(self, version: int, digests: Collection[int]) -> None:
        """Keep that this event has these digests. Events are added in the order of their versions."""
        ...


class PiecesInMemory:
    """Pieces of a run that is read in one go."""

    def __init__(self) -> None:
        self._newest: dict[int, int] = {}

    def versions_of(self, digests: Collection[int]) -> dict[int, int]:
        """See `Pieces`."""
        return {digest: self._newest[digest] for digest in digests if digest in self._newest}

    def add(self, version: int, digests: Collection[int]) -> None:
        """See `Pieces`."""
        self._newest |= dict.fromkeys(digests, version)

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
# Pieces of one text that are kept, and that are looked for: of more, those with the smallest digests, a sample that is
# the same wherever the text stands.
MOST_KEPT = 64
MOST_SOUGHT = 2000
# Characters that a piece must have: fewer say too little about where they come from.
LEAST_CHARACTERS = 8
# Characters of a text that are read.
READ = 400_000
DIGEST_BYTES = 8

# Scripts that put no space between words: Thai, kana, Han. Each of their characters counts as a word.
_SPACELESS = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_SPACELESS}]|[^\W_{_SPACELESS}]+")


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Digests of a text. `whole` is that of all its words, None where it has none; `parts` are those of its pieces,
    each once, the smallest first."""

    whole: int | None
    parts: tuple[int, ...]

    @property
    def kept(self) -> tuple[int, ...]:
        """What is kept of a text that may come back."""
        return self.parts[:MOST_KEPT] if self.whole is None else (self.whole, *self.parts[:MOST_KEPT])

    @property
    def sought(self) -> tuple[int, ...]:
        """What is looked for of a text that may have been there before."""
        return self.parts[:MOST_SOUGHT] if self.whole is None else (self.whole, *self.parts[:MOST_SOUGHT])


def fingerprint(text: str, key: bytes) -> Fingerprint:
    """The digests of a text, under a key of at most 64 bytes."""
    lines = [words for line in text[:READ].splitlines() if (words := _WORD.findall(line.casefold()))]
    if not lines:
        return Fingerprint(None, ())
    whole = digest(key, "whole", " ".join(" ".join(words) for words in lines))
    leaves = [_WORD.findall(leaf.casefold()) for leaf in _leaves(text)]
    pieces = {piece for words in (*lines, *leaves) for piece in _pieces(words)}
    return Fingerprint(whole, tuple(sorted(digest(key, "part", piece) for piece in pieces)))


def digest(key: bytes, kind: str, text: str) -> int:
    """A keyed digest as a signed number of 64 bits. The same text has another one for each kind."""
    hashed = hashlib.blake2b(f"{kind}\0{text}".encode(), key=key, digest_size=DIGEST_BYTES)
    return int.from_bytes(hashed.digest(), signed=True)


def _pieces(words: list[str]) -> Iterator[str]:
    """The pieces of one line."""
    if len(words) <= SHINGLE:
        runs = [" ".join(words)]
    else:
        every = [" ".join(words[start : start + SHINGLE]) for start in range(len(words) - SHINGLE + 1)]
        runs = [every[place] for place in _winnowed([zlib.crc32(run.encode()) for run in every])]
    return (run for run in runs if len(run) >= LEAST_CHARACTERS)


def _winnowed(hashes: list[int]) -> list[int]:
    """The places of the smallest hash of each window, the last one where several are."""
    kept: list[int] = []
    for end in range(min(WINDOW, len(hashes)), len(hashes) + 1):
        begin = max(end - WINDOW, 0)
        if kept and kept[-1] >= begin:
            if hashes[end - 1] <= hashes[kept[-1]]:
                kept.append(end - 1)
        else:
            kept.append(min(range(begin, end), key=lambda place: (hashes[place], -place)))
    return kept


def _leaves(text: str) -> Iterator[str]:
    """The leaves of a JSON object or array, each with its key, a line each; nothing for any other text."""
    if text.lstrip()[:1] not in ("{", "["):
        return
    try:
        waiting: list[tuple[str, Any]] = [("", json.loads(text))] if len(text) <= READ else []
    except (ValueError, RecursionError):
        return
    while waiting:
        name, value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(value.items())
        elif isinstance(value, list):
            waiting.extend((name, item) for item in value)
        elif value is not None:
            for line in str(value).splitlines():
                yield f"{name} {line}"


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

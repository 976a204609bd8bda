"""A document → passages, each small enough to be embedded whole and to be given to a model. Pure."""

import re
from collections.abc import Iterator

# Characters of a passage at most. Embedding models read 512 tokens: about 1,500 characters of English, or 500 Chinese
# ones.
MAX_PASSAGE = 1_200
# A Chinese, Japanese or Korean character counts as so many: each is about a token of its own.
WIDE = 2.4
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
# Where a text may be cut, the best places first: blank lines, line ends, sentence ends, spaces.
_CUTS = (re.compile(r"\n\s*\n"), re.compile(r"\n"), re.compile(r"(?<=[.!?])\s+|(?<=[。！？；])"), re.compile(r"\s+"))


def cut(text: str) -> list[str]:
    """The passages of a document in their order, none empty. Paragraphs stay together as far as they fit."""
    return [passage for passage in (piece.strip() for piece in _joined(text.strip(), 0)) if passage]


def _joined(text: str, depth: int) -> Iterator[str]:
    """The text, cut at this depth's places or deeper where pieces are too long, and put together again where they
    fit."""
    if _size(text) <= MAX_PASSAGE:
        yield text
        return
    if depth == len(_CUTS):
        step = int(MAX_PASSAGE / WIDE)
        yield from (text[start : start + step] for start in range(0, len(text), step))
        return
    kept, size = "", 0.0
    for piece in _pieces(text, depth):
        length = _size(piece)
        if kept and size + length > MAX_PASSAGE:
            yield from _joined(kept, depth + 1)
            kept, size = "", 0.0
        kept, size = kept + piece, size + length
    yield from _joined(kept, depth + 1)


def _pieces(text: str, depth: int) -> Iterator[str]:
    start = 0
    for place in _CUTS[depth].finditer(text):
        yield text[start : place.end()]
        start = place.end()
    yield text[start:]


def _size(text: str) -> float:
    return len(text) + (WIDE - 1) * len(_WIDE.findall(text))

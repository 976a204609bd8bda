"""What differs between two texts, word by word. Pure."""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

SAME, GONE, ADDED = "same", "gone", "added"
# Words, single characters of scripts that write without spaces, blanks, and everything else by itself.
WORD = re.compile(
    r"[\u3400-\u9fff\uf900-\ufaff\u3040-\u30ff]|[^\W\u3400-\u9fff\uf900-\ufaff\u3040-\u30ff]+|\s+|[^\w\s]"
)
# Comparing takes time that grows with the square of the words; longer texts are shown one under the other.
MOST_WORDS = 3000
CONTEXT = 80


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of text that both have (`same`), that only the older (`gone`) or only the newer one has (`added`)."""

    how: str
    text: str


def pieces(before: str, after: str) -> list[Piece]:
    """The pieces of both texts in order; joined without the gone ones they are `after`, without the added, `before`."""
    old, new = WORD.findall(before), WORD.findall(after)
    if len(old) + len(new) > MOST_WORDS:
        return [Piece(how, text) for how, text in ((GONE, before), (ADDED, after)) if text]
    made: list[Piece] = []
    for how, start, end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if how == "equal":
            made.append(Piece(SAME, "".join(old[start:end])))
            continue
        gone, added = "".join(old[start:end]), "".join(new[new_start:new_end])
        made += [Piece(kind, text) for kind, text in ((GONE, gone), (ADDED, added)) if text]
    return made


def around(found: list[Piece]) -> list[Piece]:
    """The same pieces, long stretches that both texts have shortened to CONTEXT characters beside what differs."""
    return [_shortened(piece, index > 0, index < len(found) - 1) for index, piece in enumerate(found)]


def _shortened(piece: Piece, after_change: bool, before_change: bool) -> Piece:
    if piece.how != SAME or len(piece.text) <= 3 * CONTEXT:
        return piece
    begin = piece.text[:CONTEXT] if after_change else ""
    end = piece.text[-CONTEXT:] if before_change else ""
    return Piece(SAME, f"{begin} … {end}")

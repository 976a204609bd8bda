"""What is searched: items, each with the text it is found by. Pure."""

import hashlib
from collections import Counter
from dataclasses import dataclass

from memory.retrieval.terms import terms
from memory.vocabulary import Collection

# A shorter text (in characters) is hard to understand alone, and is embedded and indexed with what stands before it;
# a longer one would only be diluted by it. Measured in docs/adr/0009.
SELF_CONTAINED = 300
# What a term of the context counts against one of the text itself. Measured in docs/adr/0009.
CONTEXT_WEIGHT = 0.5


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a collection.

    `title` heads what it is a piece of, `context` is what stands before the text, `sequence` names what it is a piece
    of, in the order of `place`, and `names` are whom and what it is about, as written. `dated` is a day that it is
    found by, as words: it is not embedded.
    """

    collection: Collection
    id: str
    text: str
    title: str = ""
    context: str = ""
    dated: str = ""
    sequence: str = ""
    place: int = 0
    names: tuple[str, ...] = ()

    @property
    def passage(self) -> str:
        """The text that is embedded."""
        return "\n".join(filter(None, (self.title, self._added, self.text)))

    @property
    def digest(self) -> bytes:
        """SHA-256 (32 bytes) of the text that is embedded: another one needs another vector."""
        return hashlib.sha256(self.passage.encode()).digest()

    def frequencies(self) -> dict[str, float]:
        """How often each term counts in what it is found by."""
        own: Counter[str] = terms(self.text)
        counted = {term: float(times) for term, times in own.items()}
        for term, times in terms(f"{self.title}\n{self.dated}\n{self._added}").items():
            counted[term] = counted.get(term, 0.0) + CONTEXT_WEIGHT * times
        return counted

    @property
    def leaning(self) -> float:
        """How much the text leans on what stands around it: 1 for a short one, less the longer it is."""
        return min(1.0, SELF_CONTAINED / max(1, len(self.text)))

    @property
    def _added(self) -> str:
        return self.context if len(self.text) < SELF_CONTAINED else ""

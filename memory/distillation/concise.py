"""Sentences in fewer words, with everything in them that may be asked for. Pure."""

import re
from collections.abc import Collection

from memory.distillation.telling import is_specific, weight
from memory.language import CJK

# Words that carry nothing that is asked for later.
_FILLER = re.compile(
    r"\b(?:really|just|actually|basically|literally|honestly|definitely|totally|super|absolutely|certainly|you know,?|i mean,?|kind of|sort of|pretty much|of course,?|by the way,?|as well|lately|anyway,?|i think|i guess|a bit|quite|very|for sure|such an? (?=amazing|great|good|nice|awesome|wonderful))(?:\s|(?=[.!,]|$))",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"(?:(?:and|but|so|also|plus|well|oh|yeah|guess what|on another note|by the way|btw|fyi|anyway|anyways|in fact|speaking of which|to be honest|tbh|as for me|for me|honestly|luckily|lately|recently|actually)[,:]?(?: -+)?\s+)+",
    re.IGNORECASE,
)
_KEPT_OPENING = re.compile(r"(?:so|and|but) (?:that|far|much|many|on)\b|for me (?:to|is)\b", re.IGNORECASE)
_CLAUSE = re.compile(
    r"\s+[-–—]+\s+|[-–—]{2,}\s*|[,;]\s+(?=(?:and|but|so|it's|that's|it was|that was|they're|they were)\b)|\s+(?=(?:and|but|so) (?:it|that|this|they|he|she|we|i|was|is|it's|that's|i'm)\b)",
    re.IGNORECASE,
)
# A clause that changes what the one before it says is no ornament.
_CHANGES = re.compile(
    r"\b(?:not|no|never|nobody|none|nothing|if|unless|except|because|until|when|only)\b|n't\b", re.IGNORECASE
)
_CAPTION = re.compile(
    r"(\[picture: )(?:an? )?(?:photography|photograph|photo|picture|image|close up|screenshot) of (?:an? |the )?"
)
_ADDRESS = re.compile(r"(?:(?<=^)|,\s*)(?P<name>[^\W\d_]+)(?:\s*[-,!](?=\s|$)|(?=[.?]|$))\s*")
SHORTEST_NAME = 3


def concise(sentence: str) -> str:
    """The sentence without fillers, openings, and clauses that only judge."""
    if CJK.search(sentence):
        return sentence
    shorter = _FILLER.sub("", _without_ornament(_opened(sentence)))
    shorter = _CAPTION.sub(r"\1", shorter).strip()
    return shorter[:1].upper() + shorter[1:] if shorter[:1] != sentence[:1] else shorter


def _opened(sentence: str) -> str:
    opening = _OPENING.match(sentence)
    return sentence[opening.end() :] if opening and not _KEPT_OPENING.match(sentence) else sentence


def without_address(sentence: str, names: Collection[str]) -> str:
    """The sentence without the names of those it is said to: "Thanks, Ann!", "Ann, I moved"."""

    def left(found: re.Match[str]) -> str:
        called = found["name"].lower()
        known = len(called) >= SHORTEST_NAME and any(name.lower().startswith(called) for name in names)
        return "" if known else found[0]

    return _ADDRESS.sub(left, sentence).strip()


def _without_ornament(sentence: str) -> str:
    """The sentence without its later clauses that hold nothing but a judgement: "… and it was amazing!"."""
    ends = [found.span() for found in _CLAUSE.finditer(sentence)]
    if not ends:
        return sentence
    kept = sentence[: ends[0][0]]
    for (begin, text_begin), (end, _) in zip(ends, [*ends[1:], (len(sentence), 0)], strict=True):
        clause = sentence[text_begin:end]
        if weight(clause) or is_specific(clause) or _CHANGES.search(clause):
            kept += sentence[begin:end]
    return kept

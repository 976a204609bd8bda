"""Importance and confidence, each of named terms. Pure.

Terms in [0, 1] are joined as independent reasons are, by noisy-or: 1 - (1 - w1 t1)(1 - w2 t2)… (Pearl, Probabilistic
Reasoning in Intelligent Systems, 1988, section 4.3.2). Weights lie below 1, so nothing reaches 1.0 and ties are broken
by every further reason. Weights were chosen so that a plain statement comes to about 0.4 and a confirmed solution with
evidence to about 0.9.
"""

import math
import re
from collections.abc import Mapping

from memory.vocabulary import Kind, Method

IMPORTANCE = {"kind": 0.5, "evidence": 0.5, "specifics": 0.4, "length": 0.25, "effort": 0.4}
CONFIDENCE = {"method": 0.6, "confirmed": 0.6, "worked": 0.5, "first_hand": 0.3, "evidence": 0.2, "specifics": 0.2}
# What lowers confidence takes a share of it away.
DOUBTS = {"hedged": 0.3, "tried_in_vain": 0.15, "refused": 0.6, "unfinished": 0.3}

_KIND = {
    Kind.SOLUTION: 0.7,
    Kind.PROCEDURE: 0.8,
    Kind.ABSTRACTION: 0.8,
    Kind.PREFERENCE: 0.6,
    Kind.PROFILE: 0.7,
    Kind.FACT: 0.3,
}
_METHOD = {Method.DIRECT: 0.7, Method.SUMMARY: 0.6, Method.PATTERN: 0.6}
_HEDGE = re.compile(
    r"\b(?:maybe|perhaps|probably|possibly|might|i think|i guess|i believe|not sure|it seems|seems like|could be|apparently)\b"
    r"|可能|也许|大概|好像|似乎|不确定|应该是|估计",
    re.IGNORECASE,
)
_SPECIFIC = re.compile(
    r"\d+(?:[.:,/-]\d+)*|(?<=[a-z,] )[A-Z][\w-]+|`[^`]+`|\"[^\"]{2,40}\"|[《“「][^》”」]{1,40}[》”」]|(?:[\w.-]+/)+[\w.-]+"
)
# So many specifics, and so many characters, count as many.
MANY_SPECIFICS = 8
LONG = 1200


def importance(text: str, kind: Kind, *, evidence: bool, effort: int) -> tuple[float, dict[str, float]]:
    """How much is lost if this is forgotten, and its terms; `effort` counts the messages and calls it took."""
    terms = {
        "kind": _KIND[kind],
        "evidence": float(evidence),
        "specifics": specifics(text),
        "length": min(1.0, math.log1p(len(text)) / math.log1p(LONG)),
        "effort": min(1.0, math.log1p(effort) / math.log1p(30)),
    }
    return _joined(terms, IMPORTANCE), terms


def confidence(
    text: str,
    method: Method,
    *,
    confirmed: bool = False,
    worked: bool = False,
    first_hand: bool = False,
    evidence: bool = False,
    tried_in_vain: int = 0,
    refused: bool = False,
    unfinished: bool = False,
) -> tuple[float, dict[str, float]]:
    """How sure it is that this holds, and its terms."""
    terms = {
        "method": _METHOD[method],
        "confirmed": float(confirmed),
        "worked": float(worked),
        "first_hand": float(first_hand),
        "evidence": float(evidence),
        "specifics": specifics(text),
    }
    doubts = {
        "hedged": float(bool(_HEDGE.search(text))),
        "tried_in_vain": min(1.0, tried_in_vain / 3),
        "refused": float(refused),
        "unfinished": float(unfinished),
    }
    sure = _joined(terms, CONFIDENCE)
    for name, doubt in doubts.items():
        sure *= 1 - DOUBTS[name] * doubt
    return round(sure, 4), {**terms, **{name: -doubt for name, doubt in doubts.items() if doubt}}


def specifics(text: str) -> float:
    """How specific a text is, in [0, 1]: numbers, names, quotations, code and paths in it."""
    return min(1.0, len(set(_SPECIFIC.findall(text))) / MANY_SPECIFICS)


def _joined(terms: Mapping[str, float], weights: Mapping[str, float]) -> float:
    return round(1 - math.prod(1 - weights[name] * value for name, value in terms.items()), 4)

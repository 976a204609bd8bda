"""What has nothing to do with a query, however little else there is to be found. Pure.

The nearest vector is always there, and a greeting is near to anything.
"""

from collections.abc import Mapping
from typing import TypeVar

from memory.language import sentences
from memory.noise import is_noise

Key = TypeVar("Key")

NOTHING_ASKED = "The query is a greeting, thanks or the like, which asks for nothing."
# A query without a telling word ("And then?") must be meant itself: so similar are texts that say nearly the same.
WORDLESS = 0.5


def asks_nothing(query: str) -> bool:
    """Whether every sentence of a query is a greeting, thanks, an acknowledgement or filler."""
    return all(is_noise(sentence) for sentence in sentences(query))


def unfit(similarities: Mapping[Key, float], shares: Mapping[Key, float] | None, floor: float) -> dict[Key, str]:
    """What is not relevant, the nearest first, and why.

    Args:
        similarities: how similar what was found is to the query, calibrated, in [0, 1]; what is missing is not judged.
        shares: how much of the weight of the query's words each has; None where there is none that tells anything.
        floor: what reaches it, either way, is relevant.
    """
    least = floor if shares is not None else max(floor, WORDLESS)
    shared = shares or {}
    far = [key for key, similar in similarities.items() if similar < least and shared.get(key, 0.0) < floor]
    far.sort(key=lambda key: -similarities[key])
    return {key: _reason(similarities[key], least, shared.get(key, 0.0), floor) for key in far}


def _reason(similar: float, least: float, share: float, floor: float) -> str:
    return (
        f"It has too little to do with the query: its similarity is {similar:.2f}, below {least:.2f}, "
        f"and it has {share:.0%} of what the query's words weigh, below {floor:.0%}."
    )

"""The flight strip in miniature: a run as at most 120 letters, kept up to date while events arrive. Pure.

Each letter stands for `bin_size` events (the last one for up to as many): the family of the first of them, in upper
case when any of them is an error. When the strip is full, neighbours are merged and the bins hold twice as many. What
a letter becomes does not depend on how the events were batched.
"""

from collections.abc import Iterable

MOST_BINS = 120


def extend(strip: str, bin_size: int, recorded: int, letters: Iterable[str]) -> tuple[str, int]:
    """The strip and its bin size after more events.

    Args:
        strip: the letters so far.
        bin_size: events a letter, a power of two.
        recorded: how many events the strip covers so far.
        letters: one letter per new event (`memory.events.facts.family`), upper case for an error.
    """
    bins = list(strip)
    for letter in letters:
        if recorded % bin_size == 0:
            if len(bins) == MOST_BINS:
                bins = [merge(bins[i], bins[i + 1]) for i in range(0, MOST_BINS, 2)]
                bin_size *= 2
            bins.append(letter)
        else:
            bins[-1] = merge(bins[-1], letter)
        recorded += 1
    return "".join(bins), bin_size


def merge(one: str, other: str) -> str:
    """The letter of two bins together: the first one's family; an error anywhere stays an error."""
    return one.upper() if other.isupper() else one

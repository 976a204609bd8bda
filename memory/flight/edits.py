"""Two sequences beside each other: the stretches that both have, and those where they differ. Pure."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import LCSseq


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of both sequences. Where `is_same`, both parts say the same, item by item."""

    is_same: bool
    a: slice
    b: slice


def stretches(a: Sequence[Hashable], b: Sequence[Hashable]) -> Iterator[Stretch]:
    """The stretches in order, same ones and differing ones in turn (longest common subsequence, by rapidfuzz)."""
    at_a, at_b = 0, 0
    for edit in LCSseq.opcodes(a, b):
        if edit.tag != "equal":
            continue
        if (at_a, at_b) != (edit.src_start, edit.dest_start):
            yield Stretch(False, slice(at_a, edit.src_start), slice(at_b, edit.dest_start))
        at_a, at_b = edit.src_end, edit.dest_end
        yield Stretch(True, slice(edit.src_start, at_a), slice(edit.dest_start, at_b))
    if (at_a, at_b) != (len(a), len(b)):
        yield Stretch(False, slice(at_a, len(a)), slice(at_b, len(b)))

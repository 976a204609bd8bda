"""The flight strip: a run in at most 120 letters, the same however its events were batched."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from memory.events.strip import MOST_BINS, extend, merge

FAMILIES = "smtloyapx"
letters = st.text(FAMILIES + FAMILIES.upper(), max_size=40)


def whole(line: str) -> tuple[str, int]:
    return extend("", 1, 0, line)


def test_each_event_has_its_letter_until_the_strip_is_full() -> None:
    assert whole("smlo") == ("smlo", 1)
    assert whole("s" * MOST_BINS) == ("s" * MOST_BINS, 1)


def test_a_full_strip_merges_neighbours_and_holds_twice_as_many() -> None:
    assert whole("sm" * (MOST_BINS // 2) + "T") == ("s" * (MOST_BINS // 2) + "T", 2)


@given(letters, letters)
def test_two_letters_become_the_first_one_and_an_error_stays_an_error(one: str, other: str) -> None:
    for a, b in zip(one, other, strict=False):
        merged = merge(a, b)
        assert merged.lower() == a.lower()
        assert merged.isupper() == (a.isupper() or b.isupper())


@given(st.lists(letters, max_size=30))
def test_the_strip_does_not_depend_on_the_batches(parts: list[str]) -> None:
    line, size, count = "", 1, 0
    for part in parts:
        line, size = extend(line, size, count, part)
        count += len(part)
    assert (line, size) == whole("".join(parts))


@given(st.integers(0, 5_000), st.sampled_from(FAMILIES), st.data())
def test_the_strip_covers_every_event_and_keeps_the_error(count: int, letter: str, data: st.DataObject) -> None:
    run = [letter] * count
    if run:
        wrong = data.draw(st.integers(0, count - 1))
        run[wrong] = letter.upper()
    line, size = extend("", 1, 0, run)
    assert len(line) <= MOST_BINS
    assert len(line) == -(-count // size)
    assert not run or line.index(letter.upper()) == wrong // size


def test_bins_grow_by_doubling() -> None:
    line, sizes = "", [1]
    for count in range(2_000):
        line, size = extend(line, sizes[-1], count, "s")
        sizes.append(size)
    assert sizes[-1] == 32
    assert all(after in (before, 2 * before) for before, after in pairwise(sizes))

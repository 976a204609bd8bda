"""What differs between two texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.difference import ADDED, GONE, MOST_WORDS, SAME, Piece, around, pieces


@given(st.text(), st.text())
def test_the_pieces_make_up_both_texts(before: str, after: str) -> None:
    found = pieces(before, after)
    assert "".join(piece.text for piece in found if piece.how != ADDED) == before
    assert "".join(piece.text for piece in found if piece.how != GONE) == after


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("line 9", "line 12", [Piece(SAME, "line "), Piece(GONE, "9"), Piece(ADDED, "12")]),
        ("我坐九路", "我坐十路", [Piece(SAME, "我坐"), Piece(GONE, "九"), Piece(ADDED, "十"), Piece(SAME, "路")]),
        ("", "new", [Piece(ADDED, "new")]),
        ("same", "same", [Piece(SAME, "same")]),
    ],
)
def test_words_are_told_apart(before: str, after: str, expected: list[Piece]) -> None:
    assert pieces(before, after) == expected


def test_very_long_texts_stand_one_under_the_other() -> None:
    before, after = "a " * MOST_WORDS, "b " * MOST_WORDS
    assert pieces(before, after) == [Piece(GONE, before), Piece(ADDED, after)]


def test_long_stretches_that_are_the_same_are_shortened_around_what_differs() -> None:
    middle = "word " * 200
    found = around(pieces(f"x {middle}y", f"z {middle}w"))
    assert [piece.how for piece in found] == [GONE, ADDED, SAME, GONE, ADDED]
    assert len(found[2].text) < 200
    assert " … " in found[2].text

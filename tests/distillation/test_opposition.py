"""Whether of two statements one denies the other."""

import pytest

from memory.distillation.opposition import opposes


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("User: I like jazz.", "User: I don't like jazz anymore."),
        ("ann: I drink coffee.", "ann: I no longer drink coffee."),
        ("User: I love tea.", "User: I hate tea."),
        ("User: The API listens on port 8080.", "User: The API listens on port 9000."),
        ("ann: The rent is 900 euros.", "ann: The rent is 950 euros."),
        ("User: 我喜欢喝茶。", "User: 我不喜欢喝茶。"),
    ],
)
def test_what_denies_the_other_opposes_it_from_both_sides(one: str, other: str) -> None:
    assert opposes(one, other)
    assert opposes(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("User: I like jazz.", "User: I like jazz a lot."),
        ("ann: I like tea.", "bob: I hate tea."),
        ("User: I like tea and cake.", "User: I don't like tea."),
        ("User: I ran 5 km.", "User: I ran 10 km."),
        ("ann: The dinner on 2023-05-07 is not cancelled.", "ann: The dinner on 2023-05-14 is cancelled."),
        ("ann: The train is at 9:30.", "ann: The train is at 10:30."),
        ("User: I don't.", "User: I do."),
        ("User: The API has 3 replicas on port 8080.", "User: The API has 5 replicas on port 9000."),
        ("", "not"),
    ],
)
def test_what_may_both_be_true_does_not(one: str, other: str) -> None:
    assert not opposes(one, other)
    assert not opposes(other, one)

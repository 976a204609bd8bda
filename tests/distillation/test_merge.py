"""Two texts become one that keeps every specific of both."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.distillation.merge import LONGEST, adds, are_of_others, holds, is_same_problem, merged

WORDS = (
    "set",
    "port 80",
    "port 8080",
    "`proxy_pass`",
    "/etc/nginx.conf",
    "in Oslo",
    "version 1.2",
    "1.2.3",
    "E42",
    "to 9000",
)
sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(lambda words: " ".join(words) + ".")
texts = st.lists(sentences, min_size=1, max_size=4).map("\n".join)


@given(one=texts, other=texts)
def test_what_was_merged_adds_nothing_to_the_result(one: str, other: str) -> None:
    problem, solution = merged("nginx fails", one, "nginx fails", other)

    assert solution.startswith(one)
    assert adds(other, f"{problem}\n{solution}") == []


@given(one=texts)
def test_a_text_adds_nothing_to_itself(one: str) -> None:
    assert adds(one, one) == []
    assert merged("p", one, "p", one) == ("p", one)


@pytest.mark.parametrize(
    ("text", "specific", "expected"),
    [
        ("port 80.", "80", True), ("port 8080", "80", False), ("1.2.3", "1.2", False), ("at 1.2.", "1.2", True),
        ("see /etc/x.conf", "/etc/x.conf", True), ("in Oslo,", "Oslo", True), ("Oslofjord", "Oslo", False),
        ("use `x`", "`x`", True), ("在80端口", "80", True),
    ],
)  # fmt: skip
def test_a_specific_stands_in_a_text_as_a_whole_or_not_at_all(text: str, specific: str, *, expected: bool) -> None:
    assert holds(text, specific) == expected


def test_what_would_be_too_long_is_not_merged() -> None:
    assert merged("p", "a1 " * (LONGEST // 3), "p", "Set port 9000.") == ("", "")


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("nginx returns 502 for /api", "Why does nginx return 502 for /api?", True),
        ("nginx returns 502 for /api", "nginx returns 404 for /login", False),
        ("psql refuses connections on port 5432", "psql refuses connections on port 6543", False),
        ("The cake burns", "nginx returns 502", False),
    ],
)
def test_problems_are_one_when_their_words_are_and_their_specifics_agree(
    one: str, other: str, *, expected: bool
) -> None:
    assert is_same_problem(one, other) == expected
    assert is_same_problem(other, one) == expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("Heat apple 1 and put it into cabinet 2.", "Heat mug 3 and put it into cabinet 2.", True),
        ("Find the pencil, then look at the pencil.", "Find the bowl, then look at the bowl.", True),
        ("Heat apple 1.", "Heat apple 1, then put it into cabinet 2.", False),
        ("The museum opens at 9.", "The museum opens at 9 and closes at 17:30.", False),
        ("I have 2 sons.", "I have two sons.", False),
        ("The pencil, the pencil!", "A pencil.", False),
    ],
)
def test_texts_are_about_other_things_when_each_names_what_the_other_never_does(
    one: str, other: str, *, expected: bool
) -> None:
    assert are_of_others(one, other) == expected
    assert are_of_others(other, one) == expected

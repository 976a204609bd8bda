"""Statements in fewer words, with everything in them that may be asked for."""

import pytest

from memory.distillation.concise import concise, without_address
from memory.distillation.telling import tells


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("And I really just moved to Oslo.", "I moved to Oslo."),
        ("Guess what - I got a puppy!", "I got a puppy!"),
        ('I watched "Stalker" and it was amazing!', 'I watched "Stalker"'),
        ("We roasted apples by the fire - it was so much fun!", "We roasted apples by the fire"),
        ("I applied for the job but they never answered.", "I applied for the job but they never answered."),
        ("I missed it but it was a reminder of our rights.", "I missed it but it was a reminder of our rights."),
        ("[picture: a photo of a dog in the snow]", "[picture: dog in the snow]"),
        ("So far so good with the new knee.", "So far so good with the new knee."),
        ("我上周搬到了上海。", "我上周搬到了上海。"),
    ],
)
def test_fillers_openings_and_judgements_go_and_the_rest_stays(said: str, kept: str) -> None:
    assert concise(said) == kept


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("I moved, Melanie!", "I moved"),
        ("Melanie, I moved.", "I moved."),
        ("Mel, I moved.", "I moved."),
        ("Oslo, that is where I live.", "Oslo, that is where I live."),
        ("Melanie's dog ran away.", "Melanie's dog ran away."),
    ],
)
def test_to_be_called_by_name_tells_nothing(said: str, kept: str) -> None:
    assert without_address(said, {"Melanie"}) == kept


@pytest.mark.parametrize(
    ("sentence", "first_hand", "expected"),
    [
        ("It was so amazing!", False, False),
        ("Moments like that are so special.", False, False),
        ("I'm so proud of it.", True, False),
        ("Her name is Shadow!", False, True),
        ("We made pizza!", True, True),
        ("My brother plays the cello.", True, True),
        ("The shop opens at nine on Friday.", False, True),
        ("这个真的很不错。", False, False),
        ("门票价格四十元。", False, True),
    ],
)
def test_a_sentence_tells_something_if_it_holds_what_may_be_asked_for(
    sentence: str, first_hand: bool, expected: bool
) -> None:
    assert tells(sentence, first_hand=first_hand) is expected

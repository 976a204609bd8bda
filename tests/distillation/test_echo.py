"""What was recalled is not learned again."""

from memory.distillation.data import Extraction
from memory.distillation.echo import Recalled, without_recalled
from tests.distillation.test_update import candidate

HOME = "Ann: I live in Berlin, near the old airport."


def left(solution: str, recalled: str, *, said_at: int = 5, recalled_at: int = 3) -> bool:
    extraction = Extraction((candidate(solution),), (), 0)
    found = without_recalled(extraction, [Recalled(recalled_at, recalled)], {"m1": said_at})
    assert len(found.candidates) + len(found.dropped) == 1
    return bool(found.candidates)


def test_what_repeats_it_afterwards_is_dropped_whoever_says_it() -> None:
    assert not left(HOME, HOME)
    assert not left("User: I live in Berlin,  near the old Airport.", HOME)
    assert not left(HOME, f"Where do you live?\n{HOME} And I work in Potsdam.")


def test_what_was_said_before_is_where_it_came_from() -> None:
    assert left(HOME, HOME, said_at=2)


def test_a_short_statement_that_stands_in_a_longer_text_by_accident_is_kept() -> None:
    assert left("Dinner: pasta", "We had pasta with Ann.")
    assert not left("Dinner: pasta", "pasta")


def test_what_says_more_is_kept() -> None:
    assert left(f"{HOME} Since May I share the flat.", HOME)

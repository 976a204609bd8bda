"""Running in circles."""

from typing import Any

import pytest

from tests.flight.hints.telling import asked, called, hints, result, rules, said


def tried(tool: str, content: str, error: str | None = None, **arguments: Any) -> list[Any]:
    return [called(tool, **arguments), result(tool, content, error)]


def test_the_same_call_with_the_same_answer_three_times_in_a_row_is_a_loop() -> None:
    [hint] = hints(*tried("look", "a wall", at=1) * 3)

    assert (hint.rule, hint.version, hint.evidence) == ("repeated_call", 4, (2, 4, 6))
    assert "third time" in hint.sentence


def test_a_loop_is_told_once() -> None:
    assert rules(*tried("look", "a wall", at=1) * 12) == ["repeated_call"]


def test_two_of_the_same_are_no_loop() -> None:
    assert rules(*tried("look", "a wall", at=1) * 2) == []


@pytest.mark.parametrize("second", [("another wall", 1), ("a wall", 2)])
def test_another_answer_or_other_arguments_are_no_loop(second: tuple[str, int]) -> None:
    content, at = second
    one, other = tried("look", "a wall", at=1), tried("look", content, at=at)
    assert "repeated_call" not in rules(*one, *one, *other)


def test_four_of_the_same_with_others_in_between_are_a_loop() -> None:
    run = [event for n in range(4) for event in (*tried("look", "a wall", at=1), *tried("go", f"step {n}", to=n))]
    assert rules(*run) == ["repeated_call"]


def test_a_person_who_asks_again_begins_anew() -> None:
    again = [event for _ in range(4) for event in (asked("Look again, please"), *tried("look", "a wall", at=1))]
    assert "repeated_call" not in rules(*again)


def test_waiting_for_a_status_is_no_loop() -> None:
    assert rules(*tried("get_job_status", "running", job=1) * 6) == []


def test_the_same_words_of_one_speaker_three_times_are_a_loop() -> None:
    words = "I will now search for the opening hours of the museum."
    [hint] = hints(*(said(words, name="Guide"), said("Nothing new from me here.", name="Clerk")) * 3)

    assert (hint.rule, hint.version) == ("repeated_call", 3)
    assert hint.sentence.startswith("Guide said the very same")


def test_a_retry_that_changes_nothing_and_fails_the_same_way_is_told_at_once() -> None:
    [hint] = hints(*tried("book", "", "no such seat", seat=99) * 2)

    assert (hint.rule, hint.version, hint.evidence) == ("futile_retry", 4, (2, 4))


def test_three_tries_with_other_arguments_that_fail_the_same_way_are_told() -> None:
    run = [event for n in (1, 22, 333) for event in tried("pay", "", f"{n} EUR do not add up", amount=n)]

    [hint] = hints(*run)

    assert (hint.rule, hint.evidence) == ("futile_retry", (2, 4, 6))
    assert rules(*run[:4]) == []


def test_a_retry_after_an_error_that_goes_away_by_itself_is_none() -> None:
    assert rules(*tried("book", "", "429 Too Many Requests", seat=1) * 3) == []
    assert rules(*tried("book", "", "429 Too Many Requests", seat=1) * 4) == ["futile_retry"]


def test_calls_made_side_by_side_are_no_retries() -> None:
    side_by_side = [called("book", seat=9), called("book", seat=9), *[result("book", "", "no such seat")] * 2]
    assert rules(*side_by_side) == []


def test_a_retry_with_a_change_that_helps_is_none() -> None:
    assert rules(*tried("book", "", "no such seat", seat=99), *tried("book", "booked", seat=9)) == []


def test_two_states_in_turn_are_told() -> None:
    one, other = tried("open", "door open", door=1), tried("close", "door closed", door=1)

    [hint] = hints(*(one + other) * 3)

    assert (hint.rule, hint.version, hint.evidence) == ("alternation", 6, (2, 4, 6, 8, 10, 12))
    assert rules(*(one + other) * 2) == []


def test_turns_that_bring_something_new_are_no_alternation() -> None:
    run = [event for n in range(3) for event in (*tried("next", f"page {n}"), *tried("read", f"text {n}"))]
    assert rules(*run) == []

"""Where the marks and threads of a distillation's picture lie."""

from dashboard.picture import WIDTH, Traced, picture


def test_each_thing_has_a_mark_and_what_was_let_go_leads_nowhere() -> None:
    made = picture([3, 5, 8], [Traced(1, (5,), ""), Traced(2, (3, 8), "exp_1"), Traced(3, (8,), "exp_1")])
    assert [mark.is_kept for mark in made.messages] == [True, False, True]
    assert [(mark.number, mark.is_kept) for mark in made.candidates] == [(2, True), (1, False), (3, True)]
    assert len(made.experiences) == 1
    assert made.dropped.count("M") == 1
    assert made.kept.count("M") == 5


def test_however_many_there_are_they_fit() -> None:
    made = picture(range(1, 5001), [Traced(number, (number,), f"exp_{number}") for number in range(1, 5001)])
    for lane in (made.messages, made.candidates, made.experiences):
        assert all(mark.x >= 0 and mark.x + mark.width <= WIDTH + 0.01 for mark in lane)


def test_nothing_makes_an_empty_picture() -> None:
    made = picture([], [])
    assert (made.messages, made.candidates, made.experiences, made.kept, made.dropped) == ([], [], [], "", "")


def test_a_source_that_is_not_there_leaves_its_candidate_without_a_thread() -> None:
    made = picture([1], [Traced(1, (), "exp_1"), Traced(2, (9,), "")])
    assert len(made.candidates) == 2
    assert made.dropped == ""

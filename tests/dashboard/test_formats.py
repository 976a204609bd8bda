"""Numbers as people read them."""

import pytest

from dashboard import formats


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (None, ""), (0, "0 ms"), (0.312, "312 ms"), (4.24, "4.2 s"), (185, "3 min 05 s"), (7620, "2 h 07 min"),
        (273_600, "3 d 4 h"),
    ],
)  # fmt: skip
def test_a_span_is_shown_in_the_unit_that_fits(seconds: float | None, shown: str) -> None:
    assert formats.duration(seconds) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"), [(None, ""), (4.26, "+0:04.2"), (61, "+1:01.0"), (3723.9, "+1:02:03"), (-2.5, "−0:02.5")]
)
def test_a_place_in_a_run_is_shown_against_its_beginning(seconds: float | None, shown: str) -> None:
    assert formats.offset(seconds) == shown

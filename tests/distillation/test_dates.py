"""Days that were relative to when they were said."""

from datetime import UTC, datetime

import pytest

from memory.distillation.dates import absolute

SAID_AT = datetime(2026, 5, 6, 10, tzinfo=UTC)  # a Wednesday


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("I left yesterday.", "I left on 5 May 2026."),
        ("Yesterday I left.", "On 5 May 2026 I left."),
        ("This is from last night.", "This is from the night of 5 May 2026."),
        ("We met last Tues.", "We met on 5 May 2026."),
        ("We met last Wednesday.", "We met on 29 April 2026."),
        ("We meet next Friday.", "We meet on 8 May 2026."),
        ("I moved two years ago.", "I moved in 2024."),
        ("I moved a few years ago.", "I moved a few years before 2026."),
        ("We camped last summer.", "We camped in the summer of 2025."),
        ("We fly next winter.", "We fly in the winter of 2027."),
        ("Over the last weekend it rained.", "On the weekend of 2 May 2026 it rained."),
        ("I like today's music.", "I like today's music."),
        ("I may stay until tomorrow.", "I may stay until 7 May 2026."),
        ("我前天到的。", "我2026年5月4日到的。"),
        ("三年前买的。", "2023年买的。"),
        ("我们下周五出发。", "我们2026年5月15日出发。"),
        ("上个月开始的。", "2026年4月开始的。"),
    ],
)
def test_a_relative_day_is_written_out(said: str, meant: str) -> None:
    assert absolute(said, SAID_AT) == meant


@pytest.mark.parametrize("day", [datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)])
def test_the_calendar_has_ends(day: datetime) -> None:
    for text in (
        "the day before yesterday",
        "next year",
        "900 years ago",
        "in 900 weeks",
        "a few years ago",
        "last winter",
        "下个月",
        "三年后",
        "next sunday",
    ):
        assert absolute(text, day)

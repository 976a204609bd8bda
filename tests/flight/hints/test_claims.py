"""Answers that do not fit what came before them."""

import json

import pytest

from tests.flight.hints.telling import Event, asked, called, hints, result, rules, said

ORDER = {"order_id": "ORD-77145", "total_price": 120.5, "delivery_date": "2026-05-12", "items": 3}


def looked_up(**fields: object) -> list[Event]:
    return [
        asked("When does my order come?"),
        called("get_order", user="mara"),
        result("get_order", json.dumps({**ORDER, **fields})),
    ]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("The total price is $102.50.", "total price 102.5"),
        ("Your delivery date is 2026-05-21.", "delivery date 2026-05-21"),
        ("Your delivery date is May 21, 2026.", "delivery date 2026-05-21"),
        ("Your delivery date is the 21st of May 2026.", "delivery date 2026-05-21"),
        ("The order ORD-77154 is on its way.", "ORD-77154"),
        ("There are 5 things; items: 5.", "items 5"),
    ],
)
def test_another_value_than_the_results_is_told(text: str, what: str) -> None:
    hint, *_ = hints(*looked_up(), said(text))

    assert (hint.rule, hint.version, hint.evidence) == ("contradicted_result", 4, (3, 4))
    assert what in hint.sentence


def test_a_time_stamp_is_compared_by_its_day() -> None:
    run = looked_up(delivery_date="2026-05-12T08:00:00Z")
    assert rules(*run, said("The delivery date is 12 May 2026.")) == []
    assert rules(*run, said("The delivery date is 13 May 2026.")) == ["contradicted_result"]


def test_another_value_is_told_in_chinese() -> None:
    run = [called("订单"), result("订单", '{"总价": 120}'), said("您的订单总价是210元。")]
    assert "contradicted_result" in rules(*run)


@pytest.mark.parametrize(
    "text",
    [
        "The total price is $120.50.",
        "The total price is about 121.",
        "The total price is 120.",
        "The new total price is 150, for two more.",
        "It comes on 2026-05-12: ORD-77145.",
        "Your delivery date is May 12th, 2026.",
        "您的订单于2026年5月12日送达。",
        "The next order may be ORD-77146.",
    ],
)
def test_the_same_value_a_rounded_one_and_one_of_something_else_are_none(text: str) -> None:
    assert "contradicted_result" not in rules(*looked_up(), said(text))


def test_a_value_that_occurred_elsewhere_is_no_contradiction() -> None:
    run = [asked("I was told that the total price is 99."), *looked_up(), said("I see: the total price is 99 for you.")]
    assert rules(*run) == []


def test_a_label_with_several_values_contradicts_nobody() -> None:
    several = json.dumps([{"price": 10}, {"price": 20}])
    assert rules(called("list"), result("list", several), said("The price is 30 for both.")) == []


def test_success_that_is_claimed_right_after_a_failure_is_told() -> None:
    [hint] = hints(called("book", seat=9), result("book", "", "no such seat"), said("Your seat has been booked."))

    assert (hint.rule, hint.version, hint.evidence) == ("unearned_success", 3, (2, 3))


def test_success_that_is_claimed_in_chinese_is_told() -> None:
    run = (called("book", seat=9), result("book", "", "no such seat"), said("座位已成功预订。"))
    assert rules(*run) == ["unearned_success"]


@pytest.mark.parametrize(
    "text", ["I am sorry, that did not work.", "Once that has been booked, I tell you.", "Which seat do you want?"]
)
def test_an_answer_that_claims_nothing_is_none(text: str) -> None:
    assert rules(called("book", seat=9), result("book", "", "no such seat"), said(text)) == []


def test_a_failure_that_was_repaired_allows_the_claim() -> None:
    told = rules(
        called("book", seat=9), result("book", "", "no such seat"), called("book", seat=8), result("book", "booked"),
        said("Your seat has been booked."),
    )  # fmt: skip
    assert told == []


def test_a_task_completed_right_after_a_step_that_failed_is_told() -> None:
    failed = ("step.failed", {"step": 4, "error": "no write access"})
    done = ("task.completed", {"task_id": "t"})

    [hint] = hints(("step.started", {"step": 4}), failed, done)

    assert (hint.rule, hint.version, hint.evidence) == ("unearned_success", 3, (2, 3))
    assert rules(failed, ("step.started", {"step": 5}), ("step.completed", {"step": 5}), done) == []
    assert rules(failed, ("task.failed", {"task_id": "t"})) == []


PRICED = [asked("What do both cost?"), called("price_of", item="a"), result("price_of", '{"price": 40, "tax": 8}')]


def test_an_amount_from_nowhere_is_told() -> None:
    [hint] = hints(*PRICED, said("That makes $57 for the first one."))

    assert (hint.rule, hint.version, hint.severity) == ("unsupported_amount", 4, "low")


@pytest.mark.parametrize(
    "text",
    [
        "It is $40.",
        "It is $40 and $8 of tax, $48 together.",
        "It is $40, so twice that is $80.",
        "It should be about $57.",
        "```python\nprice = '$57'\n```",
        "It is 57 pieces.",
    ],
)
def test_an_amount_with_a_source_and_one_that_is_reckoned_are_none(text: str) -> None:
    assert rules(*PRICED, said(text)) == []


def test_nothing_is_said_of_amounts_where_no_tool_answers() -> None:
    assert rules(asked("What does it cost?"), said("It costs 57 EUR.")) == []


def test_an_amount_in_chinese_is_told() -> None:
    assert rules(*PRICED, said("一共需要57元。")) == ["unsupported_amount"]

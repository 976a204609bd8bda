"""Results that should have made the agent think, and did not."""

import json
from typing import Any

import pytest

from tests.flight.hints.telling import asked, called, hints, prompt, result, rules, said

GOES_ON = said("The runbook RB-100 applies. I follow it.")


@pytest.mark.parametrize(
    "content",
    ["", None, "null", "[]", '{"results": []}', '{"total": 0, "items": []}', "No results found.", "没有找到相关订单"],
)
def test_an_empty_result_is_told_when_the_answer_takes_it_for_a_good_one(content: Any) -> None:
    [hint] = hints(
        called("search", q="x"),
        result("search", content, tool_call_id="c"),
        prompt(("tool", "")),
        GOES_ON,
    )

    assert (hint.rule, hint.version, hint.evidence) == ("empty_result", 2, (2, 3, 4))
    assert "search" in hint.sentence


@pytest.mark.parametrize(
    "reaction",
    [
        said("I could not find a runbook."),
        said("没有找到，请换一个名称。"),
        said("", "search"),
        said("I look under the team's name.", "search"),
    ],
)
def test_an_empty_result_that_the_agent_takes_notice_of_is_none(reaction: Any) -> None:
    assert rules(called("search", q="x"), result("search", "[]"), reaction) == []


def test_another_search_that_finds_something_makes_up_for_an_empty_one() -> None:
    told = rules(
        called("search_direct", q="x"),
        result("search_direct", "[]"),
        called("search_stops", q="x"),
        result("search_stops", '[{"flight": "one"}]'),
        said("The flight by way of Oslo leaves in the morning."),
    )

    assert told == []


def test_a_tool_that_does_something_may_well_bring_nothing() -> None:
    assert rules(called("write_file", name="a"), result("write_file", ""), said("It is written.")) == []


def test_a_full_result_is_none() -> None:
    found = json.dumps({"results": [{"id": "RB-207"}], "total": 1})
    assert rules(called("search", q="x"), result("search", found), GOES_ON) == []


@pytest.mark.parametrize(
    "content",
    [
        '{"error": "the index is locked"}',
        '{"status": 503, "body": "down"}',
        '{"status": "failed"}',
        '{"success": false}',
        '{"error": "", "response": "{\\"status\\": \\"401\\"}"}',
        "Error: the index is locked",
        "Traceback (most recent call last):\n  File",
        "错误：索引被锁定",
    ],
)
def test_an_error_in_a_good_result_is_told_when_nobody_notices(content: str) -> None:
    [hint] = hints(called("book", seat=1), result("book", content), said("Your seat is 12A. Have a good flight!"))

    assert (hint.rule, hint.version, hint.evidence) == ("hidden_error", 2, (2, 3))


@pytest.mark.parametrize("content", ['{"error": null, "status": 200}', '{"errors": [], "success": true}', "Errands: 3"])
def test_what_only_looks_like_an_error_is_none(content: str) -> None:
    assert rules(called("book", seat=1), result("book", content), said("Your seat is 12A.")) == []


def test_an_error_that_is_reported_as_one_is_not_hidden() -> None:
    assert rules(called("book"), result("book", "Error: locked", error="locked"), said("It is locked.")) == []


CUT = '{"rows": [' + '{"id": 1}, ' * 20 + '{"i'


@pytest.mark.parametrize("content", [CUT, "line\n" * 40 + "[output truncated]", "数据" * 40 + "（内容过长）"])
def test_an_answer_from_a_cut_off_result_is_told_when_it_is_the_last_word(content: str) -> None:
    run = (called("read_rows", n=1), result("read_rows", content), said("The rows are all of id 1."))

    [hint] = hints(*run, asked("And the next table?"))

    assert (hint.rule, hint.version, hint.evidence) == ("truncated_result", 2, (2, 3))
    assert rules(*run) == []


@pytest.mark.parametrize("content", ["[main 6322cf4] The order of the table\n" * 4, '[3241] StaticText "menu"\n' * 9])
def test_brackets_that_are_no_json_are_not_cut_off(content: str) -> None:
    assert rules(called("commit", n=1), result("commit", content), said("It is all in."), asked("And the next?")) == []


def test_an_answer_that_says_that_it_rests_on_a_part_is_none() -> None:
    partial = said("The first rows are of id 1; the rest was cut off.")
    assert rules(called("read_rows", n=1), result("read_rows", CUT), partial, asked("Thank you for looking")) == []


def test_asking_for_the_rest_silences_a_cut_off_result() -> None:
    told = rules(
        called("read_rows", n=1), result("read_rows", CUT), called("read_rows", n=2), result("read_rows", '{"rows": 1}'),
        said("All rows are of id 1."), asked("And the next table?"),
    )  # fmt: skip
    assert told == []


def test_a_result_in_none_of_the_next_prompts_is_told() -> None:
    run = (called("search", q="x"), result("search", "The runbook RB-207 applies here", tool_call_id="c"))

    [hint] = hints(*run, prompt(("user", "Which one?")), prompt(("user", "Which one?"), ("assistant", "I look")))

    assert (hint.rule, hint.version, hint.evidence) == ("ignored_result", 2, (2, 4))
    assert (
        rules(*run, prompt(("user", "Which one?")), prompt(("tool", "{'RB': 'The runbook RB-207 applies here'}"))) == []
    )


def test_a_result_is_read_where_a_prompt_names_its_call() -> None:
    by_id = ("llm.call", {"messages": [{"role": "tool", "tool_call_id": "c", "content": "summed up"}]})
    assert rules(called("search"), result("search", "found", tool_call_id="c"), by_id, by_id) == []


def test_nothing_is_said_of_unread_results_where_several_agents_ask_models() -> None:
    told = rules(
        called("search"), result("search", "found a thing"), prompt(("user", "a"), agent_id="one"),
        prompt(("user", "b"), agent_id="two"), prompt(("user", "b"), agent_id="two"),
    )  # fmt: skip
    assert told == []


@pytest.mark.parametrize(
    "content", ['{"status": "UPDATE 3", "rows": []}', '{"rows": [1], "warnings": []}', '{"a": {}}']
)
def test_an_object_that_tells_of_something_is_not_empty(content: str) -> None:
    assert rules(called("run_sql", sql="x"), result("run_sql", content), GOES_ON) == []


def test_rows_that_a_query_does_not_bring_are_nothing() -> None:
    empty = result("run_sql", '{"status": "SELECT 0", "rows": []}')
    assert rules(called("run_sql", sql="x"), empty, GOES_ON) == ["empty_result"]


def test_a_tool_whose_name_says_nothing_is_taken_for_one_that_looks_something_up() -> None:
    assert rules(called("weather", city="Oslo"), result("weather", None), said("It is sunny in Oslo.")) == [
        "empty_result"
    ]


@pytest.mark.parametrize(
    "text", ["Your order comes tomorrow, no further action is needed.", "订单明天送达，不用担心。"]
)
def test_politeness_admits_nothing(text: str) -> None:
    assert rules(called("get_order", id=1), result("get_order", "null"), said(text)) == ["empty_result"]

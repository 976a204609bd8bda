"""How the events of a run are put together."""

from datetime import UTC, datetime
from typing import Any

import pytest

from memory.imports.run import Run, Skipped
from memory.imports.transcript import Transcript, arguments_of, content_of, first_words, own_type, run_key, shortened
from memory.vocabulary import EVENT_TYPE_PATTERN
from tests.imports.examples import call, chat_messages
from tests.imports.reading import check, roles, types


def finish(transcript: Transcript, **metadata: Any) -> Run:
    *_, run = transcript.finish(key="k", title="t", agent_id="a", counts={}, metadata=metadata)
    assert isinstance(run, Run)
    check(run)
    return run


def told(*messages: Any) -> Run:
    transcript = Transcript("here")
    for message in messages:
        transcript.say(message)
    return finish(transcript)


def test_a_tool_call_is_seen_from_all_sides_in_order() -> None:
    run = told(*chat_messages())
    asked = ["message.added", "message.added", "message.added", "tool.call", "tool.result", "message.added"]
    assert types(run) == [*asked, "message.added"]
    assert [event.causes for event in run.events] == [None, None, None, 2, 3, 4, None]
    assert roles(run) == ["system", "user", "assistant", "tool", "assistant"]
    made = {"tool_call_id": "call_1", "name": "lookup"}
    assert run.events[3].payload == {**made, "arguments": {"city": "Lima"}}
    assert run.events[4].payload == {**made, "content": "sunny"}
    assert run.events[5].payload == {"role": "tool", "content": "sunny", **made}


def test_parallel_calls_are_answered_in_any_order() -> None:
    asking = {"role": "assistant", "content": None, "tool_calls": [call("a"), call("b")]}
    answers = [{"role": "tool", "tool_call_id": name, "content": name} for name in ("b", "a")]
    run = told(asking, *answers)
    assert [event.causes for event in run.events] == [None, 0, 0, 2, 3, 1, 5]


def test_an_id_that_is_used_again_means_the_call_that_still_waits() -> None:
    asking = {"role": "assistant", "content": None, "tool_calls": [call("same")]}
    answer = {"role": "tool", "tool_call_id": "same", "content": "x"}
    run = told(asking, answer, asking, answer)
    assert [event.causes for event in run.events] == [None, 0, 1, 2, None, 4, 5, 6]


def test_missing_ids_are_invented_the_same_each_time_and_tie_call_and_result_together() -> None:
    nameless = {"type": "function", "function": {"name": "f", "arguments": "{}"}}
    asking = {"role": "assistant", "content": None, "tool_calls": [nameless, nameless]}
    answer = {"role": "tool", "content": "x"}
    first, second = told(asking, answer, answer), told(asking, answer, answer)
    assert first.events == second.events
    assert [call["id"] for call in first.events[0].payload["tool_calls"]] == ["imported_1", "imported_2"]
    results = [event for event in first.events if event.type == "tool.result"]
    assert [result.payload["tool_call_id"] for result in results] == ["imported_1", "imported_2"]
    assert [result.causes for result in results] == [1, 2]


def test_a_result_that_answers_no_call_has_no_cause() -> None:
    run = told({"role": "tool", "tool_call_id": "unknown", "content": "x"}, {"role": "tool", "content": "y"})
    assert [event.causes for event in run.events] == [None, 0, None, 2]
    assert run.events[2].payload["tool_call_id"] == "imported_1"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ('{"a": 1}', {"a": 1}),
        ({"a": 1}, {"a": 1}),
        ("", ""),
        (None, {}),
        ("[1]", "[1]"),
        ([1], "[1]"),
        ("ls -l", "ls -l"),
        ('{"a": ' * 200, '{"a": ' * 200),
    ],
)
def test_arguments_are_an_object_or_the_text_that_the_model_gave(given: Any, expected: Any) -> None:
    assert arguments_of(given) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("text", "text"),
        (None, None),
        (
            [{"type": "image"}, "text", 5],
            [{"type": "image"}, {"type": "text", "text": "text"}, {"type": "text", "text": "5"}],
        ),
        ({"type": "text"}, [{"type": "text"}]),
        (5, "5"),
        (True, "true"),
    ],
)
def test_content_is_a_text_or_null_or_parts(given: Any, expected: Any) -> None:
    assert content_of(given) == expected


def test_a_message_with_neither_content_nor_calls_is_an_empty_text() -> None:
    assert told({"role": "user", "content": None}).events[0].payload == {"role": "user", "content": ""}


def test_what_cannot_be_recorded_is_replaced_and_counted() -> None:
    transcript = Transcript("here")
    transcript.message("user", "a\x00b\ud800", name="n\udcff")
    transcript.call("c", "f", r'{"nul": "\u0000", "number": NaN, "more": -1e999}')
    run = finish(transcript, note="\x00")
    assert run.events[0].payload == {"role": "user", "content": "a\ufffdb\ufffd", "name": "n\ufffd"}
    assert run.events[1].payload["arguments"] == {"nul": "\ufffd", "number": "NaN", "more": "-Infinity"}
    assert run.metadata == {"note": "\ufffd", "replaced_characters": 5, "replaced_numbers": 2}


def test_surrogate_pairs_are_characters_and_stay() -> None:
    assert told({"role": "user", "content": "\U0001f600"}).metadata == {}


def test_events_without_a_time_borrow_it_from_their_neighbours_where_the_run_has_any() -> None:
    transcript = Transcript("here")
    early, late = datetime(2025, 1, 1, tzinfo=UTC), datetime(2025, 1, 2, tzinfo=UTC)
    for at in (None, early, None, late, None):
        transcript.message("user", "x", at=at)
    run = finish(transcript)
    assert [event.occurred_at for event in run.events] == [early, early, early, late, late]
    assert [bool(event.metadata) for event in run.events] == [True, False, True, False, True]


def test_a_run_without_times_is_left_without() -> None:
    assert {event.occurred_at for event in told(*chat_messages()).events} == {None}


def test_a_run_without_events_is_none() -> None:
    transcript = Transcript("here")
    transcript.skip("message 1", "is broken")
    assert list(transcript.finish(key="k", title="", agent_id="", counts={}, metadata={})) == [
        Skipped("here: message 1", "is broken"),
        Skipped("here", "holds no message and no event"),
    ]


def test_long_names_are_cut_and_stay_distinct() -> None:
    first, second = shortened("x" * 300 + "a"), shortened("x" * 300 + "b")
    assert len(first) == len(second) == 200
    assert first != second
    assert shortened(first) == first
    run = told({"role": "r" * 99, "content": "", "name": "n" * 999, "tool_calls": [call("c" * 999, "f" * 999)]})
    assert len(run.events[0].payload["role"]) == 50
    assert len(run.events[0].payload["name"]) == 200
    assert run.events[1].payload["tool_call_id"] == run.events[0].payload["tool_calls"][0]["id"]


def test_a_title_is_one_line_of_at_most_120_characters() -> None:
    assert first_words(" a\n b\t c ") == "a b c"
    assert len(first_words("word " * 999)) <= 120
    assert first_words("word " * 999).endswith("…")


def test_keys_tell_ids_and_content_apart() -> None:
    assert run_key("o", 1, "b") == "o/1/b"
    assert run_key("o", None, [], "") == "o"
    assert run_key("o", content={"a": 1, "b": 2}) == run_key("o", content={"b": 2, "a": 1})
    assert run_key("o", content={"a": 1}) != run_key("o", content={"a": "1"})


@pytest.mark.parametrize("verb", ["Recall", "", "…", "a b.c", "x" * 300, "null", "\x00"])
def test_an_origins_own_event_gets_a_type_that_can_be_recorded(verb: str) -> None:
    assert EVENT_TYPE_PATTERN.fullmatch(own_type("action", verb))
    assert len(own_type("action", verb)) <= 100

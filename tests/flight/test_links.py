"""Causal links, found as events arrive."""

import json

import pytest
from hypothesis import given

from memory.flight.links import Linker
from memory.flight.pieces import PiecesInMemory
from memory.flight.trace import step_of
from tests.events.making import Recorded as Made
from tests.events.making import streams
from tests.flight.running import (
    KEY,
    Recorded,
    asks,
    assistant,
    call,
    handed,
    linked,
    prompt,
    response,
    result,
    steps,
    told,
    user,
)

QUESTION = "Which flights leave for Boston on Friday morning, please?"
FOUND = "Flight HAT204 leaves at nine and costs 120 dollars, flight HAT310 leaves at ten and costs 95 dollars."
NUMBERED = json.dumps([{"flight_number": f"HAT{n}", "price": 100 + n, "gate": f"B{n}"} for n in range(200, 206)])


def test_a_tool_call_is_seen_from_all_sides_by_its_id() -> None:
    links = linked(
        user(QUESTION),
        prompt(("user", QUESTION), call_id="p1"),
        response(None, call_id="p1", tool_calls=asks("c1", "search")),
        assistant(None, tool_calls=asks("c1", "search")),
        call("search", "c1"),
        result(FOUND, "search", "c1"),
        handed(FOUND, name="search", tool_call_id="c1"),
    )
    assert told(links) == [
        (1, 2, "entered", "same_text"),
        (2, 3, "prompted", "same_id"),
        (3, 4, "said", "same_id"),
        (4, 5, "asked", "same_id"),
        (5, 6, "answered", "same_id"),
        (6, 7, "handed", "same_id"),
    ]


def test_results_of_parallel_calls_find_their_own_call_in_any_order() -> None:
    links = linked(
        assistant(None, tool_calls=[*asks("c1", "search"), *asks("c2", "search")]),
        call("search", "c1"),
        call("search", "c2"),
        result("two", "search", "c2"),
        result("one", "search", "c1"),
    )
    assert told(links, effect=4) == [(3, 4, "answered", "same_id")]
    assert told(links, effect=5) == [(2, 5, "answered", "same_id")]


def test_without_ids_a_result_answers_the_first_call_of_its_name_that_waits() -> None:
    links = linked(
        assistant("Let me look."),
        call("search"),
        call("book"),
        call("search"),
        result("booked", "book"),
        result("one", "search"),
        result("two", "search"),
        result("whose?"),
    )
    assert [told(links, effect=effect) for effect in (5, 6, 7, 8)] == [
        [(3, 5, "answered", "name_and_order")],
        [(2, 6, "answered", "name_and_order")],
        [(4, 7, "answered", "name_and_order")],
        [],
    ]
    assert told(links, effect=4) == [(1, 4, "asked", "order")]


def test_a_result_without_a_name_answers_the_call_that_waits_longest_and_says_that_it_is_a_guess() -> None:
    links = linked(call("search"), call("book"), result("one"))
    assert told(links) == [(1, 3, "answered", "order")]
    assert links[0].certainty == 0.5


def test_a_result_is_not_given_to_a_call_with_another_id() -> None:
    assert linked(call("search", "c1"), result("one", "search", "c9")) == []


def test_an_explicit_cause_takes_the_place_of_what_would_be_guessed() -> None:
    links = linked(call("search"), call("search"), result("one", "search", causation_id="e2"))
    assert told(links) == [(2, 3, "answered", "causation_id")]
    other = linked(user("Go."), call("search"), result("one", "search", causation_id="e1"))
    assert told(other, effect=3) == [(1, 3, "explicit", "causation_id")]


def test_a_cause_that_is_not_in_the_run_or_comes_later_is_none() -> None:
    assert linked(user("Go.", causation_id="elsewhere"), user("Go.", causation_id="e2")) == []


def test_a_result_is_in_the_prompt_by_its_id_even_if_it_is_empty() -> None:
    links = linked(
        call("search", "c1"),
        result("", "search", "c1"),
        ("llm.call", {"messages": [{"role": "tool", "content": "", "tool_call_id": "c1"}]}),
    )
    assert told(links, effect=3) == [(2, 3, "entered", "same_id")]


@pytest.mark.parametrize(
    ("shown", "how"),
    [
        (FOUND, "same_text"),
        (f"  {FOUND.upper()}\n", "same_text"),
        (FOUND[:60] + "… (cut)", "same_parts"),
        (f"The tool said: {FOUND} Now go on.", "same_parts"),
    ],
)
def test_a_result_is_in_the_prompt_whole_shortened_or_within_other_words(shown: str, how: str) -> None:
    links = linked(result(FOUND, "search", "c1"), prompt(("system", "You book flights."), ("user", shown)))
    assert told(links, effect=2) == [(1, 2, "entered", how)]
    assert 0.5 <= links[-1].certainty <= 0.95


@pytest.mark.parametrize(
    "shown",
    [
        json.dumps(json.loads(NUMBERED), indent=2, sort_keys=True),
        "\n".join(f"- {name}: {value}" for row in json.loads(NUMBERED)[:3] for name, value in reversed(row.items())),
    ],
)
def test_a_result_in_json_is_recognised_in_another_form(shown: str) -> None:
    links = linked(result(NUMBERED, "search", "c1"), prompt(("user", shown)))
    assert told(links, effect=2) == [(1, 2, "entered", "same_parts")]


def test_a_prompt_that_is_one_text_has_all_that_is_in_it() -> None:
    whole = f"Answer as well as you can.\nUser: {QUESTION}\nObservation: {FOUND}\nThought:"
    links = linked(user(QUESTION), result(FOUND, "search"), ("llm.call", {"prompt": whole}))
    assert told(links) == [(1, 3, "entered", "same_text"), (2, 3, "entered", "same_text")]
    within = f"Here is what we know. {FOUND} What should be answered?"
    links = linked(result(FOUND, "search"), ("llm.call", {"prompt": within}))
    assert told(links) == [(1, 2, "entered", "same_parts")]


def test_only_what_is_new_in_a_prompt_is_linked_and_the_rest_is_carried() -> None:
    said = [user(f"Question number {n} about flight HAT{n}.") for n in range(500)]
    shown = [("user", payload["content"]) for _, payload in said]
    prompts = [prompt(*shown[:count], call_id=f"p{count}") for count in range(1, 501)]
    run = [event for pair in zip(said, prompts, strict=True) for event in pair]
    links = linked(*run)
    assert len(links) == 500 + 499  # each message once, and that each further prompt goes on
    assert told(links, effect=1000) == [(999, 1000, "entered", "same_text"), (2, 1000, "carried", "same_text")]


def test_what_left_a_sliding_window_is_told_once() -> None:
    said = [user(f"Question number {n} about flight HAT{n}.") for n in range(6)]
    shown = [("user", payload["content"]) for _, payload in said]
    run = [*said, prompt(*shown[:3]), prompt(*shown[1:4]), prompt(*shown[3:6])]
    left = [(link.cause, link.effect) for link in linked(*run) if link.kind == "left"]
    assert left == [(1, 8), (2, 9), (3, 9)]


def test_two_agents_that_take_turns_have_a_conversation_each() -> None:
    plans = [("system", "You plan the journey."), ("user", "Where to?")]
    books = [("system", "You book what was planned."), ("user", "Book it.")]
    run = [
        user("Where to?"),
        user("Book it."),
        prompt(*plans, agent_id="planner"),
        prompt(*books, agent_id="booker"),
        prompt(*plans, ("user", "Boston."), agent_id="planner"),
        prompt(*books, ("user", "Boston."), agent_id="booker"),
    ]
    links = linked(*run)
    assert [pair for pair in told(links) if pair[2] == "carried"] == [
        (3, 5, "carried", "same_text"),
        (4, 6, "carried", "same_text"),
    ]
    assert not [link for link in links if link.kind == "left"]


def test_the_same_words_twice_are_two_messages() -> None:
    run = [user("yes"), prompt(("user", "yes")), user("yes"), prompt(("user", "yes"), ("user", "yes"))]
    assert told(linked(*run), effect=4) == [(3, 4, "entered", "same_text"), (2, 4, "carried", "same_text")]


def test_a_message_that_is_recorded_after_its_prompt_is_found_in_the_next_one() -> None:
    run = [prompt(("user", QUESTION)), user(QUESTION), prompt(("user", QUESTION))]
    assert (2, 3, "entered", "same_text") in told(linked(*run))


def test_a_response_without_an_id_answers_the_newest_prompt() -> None:
    run = [prompt(("user", "Hi")), prompt(("user", "Hi again")), response("Hello")]
    assert told(linked(*run), effect=3) == [(2, 3, "prompted", "order")]


def test_a_message_that_is_not_its_words_does_not_say_a_response() -> None:
    run = [prompt(("user", "Hi")), response("Hello"), assistant("Something else entirely.")]
    assert "said" not in {str(link.kind) for link in linked(*run)}


def test_recalled_experience_and_the_context_are_in_the_prompt() -> None:
    lesson = "When the disk of the build server is full, delete the old logs before anything else."
    links = linked(
        user("The disk is full.", message_id="msg_1"),
        ("memory.recalled", {"query": "disk", "results": [{"id": "exp_1", "source": "experience", "text": lesson}]}),
        ("context.built", {"messages": ["msg_1"], "experiences": ["exp_1"], "tokens": {"raw": 9, "sent": 9}}),
        prompt(("system", f"<recalled-memory>\n{lesson}\n</recalled-memory>"), ("user", "The disk is full.")),
    )
    assert told(links) == [
        (1, 3, "entered", "same_id"),
        (2, 3, "entered", "same_id"),
        (1, 4, "entered", "same_text"),
        (2, 4, "entered", "same_parts"),
        (3, 4, "entered", "order"),
    ]


def test_where_no_prompt_is_recorded_an_answer_answers_what_was_said_since() -> None:
    links = linked(
        ("message.added", {"role": "system", "content": "You book flights."}),
        user(QUESTION),
        assistant(None, tool_calls=asks("c1", "search")),
        call("search", "c1"),
        result(FOUND, "search", "c1"),
        handed(FOUND, tool_call_id="c1"),
        assistant("HAT204 or HAT310."),
        user("The first one."),
    )
    assert told(links, effect=3) == [(1, 3, "entered", "said_since"), (2, 3, "entered", "said_since")]
    assert told(links, effect=7) == [(3, 7, "carried", "said_since"), (6, 7, "entered", "said_since")]
    assert told(links, effect=8) == [(7, 8, "entered", "said_since")]


def test_in_a_talk_of_several_agents_each_answers_the_others() -> None:
    names = ("planner", "coder", "critic")
    links = linked(*[assistant(f"Word {n} of the {names[n % 3]}.", name=names[n % 3]) for n in range(6)])
    assert told(links, effect=5) == [
        (2, 5, "carried", "said_since"),
        (3, 5, "entered", "said_since"),
        (4, 5, "entered", "said_since"),
    ]


def test_a_prompt_of_which_no_word_is_recorded_shows_what_was_said_since() -> None:
    links = linked(user(QUESTION), ("llm.call", {"model": "m", "message_count": 1}), response("HAT204."))
    assert told(links) == [(1, 2, "entered", "said_since"), (2, 3, "prompted", "order")]


def test_the_end_of_a_task_follows_what_was_said_with_its_words_or_last() -> None:
    run = [assistant("The answer is HAT204 at nine."), assistant("Good bye.")]
    assert told(linked(*run, ("task.completed", {"output": "The answer is HAT204 at nine."})), effect=3) == [
        (1, 3, "ended", "same_text")
    ]
    assert told(linked(*run, ("task.failed", {})), effect=3) == [(2, 3, "ended", "order")]


def test_what_is_remembered_survives_json_and_stays_small() -> None:
    seen, linker, whole = PiecesInMemory(), Linker(None, KEY), []
    run = [
        event
        for n in range(400)
        for event in (
            user(f"Question number {n} about flight HAT{n}."),
            assistant(None, tool_calls=asks(f"c{n}", "search")),
            call("search", f"c{n}"),
            result(f"Flight HAT{n} leaves at {n} and costs {n * 7} dollars.", "search", f"c{n}"),
            prompt(*[("user", f"Question number {m} about flight HAT{m}.") for m in range(max(0, n - 9), n + 1)]),
        )
    ]
    sizes = []
    for step in steps(*run):
        whole += linker.add(step, seen)
        text = json.dumps(linker.state())
        sizes.append(len(text))
        linker = Linker(json.loads(text), KEY)
    assert whole == linked(*run)
    assert max(sizes[1000:]) <= max(sizes[:1000]) * 1.2


@given(streams(25))
def test_any_events_give_links_from_earlier_to_later_ones(events: list[Made]) -> None:
    linker, seen = Linker(None, KEY), PiecesInMemory()
    for event in events:
        step = step_of(Recorded(event.version, f"e{event.version}", event.type, event.payload, event.occurred_at, "e1"))
        links = linker.add(step, seen)
        assert all(0 < link.cause < link.effect == event.version and 0 < link.certainty <= 1 for link in links)
        assert len({(link.cause, link.kind) for link in links}) == len(links)
        linker = Linker(json.loads(json.dumps(linker.state())), KEY)

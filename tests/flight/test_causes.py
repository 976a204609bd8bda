"""Why an event came about, from the rows that the analysis left."""

from datetime import datetime

import pytest

from memory.events import store
from memory.flight import analysis, causes
from memory.models import Hint, Stream
from memory.vocabulary import HintRule, LinkKind, Severity
from tests.events.making import MAY, drafted
from tests.flight.running import asks, assistant, call, prompt, response, result, user

pytestmark = pytest.mark.usefixtures("in_acme")

QUESTION = "Which flights leave for Boston on Friday morning?"


def turn(n: int, content: str, *shown: tuple[str, str]) -> list[tuple[str, dict[str, object]]]:
    """A prompt, the response to it, a call, and what it brings: four events."""
    return [
        prompt(("user", QUESTION), *shown, call_id=f"p{n}"),
        response(None, call_id=f"p{n}", tool_calls=asks(f"c{n}", "search")),
        call("search", f"c{n}"),
        result(content, "search", f"c{n}"),
    ]


FIRST = "No flight of that name is known to the reservation system of the airline."
SECOND = "Flight HAT310 leaves at ten and costs 95 dollars including one bag of twenty kilograms."
RUN = [
    user(QUESTION),  # 1
    *turn(1, FIRST),  # 2 to 5
    *turn(2, SECOND, ("tool", FIRST)),  # 6 to 9
    prompt(("user", QUESTION), ("tool", FIRST), ("tool", SECOND), call_id="p3"),  # 10
    response("There is no flight.", call_id="p3"),  # 11
    assistant("There is no flight."),  # 12
    ("task.completed", {"output": "There is no flight."}),  # 13
]


@pytest.fixture
def stream() -> Stream:
    return analysed(*RUN)


def analysed(*events: tuple[str, dict[str, object]]) -> Stream:
    store.append("run", [drafted(event_type, **payload) for event_type, payload in events])
    found = Stream.objects.named("run")
    assert analysis.catch_up(found).is_whole
    return found


def hint(stream: Stream, version: int, severity: Severity = Severity.HIGH, found_at: datetime = MAY) -> Hint:
    return Hint.objects.create(
        tenant_id=stream.tenant_id,
        stream=stream,
        rule=HintRule.HIDDEN_ERROR,
        severity=severity,
        version=version,
        evidence=[version],
        first_evidence=version,
        sentence="It is an error.",
        tokens_before=0,
        found_at=found_at,
    )


def way(story: causes.Story) -> list[tuple[int, str]]:
    return [(hop.link.cause, str(hop.link.kind)) for hop in story.path]


def test_without_hints_the_way_back_ends_at_the_root(stream: Stream) -> None:
    story = causes.back(stream, 13)
    assert (story.suspect, story.hints) == (1, [])
    assert [cause for cause, _ in way(story)][:3] == [12, 11, 10]
    assert story.reached.is_whole


def test_the_earliest_hinted_step_is_reached_straight_from_the_prompt_that_still_has_it(stream: Stream) -> None:
    hint(stream, 5)
    hint(stream, 9, Severity.MEDIUM)
    story = causes.back(stream, 12)
    assert story.suspect == 5
    assert [found.version for found in story.hints] == [5]
    assert way(story) == [(11, "said"), (10, "prompted"), (5, "kept")]
    assert "Event 5 still stands in what 10 was shown" in story.path[-1].sentence


def test_what_is_only_worth_a_look_is_the_suspect_where_nothing_worse_is_on_the_way(stream: Stream) -> None:
    hint(stream, 5, Severity.LOW)
    assert causes.back(stream, 12).suspect == 5
    hint(stream, 9)
    assert causes.back(stream, 12).suspect == 9


def test_a_hint_after_the_event_or_off_its_way_is_none_of_its_causes(stream: Stream) -> None:
    hint(stream, 12)
    hint(stream, 8)
    assert causes.back(stream, 5).suspect == 1
    store.append("run", [drafted("message.added", role="system", content="Unheard.")])
    hint(stream, 14)
    assert causes.back(stream, 13).suspect == 8


def test_an_event_may_be_the_suspect_itself(stream: Stream) -> None:
    hint(stream, 5)
    story = causes.back(stream, 5)
    assert (story.suspect, story.path) == (5, [])


def test_an_event_that_left_the_window_is_not_in_later_prompts() -> None:
    stream = analysed(
        user("Please find me a flight to Boston."),
        user("It should leave on Friday morning."),
        prompt(("user", "Please find me a flight to Boston."), ("user", "It should leave on Friday morning.")),
        prompt(("user", "It should leave on Friday morning.")),
        prompt(("user", "It should leave on Friday morning.")),
    )
    hint(stream, 1)
    hint(stream, 2)
    kept = {
        (hop.link.cause, hop.link.effect)
        for hop in causes.back(stream, 5).reached.hops
        if hop.link.kind == LinkKind.KEPT
    }
    assert kept == {(2, 5)}
    assert {hop.link.effect for hop in causes.forward(stream, 1).hops} == {3}
    assert {hop.link.effect for hop in causes.forward(stream, 2).hops} == {3, 4, 5}


def test_what_a_result_contaminated_is_all_that_had_it_and_what_came_of_that(stream: Stream) -> None:
    found = causes.forward(stream, 5)
    assert found.versions == {5, 6, 7, 8, 9, 10, 11, 12, 13}
    assert [(hop.link.effect, str(hop.link.kind)) for hop in found.path(13)] == [
        (10, "kept"),
        (11, "prompted"),
        (12, "said"),
        (13, "ended"),
    ]
    assert causes.forward(stream, 13).hops == []

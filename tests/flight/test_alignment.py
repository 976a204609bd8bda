"""Two runs, line by line."""

from hypothesis import given

from memory.flight.alignment import Act, Alignment, Fate, act_of, align
from memory.flight.trace import step_of
from tests.events.making import Recorded, recorded, streams

CALL = ("tool.call", {"tool_call_id": "c1", "name": "search", "arguments": {"q": "flights", "page": 1}})
ANSWER = ("message.added", {"role": "assistant", "content": "Booked."})


def acts(events: list[Recorded]) -> list[Act]:
    return [act for event in events if (act := act_of(step_of(event)))]


def aligned(a: list[Recorded], b: list[Recorded]) -> Alignment:
    return align(acts(a), acts(b))


def fates(found: Alignment) -> list[tuple[Fate, int | None, int | None]]:
    return [(line.fate, line.a, line.b) for line in found.lines]


def test_runs_that_do_the_same_never_part() -> None:
    found = aligned(recorded(CALL, ANSWER), recorded(CALL, ANSWER))
    assert (found.parts_at, found.meets_at) == (None, None)
    assert fates(found) == [(Fate.SAME, 1, 1), (Fate.SAME, 2, 2)]


def test_ids_times_usage_and_spaces_make_no_difference() -> None:
    other = ("tool.call", {"tool_call_id": "other", "name": "search", "arguments": '{"page": 1,  "q": "flights"}'})
    spaced = ("message.added", {"role": "assistant", "content": " Booked.\n", "message_id": "m", "usage": {"x": 1}})
    assert aligned(recorded(CALL, ANSWER), recorded(other, spaced)).parts_at is None


def test_the_first_divergence_is_the_act_that_was_done_otherwise() -> None:
    other = ("tool.call", {"name": "search", "arguments": {"q": "trains", "page": 1}})
    found = aligned(recorded(ANSWER, CALL, ANSWER), recorded(ANSWER, other, ANSWER))
    assert fates(found) == [(Fate.SAME, 1, 1), (Fate.CHANGED, 2, 2), (Fate.SAME, 3, 3)]
    assert (found.parts_at, found.meets_at) == (1, 2)


def test_what_one_run_lacks_stands_alone() -> None:
    found = aligned(recorded(ANSWER, CALL), recorded(ANSWER))
    assert fates(found) == [(Fate.SAME, 1, 1), (Fate.ONLY_A, 2, None)]
    found = aligned(recorded(ANSWER), recorded(CALL, ANSWER))
    assert fates(found) == [(Fate.ONLY_B, None, 1), (Fate.SAME, 1, 2)]


def test_heartbeats_and_housekeeping_are_passed_over() -> None:
    noisy = recorded(("agent.heartbeat", {}), CALL, ("memory.distilled", {"mode": "light"}), ANSWER)
    found = aligned(noisy, recorded(CALL, ANSWER))
    assert fates(found) == [(Fate.SAME, 2, 1), (Fate.SAME, 4, 2)]


def test_who_opened_a_session_is_not_what_was_done_in_it() -> None:
    one, other = (("session.created", {"session_id": name, "user_id": name}) for name in ("mara", "priya"))
    assert aligned(recorded(one, CALL), recorded(other, CALL)).parts_at is None


def test_of_a_prompt_only_the_last_message_counts() -> None:
    def prompt(first: str) -> tuple[str, dict[str, object]]:
        messages = [{"role": "user", "content": first}, {"role": "user", "content": "And now?"}]
        return ("llm.call", {"model": "m", "messages": messages})

    assert aligned(recorded(prompt("one")), recorded(prompt("other"))).parts_at is None


def test_a_result_that_differs_only_in_its_error_differs() -> None:
    fine, broken = ("tool.result", {"name": "t", "content": ""}), ("tool.result", {"name": "t", "error": "boom"})
    assert aligned(recorded(fine), recorded(broken)).parts_at == 0


@given(streams(), streams())
def test_each_act_of_both_runs_stands_in_one_line_and_in_order(one: list[Recorded], other: list[Recorded]) -> None:
    found = aligned(one, other)
    assert [line.a for line in found.lines if line.a] == [act.version for act in acts(one)]
    assert [line.b for line in found.lines if line.b] == [act.version for act in acts(other)]


@given(streams())
def test_a_run_is_the_same_as_itself(run: list[Recorded]) -> None:
    assert aligned(run, run).parts_at is None

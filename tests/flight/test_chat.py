"""The conversation as the next prompt would hold it."""

from memory.flight.chat import continued

ASKS = [{"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}]
USER = {"role": "user", "content": "Where is it?"}
ANSWER = {"role": "assistant", "content": "", "tool_calls": ASKS}
RESULT = {"role": "tool", "content": "in the attic", "tool_call_id": "c1", "name": "look"}


def test_answers_and_results_count_as_soon_as_they_are_there() -> None:
    events = [("llm.response", {"content": "", "tool_calls": ASKS, "model": "m"}), ("tool.result", {**RESULT})]
    assert continued([USER], events) == [USER, ANSWER, RESULT]


def test_what_is_entered_later_is_there_once() -> None:
    events = [
        ("llm.response", {"content": "", "tool_calls": ASKS}),
        ("message.added", {**ANSWER, "message_id": "m"}),
        ("tool.result", {"content": "raw", "tool_call_id": "c1"}),
        ("message.added", RESULT),
    ]
    assert continued([USER], events) == [USER, ANSWER, RESULT]


def test_the_same_answer_twice_is_there_twice() -> None:
    said = {"role": "assistant", "content": "No."}
    events = [("llm.response", {"content": "No."}), ("message.added", said), ("message.added", said)]
    assert continued([], events) == [said, said]


def test_a_failed_answer_is_no_message_and_a_failed_result_tells_its_error() -> None:
    events = [
        ("llm.response", {"error": "overloaded"}),
        ("tool.result", {"tool_call_id": "c1", "error": "no such file"}),
    ]
    assert continued([USER], events) == [USER, {"role": "tool", "content": "no such file", "tool_call_id": "c1"}]


def test_what_was_said_before_is_left_as_it_was() -> None:
    said = [USER]
    continued(said, [("message.added", RESULT)])
    assert said == [USER]

"""Which messages a prompt held."""

from typing import Any

from memory.flight.seen import Presence, Prompt, marks, presence, prompt

HELLO = {"role": "user", "content": "Hello there", "message_id": "m1"}


def prompts(*versions_and_messages: tuple[int, list[Any]]) -> list[Prompt]:
    return [prompt(version, {"messages": messages}) for version, messages in versions_and_messages]


def test_a_message_is_recognised_by_its_words_whatever_the_spaces() -> None:
    seen = prompts((5, [{"role": "user", "content": "Hello  there\n"}]))
    assert presence(1, marks(HELLO), seen) == Presence(5, None)


def test_the_same_words_of_another_role_are_another_message() -> None:
    seen = prompts((5, [{"role": "assistant", "content": "Hello there"}]))
    assert presence(1, marks(HELLO), seen) == Presence(None, 5)


def test_a_context_names_its_messages_by_id() -> None:
    assert presence(1, marks(HELLO), prompts((5, ["m0", "m1"]))) == Presence(5, None)


def test_a_message_that_only_asks_for_tools_is_recognised_by_its_calls() -> None:
    asking = {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "function": {"name": "f"}}]}
    assert presence(1, marks(asking), prompts((5, [asking]))) == Presence(5, None)
    empty = {"role": "tool", "content": "", "tool_call_id": "c1"}
    assert presence(1, marks(empty), prompts((5, [empty]))) == Presence(5, None)


def test_a_message_has_left_where_the_first_prompt_behind_lacks_it() -> None:
    seen = prompts((3, [HELLO]), (5, [HELLO]), (7, []), (9, []))
    found = presence(1, marks(HELLO), seen)
    assert found == Presence(5, 7)
    assert found.has_left


def test_a_message_that_came_back_has_not_left() -> None:
    found = presence(1, marks(HELLO), prompts((3, [HELLO]), (5, []), (7, [HELLO])))
    assert found == Presence(7, None)
    assert not found.has_left


def test_prompts_before_a_message_say_nothing_of_it() -> None:
    assert presence(4, marks(HELLO), prompts((3, [HELLO]))) == Presence(None, None)


def test_payloads_of_any_form_are_read() -> None:
    for messages in (None, "text", 3, [None, 3, ["x"]], [{"role": 5, "content": 7, "tool_calls": "x"}]):
        assert isinstance(prompt(1, {"messages": messages}).marks, frozenset)

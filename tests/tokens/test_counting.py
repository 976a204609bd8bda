"""Exact counts of tokens."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from splintr import Tokenizer

from memory.tokens import counting

REFERENCE = Tokenizer.from_pretrained("o200k_base")
# Counted with OpenAI's tiktoken.
KNOWN = {
    "": 0,
    "hello world": 2,
    "tiktoken is great!": 6,
    "お誕生日おめでとう": 8,
    "antidisestablishmentarianism": 6,
    "2 + 2 = 4": 7,
}
CONVERSATION = [
    {"role": "system", "content": "You are a helpful, pattern-following assistant that translates corporate jargon into plain English."},
    {"role": "system", "name": "example_user", "content": "New synergies will help drive top-line growth."},
    {"role": "system", "name": "example_assistant", "content": "Things working well together will increase revenue."},
    {
        "role": "system",
        "name": "example_user",
        "content": "Let's circle back when we have more bandwidth to touch base on opportunities for increased leverage.",
    },
    {"role": "system", "name": "example_assistant", "content": "Let's talk later when we're less busy about how to do better."},
    {
        "role": "user",
        "content": "This late pivot means we don't have time to boil the ocean for the client deliverable.",
    },
]  # fmt: skip


@pytest.mark.parametrize(("text", "tokens"), KNOWN.items())
def test_texts_have_the_tokens_that_openai_counts(text: str, tokens: int) -> None:
    assert counting.count(text) == tokens


def test_a_conversation_has_the_tokens_that_openais_cookbook_reports_for_it() -> None:
    assert counting.count_messages(CONVERSATION, "o200k_base") == 124
    assert counting.count_messages(CONVERSATION, "cl100k_base") == 129


def test_marks_of_the_vocabulary_and_lone_surrogates_are_text() -> None:
    assert counting.count("<|endoftext|>") > 1
    assert counting.count("a\ud800b") >= 1
    assert counting.count("a\0b") == 3


@settings(deadline=None)
@given(st.lists(st.text(st.sampled_from("ab1.,'/\n\t 你é"), max_size=8), min_size=30, max_size=60), st.integers(20, 60))
def test_a_text_counted_in_pieces_has_the_same_tokens(parts: list[str], piece: int) -> None:
    text = " word and ".join(parts)
    whole = len(REFERENCE.encode_ordinary(text))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(counting, "PIECE", piece)
        assert counting.count(text) == whole


@pytest.mark.parametrize(
    "text", ["a" * 450_000, " " * 450_000, "\n" * 450_000, "/" * 450_000, "中" * 250_000, "🙂" * 250_000]
)
def test_huge_texts_without_words_are_counted_nearly_exactly(text: str) -> None:
    whole = len(REFERENCE.encode_ordinary(text))
    assert whole <= counting.count(text) <= whole + 2 * (len(text) // counting.PIECE)


def test_a_message_of_any_shape_is_counted() -> None:
    calls = [{"function": {"name": "search", "arguments": '{"q": 1}'}}, {"function": 7}, None, {}]
    plain = counting.count_message({"role": "assistant"})
    assert counting.count_message({"role": "assistant", "content": None, "tool_calls": calls}) > plain
    assert counting.count_message({"role": 7, "content": {"a": 1}, "name": [], "tool_calls": "x"}) > 0
    assert counting.count_messages([7, None, "text"]) == counting.PER_ANSWER
    parts = [{"type": "text", "text": "hello world"}, {"type": "image_url", "image_url": {"url": "data:..."}}]
    assert counting.count_message({"role": "user", "content": parts}) == counting.count_message(
        {"role": "user", "content": "hello world"}
    )


@pytest.mark.parametrize(
    ("model", "vocabulary"),
    [("gpt-4o-2024-08-06", ("o200k_base", True)), ("openai/gpt-4.1-mini", ("o200k_base", True)), ("gpt-4-0613", ("cl100k_base", True)),
     ("GPT-5-nano", ("o200k_base", True)), ("gpt-3.5-turbo", ("cl100k_base", True)), ("o3-mini", ("o200k_base", True)),
     ("claude-sonnet-4-5", ("o200k_base", False)), ("", ("o200k_base", False)), ("llama3:8b", ("o200k_base", False))],
)  # fmt: skip
def test_a_model_is_counted_with_its_own_vocabulary_or_told_to_have_none(
    model: str, vocabulary: tuple[str, bool]
) -> None:
    assert tuple(counting.vocabulary_of(model)) == vocabulary

"""Exact counts of tokens, by vocabularies that the package splintr-rs carries. Pure.

What looks like one of a vocabulary's marks (`<|endoftext|>`) is text: it came from people and programs, and would be
sent as text. Pictures and sounds in a message count nothing.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from splintr import AnyTokenizer, Tokenizer

from memory.events import facts

# What is counted with where no model is named, or one whose vocabulary is not public.
VOCABULARY = "o200k_base"
# Models and their vocabularies as in tiktoken/model.py; the longer beginning decides. gpt-oss adds marks, not texts.
VOCABULARIES = {
    "gpt-5": "o200k_base",
    "gpt-4.5": "o200k_base",
    "gpt-4.1": "o200k_base",
    "gpt-4o": "o200k_base",
    "chatgpt-4o": "o200k_base",
    "gpt-oss": "o200k_base",
    "o1": "o200k_base",
    "o3": "o200k_base",
    "o4-mini": "o200k_base",
    "gpt-4": "cl100k_base",
    "gpt-3.5": "cl100k_base",
    "gpt-35": "cl100k_base",
    "text-embedding-3": "cl100k_base",
    "text-embedding-ada-002": "cl100k_base",
}
# Around each message, for a name in it, and before the answer. From OpenAI's cookbook, "How to count tokens with
# Tiktoken", for gpt-3.5-turbo and everything newer. It says nothing of tool calls: each counts like a message, with the
# function's name and arguments as text.
PER_MESSAGE = 3
PER_NAME = 1
PER_ANSWER = 3
# A longer text is counted in pieces of so many characters, so that no other thread waits long for this one.
PIECE = 100_000
# How far back from a piece's end a place is looked for at which both vocabularies always cut.
REACH = 2_000
SAFE_CUT = re.compile(r"(?<=[A-Za-z0-9])(?= [A-Za-z0-9])")


class Vocabulary(NamedTuple):
    """What to count with for a model, and whether that is the model's own vocabulary or stands in for it."""

    name: str
    is_exact: bool


def vocabulary_of(model: str) -> Vocabulary:
    """The vocabulary of a model; of one whose own is not public, VOCABULARY stands in."""
    name = model.lower().rpartition("/")[2]
    known = max((start for start in VOCABULARIES if name.startswith(start)), key=len, default="")
    return Vocabulary(VOCABULARIES.get(known, VOCABULARY), bool(known))


def count(text: str, vocabulary: str = VOCABULARY) -> int:
    """How many tokens a text has.

    A lone surrogate, which no encoding has, counts as the sign that replaces it. A text of more than PIECE characters
    in which REACH characters have no space between words may come out a token or two too high for each piece.
    """
    encoding = _encoding(vocabulary)
    return sum(len(encoding.encode_ordinary(piece)) for piece in _pieces(text)) if text else 0


def count_message(message: Mapping[str, Any], vocabulary: str = VOCABULARY) -> int:
    """How many tokens a chat message has (`role`, `content`, `name`, `tool_calls`), with what the format puts around
    it.

    Whatever is not of the expected type counts as absent.
    """
    total = PER_MESSAGE + count(facts.string(message, "role"), vocabulary)
    total += count(facts.text_of(message.get("content")), vocabulary)
    name = facts.string(message, "name")
    if name and message.get("role") != "tool":
        total += PER_NAME + count(name, vocabulary)
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict):
            total += PER_MESSAGE + count(facts.string(function, "name"), vocabulary)
            total += count(facts.text_of(function.get("arguments")), vocabulary)
    return total


def count_messages(messages: Iterable[Any], vocabulary: str = VOCABULARY) -> int:
    """How many tokens a model reads when it is sent these chat messages."""
    known = [message for message in messages if isinstance(message, Mapping)]
    return sum(count_message(message, vocabulary) for message in known) + PER_ANSWER


def count_tools(tools: Any, vocabulary: str = VOCABULARY) -> int:
    """How many tokens the tools offered to a model have, as JSON: how a provider renders them is not public."""
    return (
        count(json.dumps(tools, ensure_ascii=False, sort_keys=True, separators=(",", ":")), vocabulary) if tools else 0
    )


def _pieces(text: str) -> Iterator[str]:
    text = text.encode("utf-8", "replace").decode()
    start = 0
    while len(text) - start > PIECE:
        end = start + PIECE
        cuts = [match.end() for match in SAFE_CUT.finditer(text, max(start + 1, end - REACH), end)]
        end = cuts[-1] if cuts else end
        yield text[start:end]
        start = end
    yield text[start:]


@cache
def _encoding(vocabulary: str) -> AnyTokenizer:
    return Tokenizer.from_pretrained(vocabulary)

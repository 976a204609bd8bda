"""Exact counts of tokens, by the vocabulary o200k_base, which the package bpe-openai carries. Pure."""

from functools import cache
from typing import Any

import bpe_openai

VOCABULARY = "o200k_base"


def count(text: str) -> int:
    """How many tokens a text has; a lone surrogate, which is no text, counts as the sign that replaces it."""
    if not text:
        return 0
    return len(_encoding().encode(text.encode("utf-8", "replace").decode(), disallowed_special=()))


@cache
def _encoding() -> Any:
    return bpe_openai.get_encoding(VOCABULARY)

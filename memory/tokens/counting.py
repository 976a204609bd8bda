"""Exact counts of tokens, by the vocabulary o200k_base, which the package splintr-rs carries. Pure."""

from functools import cache

from splintr import AnyTokenizer, Tokenizer

VOCABULARY = "o200k_base"


def count(text: str) -> int:
    """How many tokens a text has. What looks like one of the vocabulary's marks is text; a lone surrogate, which is
    none, counts as the sign that replaces it."""
    return len(_encoding().encode_ordinary(text.encode("utf-8", "replace").decode())) if text else 0


@cache
def _encoding() -> AnyTokenizer:
    return Tokenizer.from_pretrained(VOCABULARY)

"""Text → the terms that it is found by. Pure.

English words are stemmed (Snowball). Chinese is segmented (jieba), and its single characters are terms too: they find
what the segmenter cut otherwise. What is written as one (`order_items.id`, `/var/log/nginx`, `E11000`, `3.14`,
`getUserName`) is a term as written, and so is each of its parts.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise

import rjieba
import snowballstemmer

from memory.retrieval.stop_words import STOP_WORDS

# What is behind this many characters of a text is not found by its words; a book's worth, and a bound on the work.
MAX_TEXT = 500_000
# Longer ones (base64, minified code) are cut: nobody searches for their ends.
MAX_TERM = 64
# Terms of a query: a question has ten, a conversation so far a hundred, a pasted log thousands.
MAX_QUERY_TERMS = 256

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
# Scripts that are written without spaces and have no segmenter here: kana, Hangul, Thai, Lao, Khmer, Burmese.
_PAIRED = "\u3040-\u30ff\uac00-\ud7af\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_UNSPACED = re.compile(f"(?P<han>[{_HAN}]+)|(?P<paired>[{_PAIRED}]+)")
# What is written as one: letters and digits, held together inside by signs that identifiers, paths and numbers use.
_WRITTEN = re.compile(r"[\w$]+(?:[.:/\\@#+~'’,-]+[\w$]+)*(?:\+\+|#)?")
_WORD = re.compile(r"[^\W\d_]+|\d+")
# Where a name that is written as one begins another word: `userName`, `HTTPServer`.
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_APOSTROPHE = re.compile(r"['’](?:s|t|re|ve|ll|d|m)?\b", re.IGNORECASE)

_stemmer = snowballstemmer.stemmer("english")
_jieba = rjieba.Jieba()


def terms(text: str) -> Counter[str]:
    """How often each term stands in a text, of which the first `MAX_TEXT` characters count."""
    return Counter(_terms(text))


def query_terms(text: str) -> list[str]:
    """The terms to ask for, each once, in the order of the text: without the words that stand in any text, unless there
    are no others."""
    asked = list(dict.fromkeys(_terms(text)))
    chosen = [term for term in asked if term not in STOP_TERMS]
    return (chosen or asked)[:MAX_QUERY_TERMS]


def telling(asked: Iterable[str]) -> bool:
    """Whether one of a query's terms does not stand in any text."""
    return any(term not in STOP_TERMS for term in asked)


def _terms(text: str) -> Iterator[str]:
    written_out = unicodedata.normalize("NFKC", text[:MAX_TEXT])
    for found in _WRITTEN.finditer(_UNSPACED.sub(lambda run: f" {run[0]} ", written_out)):
        run = found[0]
        unspaced = _UNSPACED.fullmatch(run)
        if unspaced is None:
            yield from _written(run)
        elif unspaced["han"]:
            yield from _chinese(run)
        else:
            yield from _pairs(run)


def _written(run: str) -> Iterator[str]:
    plain = _APOSTROPHE.sub("", run)
    parts = [part for piece in _CAMEL.split(plain) for part in _WORD.findall(piece)]
    if parts != [plain]:
        yield plain.casefold()[:MAX_TERM]
    if "," in plain and plain.replace(",", "").isdecimal():  # 1,000 is 1000, and neither 1 nor 000
        parts = [plain.replace(",", "")]
    for part in parts:
        yield _stem(part.casefold()[:MAX_TERM])


def _chinese(run: str) -> Iterator[str]:
    words = _jieba.cut_for_search(run)
    yield from words
    yield from (character for character in run if character not in words)


def _pairs(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield run
    for first, second in pairwise(run):
        yield first + second


@lru_cache(100_000)
def _stem(word: str) -> str:
    return str(_stemmer.stemWord(word)) if word.isascii() else word


STOP_TERMS = STOP_WORDS | {_stem(word) for word in STOP_WORDS}

"""Whom and what a text is about, as far as it is said by name. Pure."""

import re
from collections.abc import Iterable, Set

from memory.retrieval.terms import query_terms

# Names of one item that count; a transcript has a few speakers, a text a few entities.
MAX_NAMES = 50
# A speaker's mark at the beginning of a line: `Caroline: …`, `Caroline to Mel: …`, `老王：…`; up to four words.
_SPEAKER = re.compile(
    r"^[ \t]*<?([^\W\d_][\w.'’-]*(?: [\w.'’-]+){0,3}?)(?: to [^:：\n]{1,80})?>?[:：]\s*\S", re.MULTILINE
)


def speakers(text: str) -> list[str]:
    """Who speaks in a text that is written as a dialogue, in the order of their first word."""
    return list(dict.fromkeys(_SPEAKER.findall(text)))[:MAX_NAMES]


def keys(names: Iterable[str]) -> list[str]:
    """The names as they are kept and compared: each one's terms with spaces between, each once."""
    made = (" ".join(query_terms(name)) for name in names)
    return list(dict.fromkeys(filter(None, made)))[:MAX_NAMES]


def named(kept: Iterable[str], asked: Set[str]) -> bool:
    """Whether one of these names stands in a query with these terms, whole."""
    return any(set(name.split(" ")) <= asked for name in kept)

"""One text for one JSON value, so that equal content has equal digests, and a check of what may be recorded.

Canonical JSON here: keys sorted by code point, no white space, UTF-8 without escapes that JSON does not demand,
integers of any size exactly, other numbers in Python's shortest form that reads back as the same double.
(RFC 8785 is not used: it turns integers beyond 2^53 into doubles.)
"""

import json
import re
from typing import Any

from memory.errors import Invalid

_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")).encode
_CONTAINERS = (dict, list)
# An escaped NUL: `\u0000` behind an even number of backslashes.
_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")


def canonical_json(value: Any, *, max_depth: int, where: str) -> str:
    """The canonical text of a JSON value; `where` names it in errors.

    Raises:
        Invalid: it nests deeper than `max_depth`, or holds a NUL character, a lone surrogate, NaN or an infinity.
    """
    if _nests_deeper(value, max_depth):
        raise Invalid(f"{where} nests deeper than {max_depth} levels.")
    try:
        text = _encode(value)
    except ValueError:
        raise Invalid(f"{where} holds NaN or an infinity, which JSON does not have.") from None
    check_text(text, where)
    if "\\u0000" in text and _NUL.search(text):
        raise Invalid(f"{where} holds a NUL character (\\u0000), which cannot be stored.")
    return text


def check_text(text: str, where: str) -> None:
    """Refuse what PostgreSQL and UTF-8 cannot hold.

    Raises:
        Invalid: the text holds a NUL character or a lone surrogate.
    """
    if "\x00" in text:
        raise Invalid(f"{where} holds a NUL character (\\u0000), which cannot be stored.")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        code = ord(text[error.start])
        raise Invalid(f"{where} holds a lone surrogate (\\u{code:04x}), which is not a character.") from None


def _nests_deeper(value: Any, limit: int) -> bool:
    """Whether arrays and objects nest deeper than `limit`; `{}` is one level. Without recursion."""
    level = [value] if isinstance(value, _CONTAINERS) else []
    for _ in range(limit):
        if not level:
            return False
        level = [
            child
            for node in level
            for child in (node.values() if isinstance(node, dict) else node)
            if isinstance(child, _CONTAINERS)
        ]
    return bool(level)

"""JSON text to plain values, with everything that makes JSON refuse named as one error."""

import hashlib
import json
import re
from typing import Any

# Arrays and objects inside one another in one record. Below the 100 that one event's payload may have by default, so
# that there is room for what an event puts around a piece of a record.
MAX_NESTING = 90

# Control characters inside texts are let through: a NUL is replaced later, and counted.
_decoder = json.JSONDecoder(strict=False)
_BLANK = re.compile(r"[ \t\n\r]*+")
# A string (closed or not) or a bracket. Possessive, so that no text takes more than one pass.
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[\]{}]', re.DOTALL)


class UndecodableError(ValueError):
    """The text is not JSON that can be imported; the message says why."""


class TooDeepError(UndecodableError):
    """The value nests deeper than `MAX_NESTING`."""

    def __init__(self) -> None:
        super().__init__(f"nests deeper than {MAX_NESTING} levels")


def decode(text: str) -> Any:
    """The value of a text that is one JSON value and nothing else but blanks.

    Raises:
        UndecodableError: it is not.
    """
    value, end = decode_at(text, after_blanks(text, 0))
    if after_blanks(text, end) < len(text):
        raise UndecodableError(f"is not JSON: text follows the value at character {end}")
    return value


def decode_at(text: str, start: int) -> tuple[Any, int]:
    """The JSON value that begins at `start`, and the place where it ends.

    Raises:
        UndecodableError: there is none, or a number has too many digits.
        TooDeepError: there may be one, but it nests too deeply.
    """
    try:
        value, end = _decoder.raw_decode(text, start)
    except RecursionError:
        raise TooDeepError from None
    except ValueError as error:
        raise UndecodableError(f"is not JSON: {error}") from None
    if _nests_too_deeply(value):
        raise TooDeepError
    return value, end


def after_blanks(text: str, start: int) -> int:
    """The place of the first character from `start` that is not white space; the text's length if there is none."""
    blanks = _BLANK.match(text, start)
    return blanks.end() if blanks else start


def end_of_container(text: str, start: int) -> int:
    """Where the array or object that begins at `start` ends, by its brackets alone; if nowhere, the text's length."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        if token[0] in "[{":
            depth += 1
        elif token[0] in "]}":
            depth -= 1
            if depth <= 0:
                return token.end()
    return len(text)


def digest(value: Any) -> str:
    """24 hexadecimal digits that stand for a decoded value, whatever the order of its keys."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def _nests_too_deeply(value: Any) -> bool:
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(MAX_NESTING):
        children = [child for node in level for child in (node.values() if isinstance(node, dict) else node)]
        level = [child for child in children if isinstance(child, dict | list)]
        if not level:
            return False
    return True

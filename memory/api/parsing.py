"""Request bodies: strict JSON in UTF-8, nothing read twice and nothing guessed."""

import json
from collections.abc import Mapping
from typing import IO, Any

from rest_framework.parsers import BaseParser

from memory import conf
from memory.errors import Invalid, TooLarge


class StrictJSONParser(BaseParser):
    """Reads a body. Integers stay exact; NaN, infinities and a key given twice are refused."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        limit = conf.value("ARES_MAX_BODY_BYTES")
        body = stream.read(limit + 1)
        if len(body) > limit:
            raise TooLarge(f"The body has more than {limit} bytes.", limit=limit)
        return loads(body)


def loads(body: bytes) -> Any:
    """The value of a JSON text.

    Raises:
        Invalid: it is not UTF-8, not JSON, or nests too deep to be read.
    """
    try:
        return json.loads(body.decode(), parse_constant=_refuse, object_pairs_hook=_object)
    except UnicodeDecodeError as error:
        raise Invalid(f"The body is not UTF-8: byte {error.start} cannot be read.") from None
    except RecursionError:
        raise Invalid("The body nests too deep to be read.") from None
    except json.JSONDecodeError as error:
        raise Invalid(f"The body is not JSON: {error.msg} at line {error.lineno}, column {error.colno}.") from None
    except ValueError as error:  # an integer of more digits than Python reads
        raise Invalid(f"The body holds a number that cannot be read: {error}.") from None


def _refuse(constant: str) -> Any:
    raise Invalid(f"The body holds {constant}, which JSON does not have.")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise Invalid(f"The body gives the key {twice[:100]!r} twice in one object.")
    return made

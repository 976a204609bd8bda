"""A client's own object, kept beside a row and given back as it was."""

from typing import Any

from memory import conf
from memory.errors import Invalid, TooLarge
from memory.events.canonical import canonical_json


def checked(raw: Any, where: str = "metadata") -> dict[str, Any]:
    """The object, or an empty one for None.

    Raises:
        Invalid: it is none, or holds what cannot be stored. TooLarge: it has too many bytes.
    """
    if raw is None:
        return {}
    if not isinstance(raw, dict):
        raise Invalid(f"{where} must be an object.")
    limit = conf.value("ARES_MAX_PAYLOAD_BYTES")
    size = len(canonical_json(raw, max_depth=conf.value("ARES_MAX_JSON_DEPTH"), where=where).encode())
    if size > limit:
        raise TooLarge(f"{where} has {size:,} bytes; at most {limit:,} are taken.", limit=limit)
    return raw

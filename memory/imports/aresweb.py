"""Runs exported by aresweb: JSON Lines with the hashes, which the store checks before anything is written.

A run keeps its name, its events their ids, times and hashes. A file that is broken anywhere is not recorded at all.
"""

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from memory.errors import Invalid, TooLarge
from memory.events import store
from memory.events.chained import Chained
from memory.events.draft import Limits, draft, instant, text
from memory.events.export import FORMAT, FORMAT_VERSION
from memory.imports.files import TooManyBytesError, numbered_lines
from memory.imports.run import Recording, Skipped
from memory.vocabulary import STREAM_NAME_MAX_LENGTH

NAME = "aresweb"

DRAFT_FIELDS = ("id", "type", "payload", "metadata", "occurred_at", "causation_id", "correlation_id")
# Bytes of a hash.
HASH_LENGTH = 32


def matches(path: Path, head: bytes) -> bool:
    """See `Format.matches`."""
    line = head.lstrip().partition(b"\n")[0]
    return line.startswith(b"{") and _header(line) is not None


def read(path: Path) -> Iterator[Recording | Skipped]:
    """See `Format.read`."""
    try:
        yield _recording(path)
    except (Invalid, TooLarge) as error:
        yield Skipped(str(path), error.detail)
    except OSError as error:
        yield Skipped(str(path), f"cannot be read: {error.strerror or error}")
    except TooManyBytesError as error:
        yield Skipped(str(path), f"is too large: {error}")


def _recording(path: Path) -> Recording:
    """The run in a file.

    Raises:
        Invalid: it is none, or broken; it names the line or the version.
        TooLarge: an event is larger than this installation takes.
    """
    lines = numbered_lines(path)
    _, first = next(lines, (0, b""))
    header = _header(first)
    if header is None:
        raise Invalid("The file does not begin with the header of an export.")
    if header.get("format_version") != FORMAT_VERSION:
        raise Invalid(f"The file is not of version {FORMAT_VERSION} of the format, the only one that can be read.")
    name = text(header.get("stream"), "The stream's name", STREAM_NAME_MAX_LENGTH)
    limits = store.limits()
    events = [_event(_decode(line, number), limits, f"line {number}") for number, line in lines]
    if not events or header.get("version") != len(events):
        raise Invalid(f"The file says that {name} has {header.get('version')!r} events, and holds {len(events)}.")
    if header.get("hash") != events[-1].hash.hex():
        raise Invalid(f"The hash that the file gives for {name} is not that of version {len(events)}.")
    return Recording(name, events, {"events": len(events)})


def _header(line: bytes) -> dict[str, Any] | None:
    try:
        header = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return header if isinstance(header, dict) and header.get("format") == FORMAT else None


def _decode(line: bytes, number: int) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Invalid(f"line {number} is not JSON that can be read: {error}") from None
    if not isinstance(value, dict):
        raise Invalid(f"line {number} is no event: it is not an object.")
    return value


def _event(fields: dict[str, Any], limits: Limits, where: str) -> Chained:
    given = {name: fields[name] for name in DRAFT_FIELDS if fields.get(name) not in (None, "")}
    version = fields.get("version")
    if not isinstance(version, int) or isinstance(version, bool):
        raise Invalid(f"{where}.version must be a whole number.")
    if not fields.get("id") or not fields.get("occurred_at"):
        raise Invalid(f"{where} lacks its id or time.")
    return Chained(
        draft=draft(given, limits, where),
        version=version,
        recorded_at=_moment(fields, "recorded_at", where),
        digest=_hash(fields, "digest", where),
        hash=_hash(fields, "hash", where),
        erased_at=instant(fields.get("erased_at"), f"{where}.erased_at"),
    )


def _moment(fields: dict[str, Any], name: str, where: str) -> datetime:
    moment = instant(fields.get(name), f"{where}.{name}")
    if moment is None:
        raise Invalid(f"{where}.{name} is missing.")
    return moment


def _hash(fields: dict[str, Any], name: str, where: str) -> bytes:
    digits = fields.get(name)
    try:
        value = bytes.fromhex(digits) if isinstance(digits, str) else b""
    except ValueError:
        value = b""
    if len(value) != HASH_LENGTH:
        raise Invalid(f"{where}.{name} must be {2 * HASH_LENGTH} hexadecimal digits.")
    return value

"""Opens a file of somebody else's runs and takes it apart into records. Plain or gzip, by content and not by name.

A record is what stands on one line of a JSON Lines file, one element of a JSON array, or the whole of any other JSON
file. What is broken is told as `Skipped`, and what can be read around it is read.
"""

import gzip
import io
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory.imports.decoding import TooDeepError, UndecodableError, after_blanks, decode, decode_at, end_of_container
from memory.imports.run import Skipped

HEAD_BYTES = 64 * 2**10
# Decompressed. A file of a few megabytes can claim more memory than the machine has.
MAX_BYTES = 2**30
CHUNK_BYTES = 2**20
GZIP_MAGIC = b"\x1f\x8b"
_DAMAGE = (EOFError, zlib.error, gzip.BadGzipFile)


class TooManyBytesError(Exception):
    """The file is larger than `MAX_BYTES` when decompressed."""


@dataclass(frozen=True, slots=True)
class Record:
    """One decoded JSON value of a file; `where` names file and place for the operator."""

    where: str
    value: Any


def read_head(path: Path) -> bytes:
    """The first `HEAD_BYTES` of a file, decompressed; less if the file is shorter or its compression is broken.

    Raises:
        OSError: the file cannot be opened or read.
    """
    head = bytearray()
    try:
        with _open(path) as stream:
            while len(head) < HEAD_BYTES and (chunk := stream.read1(HEAD_BYTES)):
                head += chunk
    except _DAMAGE:
        # What came before the damage is all there is to look at; reading the file reports it.
        pass
    return bytes(head[:HEAD_BYTES])


def records(path: Path) -> Iterator[Record | Skipped]:
    """The file's records in order, and what could not be read."""
    try:
        data, damage = _contents(path)
    except OSError as error:
        yield Skipped(str(path), f"cannot be read: {error.strerror or error}")
        return
    except TooManyBytesError:
        yield Skipped(str(path), f"holds more than {MAX_BYTES} bytes of data")
        return
    # Bytes that are not UTF-8 become lone surrogates, which are replaced and counted like any others.
    text = data.decode("utf-8-sig", "surrogateescape")
    del data
    if damage:
        yield Skipped(str(path), f"is damaged ({damage}); only what comes before the damage can be read")
    if after_blanks(text, 0) == len(text):
        yield Skipped(str(path), "is empty")
        return
    yield from _split(path, text)


def numbered_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines of a file that are not blank, with their numbers, one at a time.

    Raises:
        OSError: the file cannot be read, or its compression is broken.
        TooManyBytesError: it is larger than `MAX_BYTES`.
    """
    read = 0
    try:
        with _open(path) as stream:
            for number, line in enumerate(stream, start=1):
                read += len(line)
                if read > MAX_BYTES:
                    raise TooManyBytesError(f"it holds more than {MAX_BYTES} bytes of data")
                if line.strip():
                    yield number, line
    except (EOFError, zlib.error) as error:
        raise OSError(f"its compression is damaged ({error})") from error


def _open(path: Path) -> io.BufferedIOBase:
    with path.open("rb") as stream:
        compressed = stream.read(len(GZIP_MAGIC)) == GZIP_MAGIC
    return gzip.open(path, "rb") if compressed else path.open("rb")


def _contents(path: Path) -> tuple[bytearray, str]:
    """The file's decompressed bytes, and what is wrong with its compression ("" if nothing is)."""
    data = bytearray()
    with _open(path) as stream:
        try:
            while chunk := stream.read1(CHUNK_BYTES):
                data += chunk
                if len(data) > MAX_BYTES:
                    raise TooManyBytesError
        except _DAMAGE as error:
            return data, str(error)
    return data, ""


def _split(path: Path, text: str) -> Iterator[Record | Skipped]:
    start = after_blanks(text, 0)
    newline = text.find("\n", start)
    if newline >= 0 and after_blanks(text, newline) < len(text) and _is_container(text[start:newline]):
        yield from _lines(path, text)
    elif text[start] == "[":
        yield from _elements(path, text, start)
    else:
        try:
            value = decode(text)
        except UndecodableError as error:
            # Not one value, so it may be a line each, the first of them broken.
            yield from _lines(path, text, first_reason=str(error))
        else:
            yield Record(str(path), value)


def _is_container(text: str) -> bool:
    try:
        _decode_container(text)
    except UndecodableError:
        return False
    return True


def _decode_container(text: str) -> Any:
    value = decode(text)
    if not isinstance(value, dict | list):
        raise UndecodableError("is neither an object nor an array")
    return value


def _lines(path: Path, text: str, first_reason: str = "") -> Iterator[Record | Skipped]:
    """A record for each line. Broken lines in a row are one `Skipped`: a broken file can have any number of them.

    `first_reason` says what is wrong with the first line, where more than the line tells it.
    """
    broken: list[int] = []
    reason = first_reason
    for number, line in _numbered_lines(text):
        try:
            value = _decode_container(line)
        except UndecodableError as error:
            reason = reason or str(error)
            broken.append(number)
            continue
        if broken:
            yield _broken_lines(path, broken, reason)
            broken, reason = [], ""
        yield Record(f"{path}: line {number}", value)
    if broken:
        yield _broken_lines(path, broken, reason)


def _numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines that are not blank. Not `splitlines`, which also splits at characters that a JSON text may hold."""
    number, start = 0, 0
    while start < len(text):
        newline = text.find("\n", start)
        end = len(text) if newline < 0 else newline
        number += 1
        line = text[start:end]
        start = end + 1
        if after_blanks(line, 0) < len(line):
            yield number, line


def _broken_lines(path: Path, numbers: list[int], reason: str) -> Skipped:
    lines = f"line {numbers[0]}" if len(numbers) == 1 else f"lines {numbers[0]} to {numbers[-1]}"
    return Skipped(f"{path}: {lines}", reason)


def _elements(path: Path, text: str, start: int) -> Iterator[Record | Skipped]:
    """A record for each element of the array that begins at `start`, one decoded at a time."""
    number = 0
    at = after_blanks(text, start + 1)
    while at < len(text) and text[at] != "]":
        number += 1
        where = f"{path}: record {number}"
        try:
            value, at = decode_at(text, at)
            yield Record(where, value)
        except TooDeepError as error:
            yield Skipped(where, str(error))
            at = end_of_container(text, at)
        except UndecodableError as error:
            yield Skipped(where, f"{error}; the array cannot be read from here on")
            return
        at = after_blanks(text, at)
        if text[at : at + 1] == ",":
            at = after_blanks(text, at + 1)
        elif text[at : at + 1] not in ("]", ""):
            yield Skipped(f"{path}: after record {number}", "there is no comma; the array cannot be read from here on")
            return
    if at == len(text):
        yield Skipped(f"{path}: after record {number}", "the file ends inside of the array")
    elif after_blanks(text, at + 1) < len(text):
        yield Skipped(f"{path}: after record {number}", "text follows the array")

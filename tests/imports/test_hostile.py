"""Whatever a file holds, reading it raises nothing, and whatever comes out can be recorded."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.imports.files import read_head
from memory.imports.formats import FORMATS
from memory.imports.run import Format
from tests.imports.examples import EXAMPLES
from tests.imports.reading import read, write, write_bytes, write_lines

DEEP = "[" * 5000 + "]" * 5000
LONE = '"\\ud800 \\u0000 \\udc00"'
# Put in the place of every value of an example, as JSON text.
WRONG = ["null", "true", "-1.5", "1e999", "9" * 400, '"text"', "[null]", "{}", '{"a": [1]}', LONE, DEEP]

FILES = {
    "empty": b"",
    "blank": b" \n",
    "not JSON": b"not json at all\n{",
    "a scalar": b"5",
    "a text": b'"text"',
    "NaN": b"NaN",
    "an open bracket": b"[",
    "an open brace": b"{",
    "a closing bracket": b"]",
    "an empty array": b"[]",
    "an empty object": b"{}",
    "5,000 deep arrays": DEEP.encode(),
    "5,000 deep objects": b'{"a":' * 5000 + b"1" + b"}" * 5000,
    "5,000 open brackets": b"[" * 5000,
    "a huge number": b"[" + b"9" * 10_000 + b"]",
    "invalid UTF-8": b'[{"role": "user", "content": "\xff\xfe\xed\xa0\x80"}]',
    "invalid UTF-8 outside of texts": b'\xff[{"role": "user"}]',
    "UTF-16": '[{"role": "user", "content": "x"}]'.encode("utf-16"),
    "NUL bytes": b"\x00" * 100,
    "a raw NUL in a text": b'[{"role": "user", "content": "a\x00b"}]',
    "lone surrogates": b'[{"role": "\\ud800", "content": "\\udfff", "name": "\\u0000"}]',
    "a lone surrogate as a key": b'{"\\ud800": 1, "messages": [{"role": "u", "content": [{"\\ud800": "\\u0000"}]}]}',
    "infinities": b'[{"role": "user", "content": [{"x": Infinity, "y": -Infinity, "z": NaN}]}]',
    "no gzip after the magic": b"\x1f\x8b\x08nothing",
    "gzip of nothing": gzip.compress(b""),
    "gzip with a broken checksum": gzip.compress(b'[{"role": "user", "content": "x"}]')[:-8] + b"\x00" * 8,
    "gzip with a tail": gzip.compress(b'[{"role": "user", "content": "x"}]') + b"tail",
    "gzip in gzip": gzip.compress(gzip.compress(b"[]")),
}


def written(tmp_path: Path, name: str) -> Path:
    """The example file of a format."""
    file_name, value = EXAMPLES[name]()
    if file_name.endswith(".jsonl") and isinstance(value, list):
        return write_lines(tmp_path / file_name, value)
    return write(tmp_path / file_name, value)


def consider(known: Format, path: Path) -> None:
    """Detect and read a file; `read` checks each run that comes out."""
    known.matches(path, read_head(path))
    read(known, path)


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each container in the value with each key or index that it has."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from places(value[key])


@pytest.mark.parametrize("known", FORMATS, ids=lambda known: known.NAME)
@pytest.mark.parametrize("kind", FILES)
def test_no_file_makes_reading_fail(tmp_path: Path, known: Format, kind: str) -> None:
    consider(known, write_bytes(tmp_path / "file.json", FILES[kind]))


@pytest.mark.parametrize("known", FORMATS, ids=lambda known: known.NAME)
def test_no_file_of_another_format_makes_reading_fail(tmp_path: Path, known: Format) -> None:
    for name in EXAMPLES:
        consider(known, written(tmp_path, name))


@pytest.mark.parametrize("known", FORMATS, ids=lambda known: known.NAME)
def test_a_truncated_file_gives_what_can_be_read(tmp_path: Path, known: Format) -> None:
    whole = written(tmp_path, known.NAME).read_bytes()
    packed = gzip.compress(whole)
    for part in range(1, 20):
        consider(known, write_bytes(tmp_path / "plain", whole[: len(whole) * part // 20]))
        consider(known, write_bytes(tmp_path / "packed", packed[: len(packed) * part // 20]))


@pytest.mark.parametrize("known", FORMATS, ids=lambda known: known.NAME)
def test_no_wrong_value_inside_of_a_record_makes_reading_fail(tmp_path: Path, known: Format) -> None:
    _, value = EXAMPLES[known.NAME]()
    mark = "the wrong value goes here"
    path = tmp_path / "file.json"
    for container, key in places(value):
        kept, container[key] = container[key], mark
        text = json.dumps(value)
        container[key] = kept
        for wrong in WRONG:
            path.write_text(text.replace(json.dumps(mark), wrong))
            consider(known, path)


@pytest.mark.parametrize("known", FORMATS, ids=lambda known: known.NAME)
def test_no_missing_value_inside_of_a_record_makes_reading_fail(tmp_path: Path, known: Format) -> None:
    _, value = EXAMPLES[known.NAME]()
    for container, key in list(places(value)):
        if isinstance(container, dict):
            kept = container.pop(key)
            consider(known, write(tmp_path / "file.json", value))
            container[key] = kept


# An export of aresweb's is recorded as it is or not at all: its hashes cover every character.
@pytest.mark.parametrize("name", [name for name in EXAMPLES if name != "aresweb"])
def test_unstorable_characters_in_texts_are_replaced_and_counted(tmp_path: Path, name: str) -> None:
    known = next(known for known in FORMATS if name == known.NAME)
    path = written(tmp_path, name)
    spoilt = (
        path.read_text()
        .replace("Lima", "Li\\u0000ma\\ud800")
        .replace("Look", "Look\\ud800")
        .replace("Fix it", "\\u0000")
    )
    spoilt = spoilt.replace("SETTING", "\\udfff").replace("Add a function", "Add\\u0000")
    runs, _ = read(known, write_bytes(tmp_path / "spoilt", spoilt.encode()))
    assert runs
    assert sum(run.metadata.get("replaced_characters", 0) for run in runs) > 0


def surrogate_text() -> st.SearchStrategy[str]:
    return st.text(st.characters(codec=None), max_size=10)


def json_values() -> st.SearchStrategy[Any]:
    leaves = st.none() | st.booleans() | st.integers() | st.floats() | surrogate_text()
    return st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(surrogate_text() | words(), inner, max_size=4),
        max_leaves=15,
    )


def words() -> st.SearchStrategy[str]:
    """Words that the formats look for."""
    found = {key for _, make in EXAMPLES.items() for container, key in places(make()[1]) if isinstance(key, str)}
    return st.sampled_from(sorted(found))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=json_values())
def test_no_json_value_makes_reading_fail(tmp_path: Path, value: Any) -> None:
    path = write(tmp_path / "file.json", value)
    for known in FORMATS:
        consider(known, path)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_json_value_inside_of_a_record_makes_reading_fail(tmp_path: Path, data: st.DataObject) -> None:
    known = data.draw(st.sampled_from(FORMATS))
    _, value = EXAMPLES[known.NAME]()
    container, key = data.draw(st.sampled_from(list(places(value))))
    container[key] = data.draw(json_values())
    consider(known, write(tmp_path / "file.json", value))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=300))
def test_no_bytes_make_reading_fail(tmp_path: Path, data: bytes) -> None:
    path = write_bytes(tmp_path / "file", data)
    for known in FORMATS:
        consider(known, path)

"""What the beginning of a file tells about its shape."""

import json

import pytest

from memory.imports.outline import outline

RECORD = {"a": {"b": [{"c": 1}]}, "d": ["x"]}
PATHS = {"a", "a.b", "a.b[]", "a.b[].c", "d", "d[]"}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(RECORD),
        json.dumps([RECORD]),
        json.dumps(RECORD, indent=1),
        f"{json.dumps(RECORD)}\n{json.dumps(RECORD)}\n",
        f"\n {json.dumps([RECORD])}",
    ],
)
def test_records_have_the_same_outline_however_they_are_put_into_a_file(text: str) -> None:
    assert outline(text.encode()) == PATHS


def test_arrays_in_an_array_keep_their_own_level() -> None:
    assert outline(b'[[{"role": "user"}]]') == {"[]", "[].role"}


def test_a_head_that_breaks_off_shows_what_came_before() -> None:
    assert outline(b'{"a": {"b": [{"c": "unfinish') == {"a", "a.b", "a.b[]", "a.b[].c"}


def test_keys_in_texts_are_not_taken_for_keys() -> None:
    assert outline(rb'{"a": "{\"role\": \"user\"}", "b": "role", "c\"": 1}') == {"a", "b", r"c\""}


@pytest.mark.parametrize("head", [b"", b"\xff\xfe", b'# a text with "role": and "content":', b"}}]]", b'"role": 1'])
def test_what_is_no_json_object_or_array_has_no_outline(head: bytes) -> None:
    assert outline(head) == frozenset()


@pytest.mark.parametrize("head", [b"[" * 65536, b'{"a":' * 13000, b'["' + b'\\"' * 32767, b'["\\' * 20000])
def test_a_hostile_head_has_an_outline_too(head: bytes) -> None:
    assert isinstance(outline(head), frozenset)

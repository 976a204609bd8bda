"""Opening files and taking them apart."""

import gzip
from pathlib import Path

import pytest

from memory.imports import files
from memory.imports.decoding import MAX_NESTING
from memory.imports.files import Record, read_head, records
from memory.imports.run import Skipped
from tests.imports.reading import write, write_bytes, write_lines


def values(path: Path) -> list[object]:
    return [item.value if isinstance(item, Record) else item.reason for item in records(path)]


def test_an_object_is_one_record(tmp_path: Path) -> None:
    assert values(write(tmp_path / "a.json", {"a": [1]})) == [{"a": [1]}]


def test_each_element_of_an_array_is_a_record(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", [{"a": 1}, 2])
    assert list(records(path)) == [Record(f"{path}: record 1", {"a": 1}), Record(f"{path}: record 2", 2)]


def test_each_line_is_a_record(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", [{"a": 1}, "", [2]])
    assert list(records(path)) == [Record(f"{path}: line 1", {"a": 1}), Record(f"{path}: line 3", [2])]


def test_a_value_over_many_lines_is_not_taken_for_a_line_each(tmp_path: Path) -> None:
    assert values(write_bytes(tmp_path / "a.json", b'{\n "a":\n [\n1\n]}\n')) == [{"a": [1]}]
    assert values(write_bytes(tmp_path / "b.json", b'[\n{"a": 1},\n{"a": 2}\n]\n')) == [{"a": 1}, {"a": 2}]


def test_gzip_is_told_by_content_and_not_by_name(tmp_path: Path) -> None:
    compressed = tmp_path / "named.json"
    compressed.write_bytes(gzip.compress(b'{"a": 1}'))
    plain = tmp_path / "named.json.gz"
    plain.write_bytes(b'{"a": 1}')
    assert values(compressed) == values(plain) == [{"a": 1}]
    assert read_head(compressed) == b'{"a": 1}'


def test_a_byte_order_mark_is_passed_over(tmp_path: Path) -> None:
    assert values(write_bytes(tmp_path / "a.json", b'\xef\xbb\xbf{"a": 1}')) == [{"a": 1}]


def test_only_a_line_feed_ends_a_line(tmp_path: Path) -> None:
    line = '{"a": "one\u2028two\x85three\x0cfour"}'
    assert (
        values(write_bytes(tmp_path / "a.jsonl", f"{line}\n{line}\n".encode()))
        == [{"a": "one\u2028two\x85three\x0cfour"}] * 2
    )


def test_a_broken_line_costs_only_itself(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", [{"a": 1}, '{"a": 2', "7", {"a": 3}])
    items = list(records(path))
    assert [item.value for item in items if isinstance(item, Record)] == [{"a": 1}, {"a": 3}]
    assert [item.where for item in items if isinstance(item, Skipped)] == [f"{path}: lines 2 to 3"]


def test_a_broken_first_line_costs_only_itself(tmp_path: Path) -> None:
    first, second = values(write_lines(tmp_path / "a.jsonl", ['{"a": 2', {"a": 3}]))
    assert "is not JSON" in str(first)
    assert second == {"a": 3}


def test_a_broken_object_over_many_lines_is_skipped_once(tmp_path: Path) -> None:
    path = write_bytes(tmp_path / "a.json", b'{\n"a": [\n1,\n2\n,}\n')
    assert [item.where for item in records(path)] == [f"{path}: lines 1 to 5"]


def test_an_array_that_breaks_off_gives_the_elements_before(tmp_path: Path) -> None:
    first, second, broken = values(write_bytes(tmp_path / "a.json", b'[{"a": 1}, {"a": 2}, {"a": '))
    assert (first, second) == ({"a": 1}, {"a": 2})
    assert "cannot be read from here on" in str(broken)


@pytest.mark.parametrize("tail", [b"", b" 5]", b"] 7"])
def test_an_array_that_does_not_end_well_is_told(tmp_path: Path, tail: bytes) -> None:
    first, told = values(write_bytes(tmp_path / "a.json", b'[{"a": 1}' + tail))
    assert first == {"a": 1}
    assert isinstance(told, str)


def test_truncated_compression_gives_what_comes_before(tmp_path: Path) -> None:
    whole = gzip.compress(b"[" + b",".join(b'{"number": %d}' % number for number in range(20_000)) + b"]")
    path = tmp_path / "a.json.gz"
    path.write_bytes(whole[: len(whole) // 2])
    items = list(records(path))
    assert isinstance(items[0], Skipped)
    assert "is damaged" in items[0].reason
    assert items[1] == Record(f"{path}: record 1", {"number": 0})
    assert len(items) > 5000
    assert read_head(path).startswith(b'[{"number": 0}')


def test_broken_compression_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"\x1f\x8bnot gzip at all")
    assert "is damaged" in str(values(path)[0])
    assert read_head(path) == b""


def test_a_file_that_decompresses_beyond_the_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_BYTES", 1000)
    path = write_bytes(tmp_path / "a.json.gz", b'{"a": "' + b"0" * 100_000 + b'"}')
    assert values(path) == ["holds more than 1000 bytes of data"]


@pytest.mark.parametrize("data", [b"", b" \n\t", b"\xef\xbb\xbf"])
def test_an_empty_file_is_told(tmp_path: Path, data: bytes) -> None:
    assert values(write_bytes(tmp_path / "a.json", data)) == ["is empty"]


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    assert values(tmp_path / "missing.json") == ["cannot be read: No such file or directory"]
    assert values(tmp_path) == ["cannot be read: Is a directory"]


def test_a_record_that_nests_too_deeply_costs_only_itself(tmp_path: Path) -> None:
    deep = "[" * 5000 + "]" * 5000
    told = values(write_bytes(tmp_path / "a.json", f'[{{"a": 1}}, {deep}, {{"a": "]"}}]'.encode()))
    assert told == [{"a": 1}, f"nests deeper than {MAX_NESTING} levels", {"a": "]"}]
    assert values(write_lines(tmp_path / "a.jsonl", [{"a": 1}, deep, {"a": 2}])) == [
        {"a": 1},
        f"nests deeper than {MAX_NESTING} levels",
        {"a": 2},
    ]


def test_nesting_is_allowed_up_to_its_limit(tmp_path: Path) -> None:
    def nested(levels: int) -> bytes:
        return b'{"a":' * levels + b"1" + b"}" * levels

    assert isinstance(values(write_bytes(tmp_path / "a.json", nested(MAX_NESTING)))[0], dict)
    assert values(write_bytes(tmp_path / "b.json", nested(MAX_NESTING + 1))) == [
        f"nests deeper than {MAX_NESTING} levels"
    ]


def test_a_number_with_too_many_digits_is_told(tmp_path: Path) -> None:
    assert "is not JSON" in str(values(write_bytes(tmp_path / "a.json", b'{"a": ' + b"9" * 5000 + b"}"))[0])


def test_bytes_that_are_not_utf8_stay_recognisable_inside_of_texts(tmp_path: Path) -> None:
    assert values(write_bytes(tmp_path / "a.json", b'{"a": "x\xff"}')) == [{"a": "x\udcff"}]

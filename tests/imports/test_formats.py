"""Telling formats apart."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from memory.imports.files import read_head
from memory.imports.formats import FORMATS, by_name, detect
from tests.imports.examples import EXAMPLES
from tests.imports.reading import write, write_bytes, write_lines

SAMPLES = {
    "tau-bench-airline": "tau_bench",
    "swe-agent": "swe_agent",
    "openhands": "openhands",
    "claude-code-transcripts": "claude_code",
    "inspect-eval-logs": "inspect_log",
    "locomo": "locomo",
}
# Folders of other formats, and one that holds plain chat messages.
OTHERS = {
    "bfcl-memory": None,
    "bioagent-failures": "chat",
    "crosswoz": None,
    "evermemos-chat": None,
    "kdconv-travel": None,
    "langfuse-traces": None,
    "madial-bench": None,
    "mast-failures": None,
    "memorybank": None,
    "otel-genai": None,
    "personamem-32k": None,
    "reflexion": None,
    "toolbench": None,
    "who-and-when": None,
}


def data_files(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name not in ("LICENSE", "SOURCE.md")]


def detected(path: Path) -> str | None:
    known = detect(path)
    return known.NAME if known else None


def matching(path: Path) -> list[str]:
    head = read_head(path)
    return [known.NAME for known in FORMATS if known.matches(path, head)]


def test_the_table_names_every_format_once_and_tries_chat_last() -> None:
    names = [known.NAME for known in FORMATS]
    assert sorted(names) == sorted(EXAMPLES)
    assert names[-1] == "chat"
    assert [by_name(name) for name in names] == list(FORMATS)
    assert by_name("unknown") is None


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_looks_like_its_own_format_alone(tmp_path: Path, name: str) -> None:
    file_name, value = EXAMPLES[name]()
    path = tmp_path / file_name
    if file_name.endswith(".jsonl"):
        write_lines(path, value if isinstance(value, list) else [value])
    else:
        write(path, value)
    assert matching(path) == [name]
    compressed = tmp_path / "other-name"
    compressed.write_bytes(gzip.compress(path.read_bytes()))
    assert matching(compressed) == [name]


@pytest.mark.parametrize("folder", SAMPLES)
def test_a_sample_file_looks_like_its_own_format_alone(sample_data: Callable[[str], Path], folder: str) -> None:
    paths = data_files(sample_data(folder))
    assert paths
    assert {path.name: matching(path) for path in paths} == {path.name: [SAMPLES[folder]] for path in paths}


@pytest.mark.parametrize("folder", OTHERS)
def test_files_of_other_formats_are_not_mistaken(sample_data: Callable[[str], Path], folder: str) -> None:
    found = {path.name: detected(path) for path in data_files(sample_data(folder))}
    assert set(found.values()) == {OTHERS[folder]}, found


@pytest.mark.parametrize(
    "data", [b"", b"\x00\x01\x02", b"\x89PNG\r\n", b"[]", b"{}", b'[{"a": 1}]', b"# Text", b"\x1f\x8b"]
)
def test_what_looks_like_nothing_known_is_of_no_format(tmp_path: Path, data: bytes) -> None:
    assert detect(write_bytes(tmp_path / "file.json", data)) is None


def test_a_file_that_cannot_be_opened_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        detect(tmp_path / "missing.json")


def test_audit_logs_with_actions_are_not_taken_for_runs(tmp_path: Path) -> None:
    assert (
        detect(write(tmp_path / "audit.json", [{"action": "login", "timestamp": "2025-01-01", "source": "web"}]))
        is None
    )

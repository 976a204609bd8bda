"""The one table of formats, in the order in which they are tried."""

from pathlib import Path

from memory.imports import aresweb, chat, claude_code, inspect_log, locomo, openhands, swe_agent, tau_bench
from memory.imports.files import read_head
from memory.imports.run import Format

# `chat` is last: several others hold chat messages too.
FORMATS: tuple[Format, ...] = (aresweb, tau_bench, swe_agent, openhands, claude_code, inspect_log, locomo, chat)


def detect(path: Path) -> Format | None:
    """The format that a file looks like; None if it looks like none.

    Raises:
        OSError: the file cannot be opened or read.
    """
    head = read_head(path)
    return next((known for known in FORMATS if known.matches(path, head)), None)


def by_name(name: str) -> Format | None:
    """The format of this name; None if there is none."""
    return next((known for known in FORMATS if name == known.NAME), None)

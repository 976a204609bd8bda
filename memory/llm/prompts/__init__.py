"""What language models are told, a file each."""

from functools import cache
from pathlib import Path


@cache
def read(name: str) -> str:
    """The text of `<name>.md` in this folder."""
    return (Path(__file__).parent / f"{name}.md").read_text()

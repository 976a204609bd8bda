"""SQL in files of its own: what migrations install, and the statements that are clearer or faster than the ORM's."""

from functools import cache
from pathlib import Path


@cache
def read(name: str) -> str:
    """The text of `<name>.sql` in this folder."""
    return (Path(__file__).parent / f"{name}.sql").read_text()

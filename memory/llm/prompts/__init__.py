"""What language models are told, and the form of what they are to answer, a file each."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any


@cache
def read(name: str) -> str:
    """The text of `<name>.md` in this folder."""
    return (Path(__file__).parent / f"{name}.md").read_text()


@cache
def form(name: str) -> Mapping[str, Any]:
    """The JSON schema of `<name>.json` in this folder."""
    schema: Mapping[str, Any] = json.loads((Path(__file__).parent / f"{name}.json").read_text())
    return schema

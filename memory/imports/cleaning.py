"""Replaces what cannot be recorded in imported data, and counts it."""

import json
import math
import re
from dataclasses import dataclass
from typing import Any

REPLACEMENT = "\ufffd"
# NUL, and surrogates that are not half of a pair (Python's decoder joins those that are).
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(slots=True)
class Cleaner:
    """Cleans values and adds up what it replaced: characters by U+FFFD, NaN and infinities by their names as text."""

    characters: int = 0
    numbers: int = 0

    def text(self, text: str) -> str:
        """The text without NUL characters and lone surrogates."""
        cleaned, replaced = _UNSTORABLE.subn(REPLACEMENT, text)
        self.characters += replaced
        return cleaned

    def value(self, value: Any) -> Any:
        """A decoded JSON value, nesting no deeper than `decoding.MAX_NESTING` and a bit, that can be recorded."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(key): self.value(child) for key, child in value.items()}
        if isinstance(value, list):
            return [self.value(child) for child in value]
        if isinstance(value, float) and not math.isfinite(value):
            self.numbers += 1
            return json.dumps(value)
        return value

    def report(self) -> dict[str, int]:
        """What was replaced, for the run's metadata; empty if nothing was."""
        counts = {"replaced_characters": self.characters, "replaced_numbers": self.numbers}
        return {name: count for name, count in counts.items() if count}

"""The settings of the domain: each with a name, a type, a default, a meaning and a check.

This is the only place that reads them. `aresweb.settings` fills `ARES` from the environment through `load`; the
domain asks `value("ARES_…")`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memory.errors import Invalid


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting. `minimum` and `maximum` are inclusive."""

    name: str
    default: int
    meaning: str
    minimum: int = 0
    maximum: int = 2**31 - 1

    def parse(self, text: str) -> int:
        """The value that a text from the environment stands for.

        Raises:
            Invalid: the text is not a whole number within the bounds.
        """
        try:
            number = int(text)
        except ValueError:
            raise Invalid(f"{self.name} must be a whole number, not {text!r}.") from None
        if not self.minimum <= number <= self.maximum:
            raise Invalid(f"{self.name} must lie between {self.minimum} and {self.maximum}, not {number}.")
        return number


SETTINGS = {
    setting.name: setting
    for setting in (
        Setting("ARES_MAX_BODY_BYTES", 16 * 2**20, "Largest request body, in bytes.", 2**10, 2**30),
        Setting(
            "ARES_MAX_PAYLOAD_BYTES", 4 * 2**20, "Largest payload or metadata of one event, in bytes.", 2**10, 2**28
        ),
        Setting("ARES_MAX_BATCH", 1000, "Most events or messages in one request.", 1, 10_000),
        Setting("ARES_MAX_JSON_DEPTH", 100, "Deepest nesting of arrays and objects in JSON.", 4, 400),
        Setting("ARES_SESSION_TTL_HOURS", 24, "A session expires this long after its last message, in hours.", 1),
        Setting("ARES_IDEMPOTENCY_HOURS", 24, "How long the answer to an Idempotency-Key is kept, in hours.", 1),
        Setting("ARES_SNAPSHOT_EVERY", 500, "Events between two snapshots of a stream's state.", 10, 100_000),
        Setting("ARES_HOT_EVENTS", 2000, "Newest events of a stream that are never archived.", 1, 10_000_000),
        Setting("ARES_SEGMENT_EVENTS", 500, "Events that are archived together in one segment.", 10, 10_000),
        Setting("ARES_LIVE_CONNECTIONS", 20, "Most pages followed live at once in one web process.", 0, 1000),
    )
}


def load(environment: Mapping[str, str]) -> dict[str, int]:
    """Every setting's effective value: from the environment where it is set there, else the default.

    Raises:
        Invalid: a value is not of the setting's type or out of its bounds.
    """
    return {
        name: setting.parse(environment[name]) if environment.get(name) else setting.default
        for name, setting in SETTINGS.items()
    }


def value(name: str) -> int:
    """The effective value of one setting; a KeyError is a typing error in the code."""
    from django.conf import settings

    values: dict[str, Any] = settings.ARES
    return int(values[name])

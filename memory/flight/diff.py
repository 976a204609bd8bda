"""Two states of a run beside each other, with what differs marked. Pure."""

from dataclasses import dataclass
from typing import Any

State = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Pair:
    """One thing in both states: None where a state lacks it."""

    key: str
    before: Any
    after: Any

    @property
    def is_different(self) -> bool:
        """Whether the states disagree about it."""
        return bool(self.before != self.after)


@dataclass(frozen=True, slots=True)
class Section:
    """A field of the state: its pairs, in the order in which they came about."""

    name: str
    pairs: list[Pair]

    @property
    def differences(self) -> int:
        """How many of its pairs differ."""
        return sum(pair.is_different for pair in self.pairs)


def diff(before: State, after: State) -> list[Section]:
    """Every field of either state, in the order of `before`.

    An object gives a pair for each of its keys; a list of things that happened gives one for each, told apart by the
    version of the event that brought it; anything else is one pair.
    """
    names = [*before, *(name for name in after if name not in before)]
    return [Section(name, _pairs(name, before.get(name), after.get(name))) for name in names]


def _pairs(name: str, before: Any, after: Any) -> list[Pair]:
    if isinstance(before, list) or isinstance(after, list):
        ones, others = _by_version(before or []), _by_version(after or [])
        versions = sorted({*ones, *others})
        return [Pair(f"event {version}", ones.get(version), others.get(version)) for version in versions]
    if isinstance(before, dict) or isinstance(after, dict):
        one, other = before or {}, after or {}
        keys = [*one, *(key for key in other if key not in one)]
        return [Pair(key, one.get(key), other.get(key)) for key in keys]
    return [Pair(name, before, after)]


def _by_version(items: list[dict[str, Any]]) -> dict[int, dict[str, Any]]:
    return {item["version"]: item for item in items}

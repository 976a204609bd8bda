"""Two states of a run beside each other, with what differs marked. Pure."""

import json
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from memory.flight.edits import stretches

State = dict[str, Any]

# What the same thing is called, and where it stands, differs from run to run.
OF_ITS_RUN = frozenset({"version", "id", "tool_call_id", "call_version", "occurred_at"})


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


def diff(before: State, after: State, *, is_same_run: bool = True) -> list[Section]:
    """Every field of either state, in the order of `before`.

    An object gives a pair for each of its keys; a list of things that happened gives one for each, told apart by the
    version of the event that brought it; anything else is one pair. In another run versions mean nothing: its things
    are paired by what they say, and count as the same where they say the same.
    """
    names = [*before, *(name for name in after if name not in before)]
    return [Section(name, _pairs(name, before.get(name), after.get(name), is_same_run)) for name in names]


def changes(sections: list[Section]) -> list[Section]:
    """What differs alone: the fields that do, with the pairs that do."""
    shown = [Section(part.name, [pair for pair in part.pairs if pair.is_different]) for part in sections]
    return [part for part in shown if part.pairs]


def _pairs(name: str, before: Any, after: Any, is_same_run: bool) -> list[Pair]:
    if isinstance(before, list) or isinstance(after, list):
        return _by_version(before or [], after or []) if is_same_run else _by_content(before or [], after or [])
    if not is_same_run:
        before, after = _told(before), _told(after)
    if isinstance(before, dict) or isinstance(after, dict):
        one, other = before or {}, after or {}
        keys = [*one, *(key for key in other if key not in one)]
        return [Pair(key, one.get(key), other.get(key)) for key in keys]
    return [Pair(name, before, after)]


def _by_version(before: list[State], after: list[State]) -> list[Pair]:
    ones = {item["version"]: item for item in before}
    others = {item["version"]: item for item in after}
    return [Pair(f"event {version}", ones.get(version), others.get(version)) for version in sorted({*ones, *others})]


def _by_content(before: list[State], after: list[State]) -> list[Pair]:
    """Things of two runs: those that say the same beside each other, and between them the others in order."""
    ones, others = [_told(item) for item in before], [_told(item) for item in after]
    keys = [[json.dumps(item, sort_keys=True) for item in items] for items in (ones, others)]
    pairs: list[Pair] = []
    for part in stretches(*keys):
        couples = zip_longest(range(len(ones))[part.a], range(len(others))[part.b])
        for here, there in couples:
            one = ones[here] if here is not None else None
            other = others[there] if there is not None else None
            places = (_version(before, here), _version(after, there))
            pairs.append(Pair(f"event {places[0]} / {places[1]}", one, other))
    return pairs


def _version(items: list[State], index: int | None) -> str:
    return "none" if index is None else str(items[index]["version"])


def _told(value: Any) -> Any:
    """What a thing says, without the names and places that it has in its own run alone."""
    if isinstance(value, dict):
        return {name: _told(each) for name, each in value.items() if name not in OF_ITS_RUN}
    if isinstance(value, list):
        return [_told(each) for each in value]
    return value

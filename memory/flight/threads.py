"""What is new in a prompt against the ones before it. Pure.

A thread is a conversation as a model is shown it again and again: each of its prompts repeats most of the one before.
Several can be under way in one run, as where several agents work in it. Of a thread its newest prompt is remembered, a
digest a message, with the events that each message came from.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from memory.flight.origins import Origin, Unit
from memory.vocabulary import LinkReason

# Threads that are remembered: of more, those that went on last.
MOST_THREADS = 8
# Messages of a prompt that are compared, the newest.
MOST_UNITS = 2000
# So often a message whose origin is not known is looked for: its event may have been recorded after the prompt.
TRIES = 2


@dataclass(frozen=True, slots=True)
class News:
    """What a prompt changed. `began` is the prompt that began its thread, None where it is this one itself."""

    began: Origin | None
    entered: list[Origin]
    left: list[int]


# Tells where parts of a prompt are from, all of them in one question.
Find = Callable[[Sequence[Unit]], list[list[Origin]]]


class Threads:
    """The threads of a run. `state` is JSON: `[[name, first prompt, [[key, [version, …], tries], …]], …]`, the one that
    went on last at the end."""

    def __init__(self, state: list[Any]) -> None:
        self.state = state

    def add(self, version: int, name: str, units: Iterable[Unit], find: Find) -> News:
        """Compare a prompt with the threads of this name, and remember it."""
        numbered = _numbered(list(units)[-MOST_UNITS:])
        known = {key: (versions, tries) for _, _, told in self._named(name) for key, versions, tries in told}
        unknown = [(key, unit) for key, unit in numbered if _is_unknown(known.get(key))]
        found = dict(zip((key for key, _ in unknown), find([unit for _, unit in unknown]), strict=True))
        told = []
        for key, _ in numbered:
            versions, tries = known.get(key, ([], 0))
            if key in found:
                versions, tries = sorted({origin.version for origin in found[key]}), tries + 1
            told.append([key, versions, tries])
        return self._go_on(version, name, told, {at.version: at for each in found.values() for at in each})

    def _go_on(self, version: int, name: str, told: list[Any], new: dict[int, Origin]) -> News:
        """Put the prompt behind the thread that it has most in common with, or begin one."""
        keys, items = {key for key, _, _ in told}, _items(told)
        best, shared, same = None, 0, 0
        for thread in self._named(name):
            in_words = len(keys.intersection(key for key, _, _ in thread[2]))
            in_common = in_words + len(items & _items(thread[2]))
            if in_common >= max(shared, 1):  # of equals the one that went on last
                best, shared, same = thread, in_common, in_words
        if best:
            self.state.remove(best)
        self.state.append([name, best[1] if best else version, told])
        del self.state[:-MOST_THREADS]
        before = _items(best[2]) if best else set()
        return News(
            began=_began(best[1], shared, same) if best else None,
            entered=[new.get(at) or Origin.by(at, LinkReason.SAME_TEXT) for at in sorted(items - before)],
            left=sorted(before - items),
        )

    def _named(self, name: str) -> list[Any]:
        return [thread for thread in self.state if thread[0] == name]


def _began(version: int, shared: int, same: int) -> Origin:
    """The prompt that began a thread, recognised by whole messages, or else by what its texts are from."""
    return Origin.by(version, LinkReason.SAME_TEXT) if same else Origin.by_parts(version, shared)


def _numbered(units: list[Unit]) -> list[tuple[str, Unit]]:
    """The units, those that say the same told apart by a number."""
    counted: Counter[str] = Counter()
    numbered = []
    for unit in units:
        counted[unit.key] += 1
        many = counted[unit.key]
        numbered.append((unit.key if many == 1 else f"{unit.key}.{many}", unit))
    return numbered


def _is_unknown(known: tuple[list[int], int] | None) -> bool:
    return known is None or (not known[0] and known[1] < TRIES)


def _items(told: list[Any]) -> set[int]:
    return {version for _, versions, _ in told for version in versions}

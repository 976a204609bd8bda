"""What the rules read, what they hand on, and what they remember between two events. Pure."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from memory.flight.trace import Step
from memory.vocabulary import HintRule, Severity

# What a family of rules remembers: JSON, small however long the run is, and never a whole text. Lists where the order
# counts, since a database does not keep that of an object's keys.
Memory = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Hint:
    """One suspicious step.

    `version` is the step that is suspicious, `evidence` the versions that show it, in their order; the newest of them
    may be later than the step itself, where only a later one confirms it. `sentence` says it plainly.
    `tokens_before` is what providers had reported in the run up to that step, itself included.
    """

    rule: HintRule
    severity: Severity
    version: int
    evidence: tuple[int, ...]
    sentence: str
    tokens_before: int

    def tokens_after(self, total: int) -> int:
        """The tokens spent after the step, of a run for which providers have reported `total` so far.

        The run goes on after a hint is told, so nothing that is kept with the hint could say it: whoever shows the
        hint subtracts, with the total that a stream's row keeps (`tokens_input + tokens_output`).
        """
        return max(0, total - self.tokens_before)


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a run: a version, and the tokens reported up to it."""

    version: int
    tokens: int


class Kind(StrEnum):
    """What happens in a run, as far as the rules care."""

    ASKED = "asked"
    SAID = "said"
    CALLED = "called"
    RETURNED = "returned"
    PROMPTED = "prompted"


@dataclass(frozen=True, slots=True)
class Move:
    """One thing that happens in a run, told once though several events tell of it.

    `text` is what was asked, said or returned. `tool`, `call` (a digest of the tool and its arguments) and `called_at`
    belong to calls and what they return, and are empty or None where the run does not tell. `asks` are the tools that
    something said asks for.
    """

    kind: Kind
    text: str = ""
    speaker: str = ""
    tool: str = ""
    call: str = ""
    arguments: Any = None
    called_at: int | None = None
    asks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scene:
    """One event as a family of rules reads it: the step, what happens with it, and where."""

    step: Step
    moves: Sequence[Move]
    here: Place


@dataclass(frozen=True, slots=True)
class Found:
    """What a rule says about a step."""

    rule: HintRule
    at: Place
    evidence: tuple[int, ...]
    sentence: str


# A family of rules reads one more event, and what it remembers, which it changes.
Family = Callable[[Scene, Memory], Iterator[Found]]


def digest(*parts: str) -> str:
    """A short name of texts: 16 hexadecimal digits, the same for the same texts."""
    return hashlib.blake2b("\x00".join(parts).encode(errors="replace"), digest_size=8).hexdigest()


def keep(memory: Memory, name: str, item: Any, most: int) -> list[Any]:
    """Remember one more of these, at most so many, the newest; returns them all, the oldest first."""
    kept: list[Any] = memory.setdefault(name, [])
    kept.append(item)
    del kept[:-most]
    return kept

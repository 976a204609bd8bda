"""What the rules hand on and what they remember between two events. Pure."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from memory.flight.trace import Step
from memory.vocabulary import HintRule, Severity

# What a family of rules remembers: JSON, small however long the run is. Lists where the order counts, since a database
# does not keep that of an object's keys.
Memory = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Hint:
    """One suspicious step.

    `version` is the step that is suspicious, `evidence` the versions that show it, in their order; the newest of them may
    be later than the step itself, where only a later one confirms it. `sentence` says it plainly. `tokens_before` is
    what providers had reported in the run up to that step, itself included.
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
    """A step that may turn out suspicious: its version, and the tokens reported up to it."""

    version: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Found:
    """What a rule says about a step."""

    rule: HintRule
    at: Place
    evidence: tuple[int, ...]
    sentence: str


# A family of rules reads one more step, with what it remembers (which it changes) and the tokens so far.
Family = Callable[[Step, Memory, Place], Iterator[Found]]

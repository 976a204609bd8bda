"""Walking the causal links of a run: what led to an event, and what it led to. Needs a tenant's scope."""

from dataclasses import dataclass, field

from memory.flight.links import Link
from memory.models import Event

# How far a walk goes: hops from where it begins, links followed at one event, and events in all.
MOST_HOPS = 60
MOST_LINKS = 12
MOST_EVENTS = 400


@dataclass(frozen=True, slots=True)
class Hop:
    """One link of a walk. `certainty` is the link's own, `certainty_so_far` that of the way from the beginning to here
    (the product); `sentence` says plainly what happened. `distance` counts hops from the beginning."""

    link: Link
    distance: int
    certainty_so_far: float
    sentence: str


@dataclass(frozen=True, slots=True)
class Walk:
    """What was found from an event backward (causes) or forward (effects).

    `hops` has every hop, the nearest first. `suspect` is the version of the first suspicious step (backward only): the
    earliest hinted one that is reached, else where the way ends; `path` the hops that lead there, from the event on.
    `analysed_to` is how far the run was analysed, `is_whole` whether that and the bounds let everything be found.
    """

    version: int
    hops: list[Hop] = field(default_factory=list)
    path: list[Hop] = field(default_factory=list)
    suspect: int | None = None
    analysed_to: int = 0
    is_whole: bool = True


def back(event: Event) -> Walk:
    """What led to an event."""
    raise NotImplementedError


def forward(event: Event) -> Walk:
    """What an event led to."""
    raise NotImplementedError

"""Walking a run's causal links backward or forward, within bounds. Pure.

Links only ever lead from a smaller version to a larger one, so no walk goes round in a circle.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field

from memory.flight.links import Link
from memory.vocabulary import LinkKind, LinkReason

# How far a walk goes: hops from where it begins, links followed from one event, and events in all.
MOST_HOPS = 60
MOST_LINKS = 12
MOST_EVENTS = 400

_WHAT = {
    LinkKind.EXPLICIT: "Event {effect} names event {cause} as its cause",
    LinkKind.ASKED: "Answer {cause} asked for call {effect}",
    LinkKind.ANSWERED: "Result {effect} answers call {cause}",
    LinkKind.HANDED: "Message {effect} hands on result {cause}",
    LinkKind.ENTERED: "Event {cause} stands for the first time in what {effect} was shown",
    LinkKind.CARRIED: "{effect} goes on with the conversation that {cause} began",
    LinkKind.KEPT: "Event {cause} still stands in what {effect} was shown",
    LinkKind.LEFT: "Event {cause} stands no longer in what {effect} was shown",
    LinkKind.PROMPTED: "Response {effect} answers prompt {cause}",
    LinkKind.SAID: "Message {effect} says response {cause}",
    LinkKind.ENDED: "End {effect} follows event {cause}",
}
_HOW = {
    LinkReason.CAUSATION_ID: "its causation_id says so",
    LinkReason.SAME_ID: "both have the same id",
    LinkReason.SAME_TEXT: "the words are the same",
    LinkReason.SAME_PARTS: "parts of the words are the same",
    LinkReason.NAME_AND_ORDER: "by its name and the order of events",
    LinkReason.ORDER: "by the order of events",
    LinkReason.SAID_SINCE: "by what was said since; no prompt is recorded",
}


@dataclass(frozen=True, slots=True)
class Hop:
    """One link of a walk, so many hops from where it began. `certainty` is that of the surest way through this link:
    that of its weakest link."""

    link: Link
    distance: int
    certainty: float

    @property
    def sentence(self) -> str:
        """The link in plain words."""
        what = _WHAT[self.link.kind].format(cause=self.link.cause, effect=self.link.effect)
        return f"{what} ({_HOW[self.link.how]})."


@dataclass(frozen=True, slots=True)
class Reached:
    """What a walk found: all its hops, the nearest first, and the hop by which each event is reached most surely.

    `is_whole` is false where the bounds kept something out.
    """

    start: int
    hops: list[Hop] = field(default_factory=list)
    last: dict[int, Hop] = field(default_factory=dict)
    is_whole: bool = True

    @property
    def versions(self) -> set[int]:
        """The events that were reached, the one where it began among them."""
        return {self.start, *self.last}

    def path(self, version: int) -> list[Hop]:
        """The surest way to an event, from where the walk began."""
        hops = []
        while version != self.start:
            hops.append(self.last[version])
            link = hops[-1].link
            version = link.effect if version == link.cause else link.cause
        return hops[::-1]


# The links at these events that a walk may follow.
Follow = Callable[[Collection[int]], Iterable[Link]]


def walk(start: int, follow: Follow, *, backward: bool) -> Reached:
    """Follow links from an event, hop by hop, to all that can be reached within the bounds."""
    edges: list[tuple[int, Link]] = []
    reached, frontier, is_whole = {start}, {start}, True
    for distance in range(1, MOST_HOPS + 1):
        at: dict[int, list[Link]] = defaultdict(list)
        for link in follow(frontier):
            at[_near(link, backward)].append(link)
        frontier = set()
        for links in at.values():
            followed = sorted(links, key=lambda link: _first(link, backward))[:MOST_LINKS]
            is_whole = is_whole and len(followed) == len(links)
            edges += [(distance, link) for link in followed]
            frontier.update(_far(link, backward) for link in followed)
        frontier -= reached
        if len(reached) + len(frontier) > MOST_EVENTS:
            is_whole = False
            break
        reached |= frontier
        if not frontier:
            break
    edges = [(distance, link) for distance, link in edges if _far(link, backward) in reached]
    return _ways(start, edges, backward=backward, is_whole=is_whole and not frontier)


def _ways(start: int, edges: list[tuple[int, Link]], *, backward: bool, is_whole: bool) -> Reached:
    """The surest way to each event, of equal ones the shorter. All ways to an event are known before it is left."""
    best: dict[int, tuple[float, int]] = {start: (1.0, 0)}
    found = Reached(start, is_whole=is_whole)
    for distance, link in sorted(edges, key=lambda edge: _near(edge[1], backward), reverse=backward):
        certainty, hops = best[_near(link, backward)]
        hop = Hop(link, distance, min(certainty, link.certainty))
        found.hops.append(hop)
        far, way = _far(link, backward), (hop.certainty, -(hops + 1))
        if far not in best or way > (best[far][0], -best[far][1]):
            best[far] = (hop.certainty, hops + 1)
            found.last[far] = hop
    found.hops.sort(key=lambda hop: (hop.distance, -hop.certainty, -hop.link.cause))
    return found


def root(found: Reached) -> int:
    """Where the way back ends that takes the surest cause at each event, of equal ones the newest."""
    causes: dict[int, list[Hop]] = defaultdict(list)
    for hop in found.hops:
        causes[hop.link.effect].append(hop)
    version = found.start
    while version in causes:
        version = min(causes[version], key=lambda hop: _first(hop.link, backward=True)).link.cause
    return version


def _first(link: Link, backward: bool) -> tuple[bool, float, int]:
    """What is followed first: what is no mere going on of a conversation, what is surest, what is nearest."""
    return link.kind == LinkKind.CARRIED, -link.certainty, -link.cause if backward else link.effect


def _near(link: Link, backward: bool) -> int:
    return link.effect if backward else link.cause


def _far(link: Link, backward: bool) -> int:
    return link.cause if backward else link.effect

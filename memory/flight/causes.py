"""What led to an event, and what it led to. Needs a tenant's scope.

Only rows are read: the analysis has found the links before (`memory.flight.analysis`).
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from memory import limits, sql
from memory.flight import walks
from memory.flight.links import Link
from memory.flight.walks import Hop, Reached
from memory.models import CausalLink, Hint, Stream
from memory.models.causal_link import CausalLinkQuerySet
from memory.vocabulary import LinkKind, LinkReason, Severity

# Hinted steps that are looked for in what a prompt carries on, the earliest.
MOST_HINTED = 50


@dataclass(frozen=True, slots=True)
class Story:
    """Why an event came about. `suspect` is the version of the first suspicious step: the earliest hinted one that is
    reached, the event itself among them; where none is, the one at which the way back ends. `path` leads there from
    the event, `hints` are those of the suspect."""

    reached: Reached
    suspect: int
    path: list[Hop]
    hints: list[Hint]


def back(stream: Stream, version: int) -> Story:
    """What led to an event of a stream, and the first suspicious step on the way."""
    severe = [Severity.HIGH, Severity.MEDIUM]
    told = Hint.objects.in_stream(stream).not_of(limits.names("ARES_HINTS_OFF"))
    before = told.filter(version__lte=version)
    hinted = list(before.filter(severity__in=severe).values_list("version", flat=True).distinct()[:MOST_HINTED])

    def follow(frontier: Collection[int]) -> Iterator[Link]:
        yield from _stored(stream, CausalLink.objects.to(frontier))
        yield from _kept(stream, hinted, frontier)

    reached = walks.walk(version, follow, backward=True)
    hints = list(before.filter(version__in=reached.versions))
    first = min((hint.version for hint in hints if hint.severity in severe), default=None)
    first = first or min((hint.version for hint in hints), default=None) or walks.root(reached)
    return Story(reached, first, reached.path(first), [hint for hint in hints if hint.version == first])


def forward(stream: Stream, version: int) -> Reached:
    """What an event of a stream led to."""

    def follow(frontier: Collection[int]) -> Iterator[Link]:
        yield from _stored(stream, CausalLink.objects.of(frontier).exclude(kind=LinkKind.CARRIED))
        yield from _kept(stream, frontier, None)

    return walks.walk(version, follow, backward=False)


def _stored(stream: Stream, links: CausalLinkQuerySet) -> Iterator[Link]:
    found = links.filter(stream=stream).exclude(kind=LinkKind.LEFT)
    for cause, effect, kind, certainty, how in found.values_list("cause", "effect", "kind", "certainty", "how"):
        yield Link(cause, effect, LinkKind(kind), certainty, LinkReason(how))


def _kept(stream: Stream, causes: Collection[int], prompts: Collection[int] | None) -> Iterator[Link]:
    """The links from these events to prompts, all or these, that still have them from an earlier prompt."""
    if not causes:
        return
    among = None if prompts is None else list(prompts)
    asked = {"stream_id": stream.pk, "causes": list(causes), "prompts": among, "most": walks.MOST_LINKS + 1}
    for cause, effect, certainty, how in sql.run("kept_in_prompts", asked):
        yield Link(cause, effect, LinkKind.KEPT, certainty, LinkReason(how))

"""What an operator can do with an experience, and when each is offered. Pure."""

from dataclasses import dataclass

from memory.models import Experience
from memory.vocabulary import ExperienceStatus

ACTIVE, SUPERSEDED, ARCHIVED, QUARANTINED = (
    ExperienceStatus.ACTIVE,
    ExperienceStatus.SUPERSEDED,
    ExperienceStatus.ARCHIVED,
    ExperienceStatus.QUARANTINED,
)


@dataclass(frozen=True, slots=True)
class Verb:
    """One thing to do: its word on a button, what is said when it is done, and the statuses in which it is offered.

    One that has a page asks there for more, or shows what will be lost, before it is done.
    """

    name: str
    label: str
    done: str
    statuses: frozenset[ExperienceStatus]
    has_page: bool = False


VERBS = {
    verb.name: verb
    for verb in (
        Verb("release", "Release", "Released: agents are given it from now on.", frozenset({QUARANTINED})),
        Verb("edit", "Edit", "Changed.", frozenset({ACTIVE, QUARANTINED, ARCHIVED}), has_page=True),
        Verb("pin", "Pin", "Pinned: it is evicted last.", frozenset({ACTIVE})),
        Verb("unpin", "Unpin", "No longer pinned.", frozenset({ACTIVE})),
        Verb("merge", "Merge", "Merged into this one.", frozenset({ACTIVE}), has_page=True),
        Verb("split", "Split", "Split in two; the whole is archived.", frozenset({ACTIVE}), has_page=True),
        Verb("helpful", "Helpful", "Noted as helpful.", frozenset({ACTIVE})),
        Verb("harmful", "Harmful", "Noted as harmful.", frozenset({ACTIVE})),
        Verb("archive", "Archive", "Archived: agents are not given it any more.", frozenset({ACTIVE, QUARANTINED})),
        Verb("restore", "Restore", "Restored: agents are given it again.", frozenset({ARCHIVED, SUPERSEDED})),
        Verb("undo", "Undo last change", "The last change is undone.", frozenset({*ExperienceStatus})),
        Verb("delete", "Delete", "Deleted.", frozenset({*ExperienceStatus}), has_page=True),
    )
}


def offered(experience: Experience) -> list[Verb]:
    """What can be done with an experience as it is now, in the order of the page."""
    return [verb for verb in VERBS.values() if is_offered(verb, experience)]


def is_offered(verb: Verb, experience: Experience) -> bool:
    """Whether this can be done with an experience as it is now. A draft is its distillation's to accept or drop."""
    if experience.status == ExperienceStatus.DRAFT or experience.status not in verb.statuses:
        return False
    if verb.name in ("pin", "unpin"):
        return experience.pinned == (verb.name == "unpin")
    return verb.name != "undo" or experience.revision > 1

"""Experiences as the pages show them: found by filters, in an order, and one with all that is known of it.

Needs a tenant's scope.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.urls import reverse

from dashboard.decided import percent
from memory.models import Experience, Source
from memory.vocabulary import ExperienceStatus

FILTERS = ("q", "kind", "method", "status", "owner", "confidence", "embedding", "run", "sort")
# Drafts are nobody's yet: they show where their distillation does, and where they are asked for.
ANY_STATUS = "all"
SHARED, OF_USER = "shared", "user:"
MOST_OWNERS = 200
# What can be sorted by; each starts with the end that one looks for.
SORTS = {
    "updated": F("updated_at").desc(),
    "created": F("created_at").desc(),
    "confidence": F("confidence").desc(),
    "importance": F("importance").desc(),
    "uses": F("uses").desc(),
    "used": F("last_used_at").desc(nulls_last=True),
    "tokens": F("tokens").desc(),
    "sources": F("source_count").desc(),
    "-updated": F("updated_at").asc(),
    "-created": F("created_at").asc(),
    "-confidence": F("confidence").asc(),
    "-importance": F("importance").asc(),
    "-uses": F("uses").asc(),
    "-used": F("last_used_at").asc(nulls_first=True),
    "-tokens": F("tokens").asc(),
    "-sources": F("source_count").asc(),
}
FIRST_SORT = "updated"


@dataclass(frozen=True, slots=True)
class Shown:
    """An experience as a list shows it."""

    experience: Experience
    sources: int
    confidence: int
    url: str

    @property
    def heading(self) -> str:
        """What one looks for: the problem, or the statement where there is none."""
        return self.experience.problem or self.experience.solution

    @property
    def rest(self) -> str:
        """The solution under its problem; empty for a statement."""
        return self.experience.solution if self.experience.problem else ""


@dataclass(frozen=True, slots=True)
class Column:
    """A head of the list that can be sorted by: the query that does, and what `aria-sort` says of it."""

    label: str
    query: str
    aria_sort: str
    is_number: bool = True


def matching(filters: Mapping[str, str]) -> QuerySet[Experience]:
    """What every given filter lets through, in the order that `sort` asks for; without a status, the active ones."""
    found = Experience.objects.all()
    status = filters.get("status") or ExperienceStatus.ACTIVE
    found = found.exclude(status=ExperienceStatus.DRAFT) if status == ANY_STATUS else found.filter(status=status)
    for field, name in (("kind", "kind"), ("method", "method"), ("embedding_status", "embedding")):
        if filters.get(name):
            found = found.filter(**{field: filters[name]})
    owner = filters.get("owner", "")
    if owner == SHARED or owner.startswith(OF_USER):
        found = found.owned_by(owner.removeprefix(OF_USER) if owner != SHARED else "")
    least = confidence(filters.get("confidence", ""))
    if least:
        found = found.filter(confidence__gte=least / 100)
    if filters.get("run"):
        found = found.filter(Exists(Source.objects.filter(experience=OuterRef("pk"), stream_name=filters["run"])))
    text = filters.get("q", "")
    if text:
        said = Q(problem__icontains=text) | Q(solution__icontains=text) | Q(subject__icontains=text)
        found = found.filter(said | Q(id=text))
    sort = filters.get("sort", "")
    order = SORTS.get(sort, SORTS[FIRST_SORT])
    if sort.removeprefix("-") == "sources":
        found = found.annotate(source_count=Count("sources"))
    return found.order_by(order, "-id")


def confidence(text: str) -> int:
    """A least confidence in hundredths; 0 for what is none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 3 and int(text) <= 100 else 0


def shown(found: Sequence[Experience]) -> list[Shown]:
    """These experiences as a list shows them, in one more query."""
    of_these = Source.objects.filter(experience__in=[one.pk for one in found]).values_list("experience_id")
    counts = dict(of_these.annotate(number=Count("pk")))
    return [Shown(one, counts.get(one.pk, 0), percent(one.confidence) or 0, url(one.pk)) for one in found]


def url(experience_id: str) -> str:
    """The address of an experience's page."""
    return reverse("dashboard:experience", args=[experience_id])


def owners() -> list[str]:
    """The users that own experiences, in alphabetical order, the first MOST_OWNERS."""
    named = Experience.objects.exclude(user_id="").exclude(status=ExperienceStatus.DRAFT)
    return list(named.order_by("user_id").values_list("user_id", flat=True).distinct()[:MOST_OWNERS])


def columns(filters: Mapping[str, str], labels: Sequence[tuple[str, str, bool]]) -> list[Column]:
    """The heads of a list; one that is sorted by already turns the order round. A name that is empty sorts nothing.

    Args:
        labels: the name of each sort, its label, and whether its cells are numbers.
    """
    return [_column(filters, name, label, is_number) for name, label, is_number in labels]


def _column(filters: Mapping[str, str], name: str, label: str, is_number: bool) -> Column:
    current = filters.get("sort") if filters.get("sort") in SORTS else FIRST_SORT
    turned = f"-{name}" if current == name else name
    kept: dict[str, Any] = {key: text for key, text in filters.items() if text and key != "sort"}
    query = urlencode({**kept, "sort": turned} if turned != FIRST_SORT else kept) if name else ""
    aria_sort = "descending" if current == name else "ascending" if current == f"-{name}" else ""
    return Column(label, query, aria_sort if name else "", is_number)

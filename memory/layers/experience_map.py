"""The map of a tenant's active experiences, drawn in the worker and kept until memory has changed.

Needs a tenant's scope, but for `draw`.
"""

import time
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from django.db.models import Count, Max

from memory.embedding.current import embedder
from memory.models import Experience, ExperienceMap, Vector
from memory.retrieval import projection
from memory.tenancy import tenant_scope
from memory.vocabulary import Collection


@dataclass(frozen=True, slots=True)
class Point:
    """An experience in the plane: x and y in [-1, 1], and the number of its cluster, -1 for none."""

    experience: Experience
    x: float
    y: float
    cluster: int


def current() -> ExperienceMap | None:
    """The map that was drawn last."""
    return ExperienceMap.objects.first()


def is_stale(drawn: ExperienceMap | None) -> bool:
    """Whether memory has changed since; a tenant without experiences needs no map."""
    now = _state()
    return drawn.drawn_from != now if drawn else not now.startswith("0 ")


def draw(tenant_id: int) -> int:
    """Draw a tenant's map anew, unless it still holds; returns how many experiences are on it, 0 for nothing drawn.

    Opens the tenant's scope itself, twice: a map of thousands takes a minute, and a transaction as long would hold up
    who follows the tenants' events.
    """
    began = time.monotonic()
    with tenant_scope(tenant_id):
        if not is_stale(current()):
            return 0
        state, found = _state(), _vectors()
    made = projection.project(np.array(list(found.values()), dtype=np.float32).reshape(len(found), -1))
    points = [
        [name, round(float(x), 4), round(float(y), 4), int(cluster)]
        for name, (x, y), cluster in zip(found, made.points, made.clusters, strict=True)
    ]
    drawn = {"points": points, "drawn_from": state, "drawn_at": datetime.now(UTC)}
    with tenant_scope(tenant_id):
        ExperienceMap.objects.update_or_create(
            tenant_id=tenant_id, defaults={**drawn, "seconds": time.monotonic() - began}
        )
    return len(points)


def points(drawn: ExperienceMap) -> list[Point]:
    """The points of a map, without the experiences that are active no longer."""
    known = Experience.objects.active().by_id(name for name, *_ in drawn.points)
    return [Point(known[name], x, y, cluster) for name, x, y, cluster in drawn.points if name in known]


def _vectors() -> dict[str, list[float]]:
    """The vectors of the active experiences by the model in use, by id."""
    active = Experience.objects.active().values("pk")
    found = Vector.objects.filter(collection=Collection.EXPERIENCE, model=embedder().model, item_id__in=active)
    return dict(found.order_by("item_id").values_list("item_id", "vector"))


def _state() -> str:
    """What a map depends on: the model in use, how many experiences there are, and when one or its vector changed."""
    model = embedder().model
    told = Experience.objects.active().aggregate(count=Count("pk"), newest=Max("updated_at"))
    vectors = Vector.objects.filter(collection=Collection.EXPERIENCE, model=model).aggregate(newest=Max("created_at"))
    return " ".join(str(part) for part in (told["count"], told["newest"], vectors["newest"], model))

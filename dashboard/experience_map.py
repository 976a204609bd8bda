"""The map of experiences as its page shows it: the figure, and the clusters as lists. Needs a tenant's scope."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from dashboard.charts.experience_map import experience_map as figure
from memory.layers import experience_map
from memory.layers.experience_map import Point
from memory.retrieval.projection import NO_CLUSTER

# Of a cluster, the members that are shown at once.
MOST_MEMBERS = 8


def context() -> dict[str, Any]:
    """What `memory/map.html` shows; `is_stale` where memory has changed since it was drawn."""
    drawn = experience_map.current()
    points = experience_map.points(drawn) if drawn else []
    return {
        "drawn": drawn,
        "is_stale": experience_map.is_stale(drawn),
        "count": len(points),
        "figure": figure(points),
        "clusters": clusters(points),
    }


def clusters(points: Sequence[Point]) -> list[dict[str, Any]]:
    """The clusters, the largest first: the members in the order of their use, and how many more there are."""
    members: defaultdict[int, list[Point]] = defaultdict(list)
    for point in points:
        members[point.cluster].append(point)
    alone = len(members.pop(NO_CLUSTER, []))
    found = sorted(members.values(), key=lambda each: (-len(each), each[0].experience.pk))
    shown = [
        {
            "count": len(each),
            "members": sorted(each, key=lambda point: (-point.experience.uses, point.experience.pk))[:MOST_MEMBERS],
            "more": max(len(each) - MOST_MEMBERS, 0),
        }
        for each in found
    ]
    return [*shown, {"count": alone, "members": [], "more": alone}] if alone else shown

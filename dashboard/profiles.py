"""What memory holds of each user: the list of users, and one user's profile. Needs a tenant's scope."""

from typing import Any
from urllib.parse import urlencode

from django.db.models import Count, Max, Q, QuerySet
from django.urls import reverse

from dashboard.decided import percent
from memory.models import Experience, Session, Stream
from memory.vocabulary import Kind

PAGE_SIZE = 50
# What is about the person comes first, then what the person's work taught.
ORDER = (Kind.PROFILE, Kind.PREFERENCE, Kind.FACT, Kind.SOLUTION, Kind.PROCEDURE, Kind.ABSTRACTION)
MOST_OF_KIND = 100
MOST_RUNS = 10


def users(text: str, after: str) -> dict[str, Any]:
    """Users of whom something is held, by id, behind the one that `after` names; each with how much of which kind."""
    counts = {str(kind): Count("pk", filter=Q(kind=kind)) for kind in ORDER}
    found = Experience.objects.active().exclude(user_id="")
    if text:
        found = found.filter(user_id__icontains=text)
    if after:
        found = found.filter(user_id__gt=after)
    rows = found.values("user_id").annotate(**counts, newest=Max("updated_at")).order_by("user_id")[: PAGE_SIZE + 1]
    page: list[dict[str, Any]] = list(rows)  # type: ignore[arg-type]  # the kinds are columns too
    shown = page[:PAGE_SIZE]
    more = {"q": text, "after": shown[-1]["user_id"]} if len(page) > PAGE_SIZE else {}
    return {
        "kinds": [str(kind) for kind in ORDER],
        "users": [
            {**row, "counts": [row[str(kind)] for kind in ORDER], "url": address(row["user_id"])} for row in shown
        ],
        "next_url": f"{reverse('dashboard:users')}?{urlencode({k: v for k, v in more.items() if v})}" if more else "",
    }


def profile(user_id: str) -> dict[str, Any]:
    """All that is held of a user and holds now, by kind, the surest first; and the runs that it may have come from."""
    own = Experience.objects.active().owned_by(user_id)
    return {
        "user_id": user_id,
        "parts": [(str(kind), rows) for kind in ORDER if (rows := _of_kind(own, kind))],
        "count": own.count(),
        "sessions": Session.objects.filter(user_id=user_id).count(),
        "runs": list(Stream.objects.filter(user_id=user_id).newest_first()[:MOST_RUNS]),
        "experiences_url": f"{reverse('dashboard:experiences')}?{urlencode({'owner': f'user:{user_id}'})}",
    }


def address(user_id: str) -> str:
    """A user's page. Ids are the clients', and may hold anything."""
    return f"{reverse('dashboard:users')}?{urlencode({'user': user_id})}"


def _of_kind(own: QuerySet[Experience], kind: Kind) -> list[dict[str, Any]]:
    found = own.filter(kind=kind).order_by("-confidence", "-updated_at", "pk")[:MOST_OF_KIND]
    return [{"experience": each, "confidence": percent(each.confidence)} for each in found]

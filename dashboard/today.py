"""What the overview counts: each number with the page that shows what it counts. Needs a tenant's scope."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlencode

from django.db.models import Count, Q
from django.urls import reverse

from memory import queue
from memory.events import history
from memory.flight.agents import Agent
from memory.models import Experience, Stream, Verification
from memory.tokens import savings
from memory.vocabulary import Outcome

DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Readout:
    """A number of the overview, what it counts, and where that is shown."""

    value: int
    label: str
    url: str
    is_trouble: bool = False


def readouts(now: datetime, agents: list[Agent], *, is_operator: bool) -> list[Readout]:
    """The numbers, in the order of the page. Who is no operator is not sent to the queues."""
    since = now - DAY
    runs = Stream.objects.aggregate(
        total=Count("pk"),
        running=Count("pk", filter=Q(outcome=Outcome.RUNNING)),
        failed=Count("pk", filter=Q(outcome=Outcome.FAILED, last_event_at__gte=since)),
    )
    troubled = sum(agent.health.is_trouble for agent in agents)
    learned = Experience.objects.active().filter(created_at__gte=since).count()
    filters = savings.parse({"since": since.date().isoformat()})
    saved = savings.totals(filters).saved
    faults = Verification.objects.faults_in(None)
    shown = [
        Readout(runs["running"], "running now", _runs(outcome=Outcome.RUNNING)),
        Readout(runs["failed"], "failed in 24 h", _runs(outcome=Outcome.FAILED, since="24h"), bool(runs["failed"])),
        Readout(troubled, f"of {len(agents):,} agents stalled or crashed", reverse("dashboard:agents"), bool(troubled)),
        Readout(history.count_since(since), "events in 24 h", _runs(since="24h")),
        Readout(learned, "experiences learned in 24 h", f"{reverse('dashboard:experiences')}?sort=created"),
        Readout(saved, "tokens saved since yesterday", f"{reverse('dashboard:savings')}?since={since.date()}"),
        Readout(faults, "faults in the record", reverse("dashboard:integrity"), bool(faults)),
    ]
    if is_operator:
        shown.append(_waiting(now))
    return shown


def _waiting(now: datetime) -> Readout:
    """How much waits in the queues; what is dead is trouble, and counts first."""
    counts = queue.counts(now)
    dead = sum(each["failed"] for each in counts.values())
    url = reverse("dashboard:operations")
    if dead:
        return Readout(dead, "dead in the queues", url, is_trouble=True)
    waiting = sum(each[state] for each in counts.values() for state in ("pending", "waiting", "leased", "abandoned"))
    return Readout(waiting, "waiting in the queues", url)


def _runs(**filters: str) -> str:
    return f"{reverse('dashboard:runs')}?{urlencode(filters)}"

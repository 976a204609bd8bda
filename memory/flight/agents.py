"""The agents of a tenant: how each is, and where it worked last. Needs a tenant's scope."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Max

from memory import conf, sql
from memory.errors import NotFound
from memory.events import history
from memory.flight import health
from memory.flight.health import Facts, Health, Limits
from memory.models import Session, Stream
from memory.vocabulary import EventType

# Of an unknown agent's name, how much an error repeats.
NAME_LENGTH = 200


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent as its streams tell of it. `restarts` counts its recoveries in the last ARES_FLAPPING_SECONDS."""

    id: str
    health: Health
    streams: int
    open_tasks: int
    restarts: int
    is_flapping: bool
    last_event_at: datetime
    last_work_at: datetime | None
    last_heartbeat_at: datetime | None
    newest_run: str
    last_session_id: str | None


def everyone(now: datetime) -> list[Agent]:
    """Every agent that has a stream, by its id."""
    return _agents(None, now)


def named(agent_id: str, now: datetime) -> Agent:
    """One agent.

    Raises:
        NotFound: no stream tells of it.
    """
    found = _agents(agent_id, now) if agent_id and "\x00" not in agent_id else []
    if not found:
        raise NotFound(unknown(agent_id))
    return found[0]


def unknown(agent_id: str) -> str:
    """What is said of an agent that is not there."""
    return f"There is no agent {agent_id[:NAME_LENGTH]!r}."


def health_of_run(stream: Stream, now: datetime) -> Health:
    """How the agent is in one of its runs. Heartbeats may come in another stream of the agent."""
    heartbeat = stream.last_heartbeat_at
    if stream.agent_id and stream.open_tasks:
        heartbeat = Stream.objects.of_agent(stream.agent_id).aggregate(at=Max("last_heartbeat_at"))["at"]
    return _health_of_run(stream, heartbeat, now)


def health_in_run(agent: Agent, stream: Stream, now: datetime) -> Health:
    """The same of an agent whose streams have been asked already."""
    return _health_of_run(stream, agent.last_heartbeat_at, now)


def restarts_since(since: datetime) -> Counter[str]:
    """How often each agent was recovered since then."""
    return history.counted_by_agent(EventType.AGENT_RESTORED, since)


def flapping_window(now: datetime) -> datetime:
    """Since when recoveries are counted."""
    return now - timedelta(seconds=conf.value("ARES_FLAPPING_SECONDS"))


def _agents(agent_id: str | None, now: datetime) -> list[Agent]:
    rows = sql.run("agent_facts", {"agent_id": agent_id, "hours": conf.value("ARES_SESSION_TTL_HOURS")})
    restarts = restarts_since(flapping_window(now)) if rows else Counter[str]()
    sessions = _last_sessions(row[0] for row in rows)
    limits = _limits()
    most = conf.value("ARES_FLAPPING_RESTARTS")
    return [
        Agent(
            id=name,
            health=health.judge(Facts(open_tasks, status, status_at, worked, beat), now, limits),
            streams=streams,
            open_tasks=open_tasks,
            restarts=restarts[name],
            is_flapping=restarts[name] >= most,
            last_event_at=last_event_at,
            last_work_at=worked,
            last_heartbeat_at=beat,
            newest_run=newest_run,
            last_session_id=sessions.get(name),
        )
        for name, streams, last_event_at, open_tasks, status, status_at, worked, beat, newest_run in rows
    ]


def _health_of_run(stream: Stream, heartbeat: datetime | None, now: datetime) -> Health:
    facts = Facts(stream.open_tasks, stream.agent_status, stream.agent_status_at, stream.last_work_at, heartbeat)
    return health.judge(facts, now, _limits())


def _last_sessions(agent_ids: Iterable[str]) -> dict[str, str]:
    """The most recently active session of each agent that has one."""
    found = Session.objects.filter(agent_id__in=list(agent_ids)).order_by("agent_id", "-last_active_at")
    return dict(found.distinct("agent_id").values_list("agent_id", "id"))


def _limits() -> Limits:
    return Limits(conf.value("ARES_STALL_SECONDS"), conf.value("ARES_CRASH_SECONDS"))

"""An agent as the pages show it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse

from memory.flight import agents, crash
from memory.flight.agents import Agent
from memory.models import Stream
from memory.vocabulary import HealthState

# The glyph of each state, and the outcome that it looks like.
LOOKS = {
    HealthState.RUNNING: ("running", "running"),
    HealthState.IDLE: ("unknown", "unknown"),
    HealthState.STALLED: ("trouble", "failed"),
    HealthState.CRASHED: ("failed", "failed"),
    HealthState.RESTORED: ("succeeded", "succeeded"),
    HealthState.STOPPED: ("unknown", "unknown"),
}


@dataclass(frozen=True, slots=True)
class Shown:
    """An agent with the looks of its health, the run it worked in last, and that run's crash story if it has one."""

    agent: Agent
    glyph: str
    looks: str
    run_title: str
    run_url: str
    crash_url: str


def troubled_first(now: datetime) -> list[Agent]:
    """All agents: those in trouble first, then the most recently active. Needs a tenant's scope."""
    everyone = agents.everyone(now)
    everyone.sort(key=lambda agent: agent.last_event_at, reverse=True)
    everyone.sort(key=lambda agent: not is_trouble(agent))
    return everyone


def is_trouble(agent: Agent) -> bool:
    """Whether somebody should look at it."""
    return agent.health.is_trouble or agent.is_flapping


def shown(chosen: Sequence[Agent], now: datetime) -> list[Shown]:
    """These agents as the pages show them, in this order. Needs a tenant's scope."""
    newest = {stream.name: stream for stream in Stream.objects.filter(name__in=[agent.newest_run for agent in chosen])}
    return [_of(agent, newest[agent.newest_run], now) for agent in chosen]


def _of(agent: Agent, stream: Stream, now: datetime) -> Shown:
    glyph, looks = LOOKS[agent.health.state]
    # What troubles the agent may lie in another of its runs.
    health = agents.health_in_run(agent, stream, now) if agent.health.is_trouble else agent.health
    has_story = crash.has_story(stream, health)
    return Shown(
        agent=agent,
        glyph=glyph,
        looks=looks,
        run_title=stream.title or stream.name,
        run_url=reverse("dashboard:run", args=[stream.name]),
        crash_url=reverse("dashboard:run_crash", args=[stream.name]) if has_story else "",
    )

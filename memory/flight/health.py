"""How an agent is, from what its streams tell and the clock. Pure.

Agents are asked for nothing: they say that they live by `agent.heartbeat`, what they are by the other `agent.…` events,
and everything else that they record is work. Times are the server's.
"""

from dataclasses import dataclass
from datetime import datetime

from memory.vocabulary import HealthState


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of an agent. `status` is the newest of started, stopped, crashed, restored; empty without one."""

    open_tasks: int = 0
    status: str = ""
    status_at: datetime | None = None
    last_work_at: datetime | None = None
    last_heartbeat_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds without work, and without any sign of life, after which an agent with an open task is in trouble."""

    stall_seconds: float
    crash_seconds: float


@dataclass(frozen=True, slots=True)
class Health:
    """A state, and why, in a sentence."""

    state: HealthState
    reason: str

    @property
    def is_trouble(self) -> bool:
        """Whether somebody should look."""
        return self.state in (HealthState.STALLED, HealthState.CRASHED)


def judge(facts: Facts, now: datetime, limits: Limits) -> Health:
    """The health of an agent at this time."""
    told_last = facts.status_at is not None and (facts.last_work_at is None or facts.status_at >= facts.last_work_at)
    status = facts.status if told_last else ""
    status_ago = _since(facts.status_at, now)
    if status == "crashed":
        return Health(HealthState.CRASHED, f"It reported a crash {span(status_ago)} ago{_with(facts.open_tasks)}.")
    if status == "stopped":
        return Health(HealthState.STOPPED, f"It stopped {span(status_ago)} ago{_with(facts.open_tasks)}.")
    idle = _since(facts.last_work_at, now)
    silent = min(idle, _since(facts.last_heartbeat_at, now))
    if facts.open_tasks:
        trouble = _trouble(facts.open_tasks, idle, silent, limits)
        if trouble:
            return trouble
    if status == "restored":
        return Health(
            HealthState.RESTORED,
            f"It was restored {span(status_ago)} ago and has not gone on yet{_with(facts.open_tasks)}.",
        )
    if facts.open_tasks:
        return Health(HealthState.RUNNING, f"It works on {_tasks(facts.open_tasks)}; last event {span(idle)} ago.")
    if idle < limits.stall_seconds:
        return Health(HealthState.RUNNING, f"Its last event came {span(idle)} ago.")
    if silent < limits.stall_seconds:
        return Health(HealthState.IDLE, f"It has no open task and waits; last heartbeat {span(silent)} ago.")
    return Health(HealthState.IDLE, f"It has no open task; last sign of life {span(silent)} ago.")


def _trouble(open_tasks: int, idle: float, silent: float, limits: Limits) -> Health | None:
    if silent >= limits.crash_seconds:
        reason = f"Nothing at all for {span(silent)}, not even a heartbeat{_with(open_tasks)}."
        return Health(HealthState.CRASHED, reason)
    if idle >= limits.stall_seconds and silent < limits.stall_seconds:
        reason = f"Alive but silent: heartbeats come, but nothing else for {span(idle)}{_with(open_tasks)}."
        return Health(HealthState.STALLED, reason)
    if idle >= limits.stall_seconds:
        return Health(HealthState.STALLED, f"Nothing for {span(silent)}, not even a heartbeat{_with(open_tasks)}.")
    return None


def span(seconds: float) -> str:
    """A span of time in its largest unit: `12 s`, `6 min`, `3 h`, `4 d`; `ever` where it has no beginning."""
    if seconds == float("inf"):
        return "ever"
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{int(seconds // length)} {unit}"
    return f"{max(0, int(seconds))} s"


def _since(moment: datetime | None, now: datetime) -> float:
    return (now - moment).total_seconds() if moment else float("inf")


def _tasks(count: int) -> str:
    return f"{count} open task{'' if count == 1 else 's'}"


def _with(open_tasks: int) -> str:
    return f", with {_tasks(open_tasks)}" if open_tasks else ""

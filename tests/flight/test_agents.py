"""The agents of a tenant, from what their streams tell."""

from datetime import UTC, datetime, timedelta

import pytest

from memory.errors import NotFound
from memory.events import store
from memory.flight import agents
from memory.layers import session
from memory.models import Stream
from tests.events.making import drafted

pytestmark = pytest.mark.usefixtures("in_acme")

NOW = datetime.now(UTC)


def test_an_agents_streams_are_taken_together() -> None:
    own = session.create("ann", "ops")
    store.append(own.pk, [drafted("task.created", task_id="t")])
    store.append("other", [drafted("task.created", agent_id="ops"), drafted("task.created")])
    store.append("agent:ops", [drafted("agent.heartbeat", agent_id="ops")])
    store.append("nobody", [drafted("task.created")])
    [agent] = agents.everyone(datetime.now(UTC))
    assert (agent.id, agent.streams, agent.open_tasks, agent.health.state) == ("ops", 3, 3, "running")
    assert (agent.newest_run, agent.last_session_id) == ("other", own.pk)
    assert agents.named("ops", NOW).id == "ops"


def test_a_task_that_was_left_open_long_ago_is_not_what_the_agent_is_at() -> None:
    store.append("old", [drafted("task.created", agent_id="ops")])
    Stream.objects.update(last_event_at=NOW - timedelta(days=3), last_work_at=NOW - timedelta(days=3))
    assert (agents.named("ops", NOW).health.state, agents.named("ops", NOW).open_tasks) == ("crashed", 1)
    store.append("new", [drafted("task.created", agent_id="ops"), drafted("task.completed")])
    later = datetime.now(UTC) + timedelta(hours=1)
    assert (agents.named("ops", later).health.state, agents.named("ops", later).open_tasks) == ("idle", 0)


def test_the_newest_status_over_all_streams_counts() -> None:
    store.append("one", [drafted("agent.crashed", agent_id="ops")])
    assert agents.named("ops", NOW).health.state == "crashed"
    store.append("two", [drafted("agent.stopped", agent_id="ops")])
    assert agents.named("ops", NOW).health.state == "stopped"


@pytest.mark.parametrize("agent_id", ["nobody", "", "a\x00b", "x" * 5000])
def test_an_unknown_agent_is_not_found(agent_id: str) -> None:
    with pytest.raises(NotFound):
        agents.named(agent_id, NOW)

"""The story of a crash."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memory import recovery
from memory.errors import NotFound
from memory.events import store
from memory.flight import agents, crash
from memory.models import Stream
from tests.events.making import drafted

pytestmark = pytest.mark.usefixtures("in_acme")

WORK = (
    ("agent.started", {"agent_id": "ops"}),
    ("task.created", {"task_id": "t", "input": "mend it"}),
    ("tool.call", {"tool_call_id": "c", "name": "df"}),
)
CRASH = ("agent.crashed", {"error": "out of memory"})


def append(*events: tuple[str, dict[str, Any]], stream: str = "run") -> None:
    store.append(stream, [drafted(event_type, **payload) for event_type, payload in events])


def told(later: float = 0, version: int | None = None) -> crash.Story | None:
    return crash.story(Stream.objects.named("run"), datetime.now(UTC) + timedelta(seconds=later), version)


def test_a_run_that_goes_well_has_no_story() -> None:
    append(*WORK)
    assert told() is None
    stream = Stream.objects.named("run")
    assert not crash.has_story(stream, agents.health_of_run(stream, datetime.now(UTC)))


def test_a_crash_is_told_with_the_last_good_event_and_what_was_open() -> None:
    append(*WORK, ("tool.result", {"error": "lost"}), ("agent.heartbeat", {}), CRASH)
    story = told()
    assert story
    assert (story.told.kind, story.told.version, story.told.before, story.told.crashed.version) == ("crashed", 6, 5, 6)  # type: ignore[union-attr]
    assert story.last_good
    assert (story.last_good.version, story.last_good.type) == (3, "tool.call")
    assert [task["input"] for task in story.before["open_tasks"]] == ["mend it"]
    assert (story.restored_version, story.sections, story.health.state) == (None, [], "crashed")


def test_the_restored_state_stands_beside_the_one_before() -> None:
    append(*WORK, CRASH)
    recovery.recover("ops")
    story = told()
    assert story
    assert ([event.version for event in story.told.recoveries], story.restored_version) == ([5], 4)
    differing = {section.name for section in story.sections if section.differences}
    assert differing == {"version", "agent", "last_error", "last_event", "counters"}
    assert story.restored
    assert story.restored["open_tasks"] == story.before["open_tasks"]


def test_a_recovery_without_a_reported_crash_is_a_break_too_and_loses_nothing() -> None:
    append(*WORK)
    recovery.recover("ops")
    recovery.recover("ops")
    story = told()
    assert story
    assert (story.told.kind, story.told.before, len(story.told.recoveries)) == ("restored", 3, 2)
    assert {section.name for section in story.sections if section.differences} == {
        "version", "agent", "last_event", "counters",
    }  # fmt: skip


def test_work_between_two_recoveries_makes_them_two_breaks() -> None:
    append(*WORK, CRASH)
    recovery.recover("ops")
    append(("message.added", {"role": "assistant", "content": "on it"}))
    recovery.recover("ops")
    story = told()
    assert story
    assert (story.told.version, [other.version for other in story.others]) == (7, [4])
    earlier = told(version=4)
    assert earlier
    assert (earlier.told.kind, [other.version for other in earlier.others]) == ("crashed", [7])
    with pytest.raises(NotFound):
        told(version=5)


def test_silence_with_an_open_task_is_a_break_behind_the_newest_event() -> None:
    append(*WORK)
    for later, kind in ((400, "stalled"), (1000, "crashed")):
        story = told(later)
        assert story
        assert (story.told.kind, story.told.version, story.told.before, story.told.crashed) == (kind, 4, 3, None)


def test_an_agent_that_falls_silent_again_after_its_recoveries_is_still_in_the_same_break() -> None:
    append(*WORK, CRASH)
    for _ in range(3):
        recovery.recover("ops")
    append(("agent.heartbeat", {}))
    story = told(1000)
    assert story
    assert story.health.is_trouble
    assert (story.told.version, [event.version for event in story.told.recoveries], story.others) == (4, [5, 6, 7], [])
    append(("message.added", {"role": "assistant", "content": "on it"}))
    story = told(1000)
    assert story
    assert (story.told.version, story.told.recoveries, [other.version for other in story.others]) == (10, [], [4])


def test_what_the_server_clears_up_is_no_work_after_a_crash() -> None:
    append(*WORK, CRASH, ("session.expired", {"messages": 0}))
    story = told(1000)
    assert story
    assert (story.told.version, story.others) == (4, [])


def test_a_recovery_is_not_the_last_thing_that_went_well() -> None:
    append(*WORK, CRASH)
    recovery.recover("ops")
    append(CRASH)
    story = told()
    assert story
    assert story.last_good
    assert (story.told.version, story.last_good.version) == (6, 3)


def test_what_differs_after_a_crash_and_its_recovery_is_what_they_record_themselves() -> None:
    append(*WORK, CRASH)
    recovery.recover("ops")
    story = told()
    assert story
    assert {section.name for section in story.sections if section.differences} == crash.MARKS


def test_heartbeats_in_another_stream_of_the_agent_show_that_it_lives() -> None:
    append(*WORK)
    append(("agent.heartbeat", {"agent_id": "ops"}), stream="agent:ops")
    Stream.objects.filter(name="run").update(last_work_at=datetime.now(UTC) - timedelta(hours=1))
    health = agents.health_of_run(Stream.objects.named("run"), datetime.now(UTC))
    assert (health.state, health.reason.partition(":")[0]) == ("stalled", "Alive but silent")


@pytest.mark.parametrize(
    "proof", [None, 7, {"to_version": "x"}, {"to_version": -1}, {"to_version": 99}, {"to_version": True}]
)
def test_a_proof_that_a_client_made_up_is_not_believed(proof: Any) -> None:
    append(*WORK, CRASH, ("agent.restored", {"proof": proof}))
    story = told()
    assert story
    assert story.restored_version == 4

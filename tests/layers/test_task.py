"""Task memory: one execution each, with what went in and what came out."""

from datetime import timedelta
from typing import Any

import pytest

from memory.errors import Conflict, Invalid, NotFound, SessionExpired
from memory.layers import session, task
from memory.models import Event, Session, Stream, Task, Tenant
from memory.tenancy import tenant_scope
from tests import tables
from tests.events.making import drafted

pytestmark = pytest.mark.usefixtures("in_acme")


@pytest.fixture
def opened(in_acme: Tenant) -> str:
    """A session of Ann's."""
    return session.create("ann").pk


def newest(session_id: str) -> Event:
    event = Event.objects.in_stream(Stream.objects.named(session_id)).last()
    assert event is not None
    return event


def test_a_task_is_a_row_and_an_event_at_once(opened: str) -> None:
    made = task.create(opened, "bob", {"do": ["it"], "n": 2**70})
    assert (made.status, made.user_id, made.output) == ("open", "bob", None)
    assert Task.objects.with_id(made.pk).input == {"do": ["it"], "n": 2**70}
    event = newest(opened)
    assert event.type == "task.created"
    assert event.payload == {
        "task_id": made.pk,
        "session_id": opened,
        "user_id": "bob",
        "input": {"do": ["it"], "n": 2**70},
    }
    assert Stream.objects.named(opened).outcome == "running"


@pytest.mark.parametrize("user", [None, ""])
def test_a_task_without_a_user_is_the_sessions_users(opened: str, user: str | None) -> None:
    assert task.create(opened, user, "x").user_id == "ann"


@pytest.mark.parametrize("given", ["", 0, False, [], {}, "text", [1, {"a": None}]])
def test_any_json_but_null_is_an_input(opened: str, given: Any) -> None:
    assert Task.objects.with_id(task.create(opened, "ann", given).pk).input == given


@pytest.mark.parametrize(
    ("session_id", "user", "given", "says"),
    [(None, "u", "x", "session_id"), ("", "u", "x", "session_id"), (7, "u", "x", "session_id"), ("{}", 7, "x", "user_id"),
     ("{}", "u" * 201, "x", "user_id"), ("{}", "u", None, "input"), ("{}", "u", "\0", "NUL"), ("{}", "u", float("nan"), "NaN")],
)  # fmt: skip
def test_a_task_that_is_not_what_it_should_be_leaves_nothing(
    opened: str, session_id: Any, user: Any, given: Any, says: str
) -> None:
    before = tables.row_counts()
    with pytest.raises(Invalid, match=says):
        task.create(opened if session_id == "{}" else session_id, user, given)
    assert tables.row_counts() == before


def test_a_task_prolongs_its_session(opened: str) -> None:
    before = Session.objects.with_id(opened).expires_at
    Session.objects.update(expires_at=before - timedelta(hours=1))
    task.create(opened, "ann", "x")
    assert Session.objects.with_id(opened).expires_at > before


def test_a_session_that_is_over_takes_no_new_task_but_lets_an_open_one_end(opened: str) -> None:
    running = task.create(opened, "ann", "x")
    session.expire_due(Session.objects.with_id(opened).expires_at)
    with pytest.raises(SessionExpired):
        task.create(opened, "ann", "y")
    assert task.close(running.pk, "completed", "done").status == "completed"


@pytest.mark.parametrize(("status", "outcome"), [("completed", "succeeded"), ("failed", "failed")])
def test_a_task_ends_with_an_event(opened: str, status: str, outcome: str) -> None:
    made = task.create(opened, "ann", "x")
    ended = task.close(made.pk, status, {"answer": 2**70})
    event = newest(opened)
    assert (event.type, event.payload) == (
        f"task.{status}",
        {"task_id": made.pk, "session_id": opened, "output": {"answer": 2**70}},
    )
    kept = Task.objects.with_id(made.pk)
    assert (kept.status, kept.output, kept.updated_at) == (status, {"answer": 2**70}, event.recorded_at)
    assert (ended.status, Stream.objects.named(opened).outcome) == (status, outcome)


@pytest.mark.parametrize("output", [None, 0, "", {"a": [1.5, None]}, 1e22])
def test_ending_a_task_again_the_same_way_changes_nothing(opened: str, output: Any) -> None:
    made = task.create(opened, "ann", "x")
    task.close(made.pk, "completed", output)
    before = tables.row_counts()
    assert task.close(made.pk, "completed", output).status == "completed"
    assert tables.row_counts() == before


@pytest.mark.parametrize(("status", "output"), [("failed", "done"), ("completed", "other"), ("completed", None)])
def test_ending_a_task_in_another_way_is_a_conflict_that_tells_how_it_ended(
    opened: str, status: str, output: Any
) -> None:
    made = task.create(opened, "ann", "x")
    task.close(made.pk, "completed", "done")
    before = tables.row_counts()
    with pytest.raises(Conflict) as caught:
        task.close(made.pk, status, output)
    assert caught.value.extra == {"task_status": "completed"}
    assert tables.row_counts() == before


@pytest.mark.parametrize("status", [None, "", "open", "done", "COMPLETED", 1, True, [], {}, "\0"])
def test_a_task_ends_as_completed_or_failed(opened: str, status: Any) -> None:
    made = task.create(opened, "ann", "x")
    with pytest.raises(Invalid, match="completed or failed"):
        task.close(made.pk, status, "x")
    assert Task.objects.with_id(made.pk).status == "open"


@pytest.mark.parametrize("name", ["", "task_0", "\0", "\ud800", "x" * 10**6])
def test_what_is_no_task_is_not_found(name: str) -> None:
    with pytest.raises(NotFound) as caught:
        task.close(name, "completed", None)
    assert len(caught.value.detail.encode()) < 300


def test_another_tenants_sessions_and_tasks_are_not_found(globex: Tenant) -> None:
    with tenant_scope(globex.pk):
        theirs = session.create("bob").pk
        their_task = task.create(theirs, "bob", "x").pk
    with pytest.raises(NotFound):
        task.create(theirs, "ann", "x")
    with pytest.raises(NotFound):
        task.close(their_task, "completed", "x")


def test_the_rows_of_tasks_follow_events_that_were_recorded_elsewhere(opened: str) -> None:
    within = session.lock(opened)
    first = session.record(within, [drafted("task.created", task_id=name, input=name) for name in ("t1", "t2", "t3")])
    task.keep_rows(within, first.events)
    ended = [
        drafted("task.failed", task_id="t1", output="no"),
        drafted("task.completed", task_id="t2"),
        drafted("task.completed"),
    ]
    task.keep_rows(within, session.record(within, ended).events)
    rows = Task.objects.order_by("id").values_list("id", "input", "status", "output", "user_id")
    assert list(rows) == [
        ("t1", "t1", "failed", "no", "ann"), ("t2", "t2", "completed", None, "ann"), ("t3", "t3", "open", None, "ann"),
    ]  # fmt: skip

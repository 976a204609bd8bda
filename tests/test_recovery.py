"""A crashed agent gets back what it knew, in bounded time, and a proof of it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test import override_settings

from aresweb.database.base import as_owner
from memory import recovery
from memory.deadline import within
from memory.errors import Invalid, NotFound, TooSlow
from memory.events import history, state, store
from memory.flight import agents
from memory.layers import session, task
from memory.models import Event, Session, Snapshot, Stream, Tenant
from memory.tenancy import tenant_scope
from tests import raw
from tests.events.making import drafted

NOW = datetime.now(UTC)
PATIENCE = 20


def ares(**values: int) -> Any:
    from django.conf import settings

    return override_settings(ARES={**settings.ARES, **values})


def agent_at_work(agent_id: str = "ops") -> Session:
    """A session with a conversation, an open task, a closed one and a tool call that never returned."""
    own = session.create("ann", agent_id)
    session.add_messages(
        own.pk,
        [
            {"role": "user", "content": "Check the disks"},
            {"role": "assistant", "content": None, "tool_calls": [{"id": "c1"}]},
        ],
    )
    task.close(task.create(own.pk, "ann", "old work").pk, "completed", "done")
    task.create(own.pk, "ann", {"check": "disks"})
    store.append(own.pk, [drafted("tool.call", tool_call_id="c1", name="df", arguments={})])
    return own


@pytest.mark.usefixtures("in_acme")
class TestWhatComesBack:
    """Inside one transaction."""

    def test_state_tasks_and_conversation_come_back_with_a_proof(self) -> None:
        own = agent_at_work()
        version = Stream.objects.named(own.pk).version
        made = recovery.recover("ops")
        assert (made.session_id, made.stream, made.missing) == (own.pk, own.pk, [])
        assert made.state == state.state_at(Stream.objects.named(own.pk), version)
        assert [call["name"] for call in made.state["pending_tool_calls"]] == ["df"]
        assert [(row.input, row.session_id) for row in made.open_tasks or []] == [({"check": "disks"}, own.pk)]
        assert [(said.role, said.content) for said in made.conversation_history or []] == [
            ("user", "Check the disks"),
            ("assistant", None),
        ]
        assert made.experiences == []
        proof = recovery.proof(made)
        assert {name: proof[name] for name in ("stream", "version", "snapshot_version", "from_version", "to_version", "events_replayed", "verified", "broken_at")} == {
            "stream": own.pk, "version": version, "snapshot_version": 0, "from_version": 1, "to_version": version, "events_replayed": version, "verified": True, "broken_at": None,
        }  # fmt: skip
        assert proof["head_hash"] == bytes(Event.objects.get(stream=own.stream_id, version=version).hash).hex()
        assert set(proof["milliseconds"]) == {
            "find",
            "snapshot",
            "read",
            "verify",
            "replay",
            "tasks",
            "conversation",
            "experiences",
            "total",
        }

    def test_it_is_recorded_in_the_stream_with_its_proof(self) -> None:
        own = agent_at_work()
        made = recovery.recover("ops")
        event = Event.objects.get(stream=own.stream_id, version=made.restored_version)
        assert (event.type, event.payload["agent_id"], event.payload["missing"]) == ("agent.restored", "ops", [])
        assert event.payload["proof"]["to_version"] == made.restored_version - 1
        assert Stream.objects.named(own.pk).agent_status == "restored"
        assert Session.objects.get(pk=own.pk).last_active_at == event.recorded_at

    def test_the_newest_snapshot_and_the_events_behind_it_are_enough(self) -> None:
        store.append("run", [drafted("agent.started", agent_id="ops"), *(drafted() for _ in range(799))])
        state.take_snapshots(Stream.objects.named("run"))
        made = recovery.recover("ops")
        proof = recovery.proof(made)
        assert (proof["snapshot_version"], proof["events_replayed"], proof["verified"]) == (500, 300, True)
        assert made.state == state.state_at(Stream.objects.named("run"), 800)

    def test_missing_snapshots_are_taken(self) -> None:
        store.append("run", [drafted("agent.started", agent_id="ops"), *(drafted() for _ in range(999))])
        recovery.recover("ops")
        assert list(Snapshot.objects.order_by("version").values_list("version", flat=True)) == [500, 1000]

    def test_a_snapshot_at_the_head_leaves_nothing_to_replay(self) -> None:
        store.append("run", [drafted("agent.started", agent_id="ops"), *(drafted() for _ in range(499))])
        state.take_snapshots(Stream.objects.named("run"))
        proof = recovery.proof(recovery.recover("ops"))
        assert (
            proof["snapshot_version"],
            proof["from_version"],
            proof["to_version"],
            proof["events_replayed"],
            proof["verified"],
        ) == (500, 501, 500, 0, True)

    def test_an_agent_without_sessions_is_recovered_from_the_stream_it_worked_in_last(self) -> None:
        store.append("first", [drafted("agent.started", agent_id="ops")])
        store.append("second", [
            drafted("task.created", agent_id="ops", task_id="t1", input="mend it"),
            drafted("message.added", role="user", content="please"),
            drafted("note.made", text="not said"),
        ])  # fmt: skip
        store.append("agent:ops", [drafted("agent.heartbeat", agent_id="ops")])
        made = recovery.recover("ops")
        assert (made.stream, made.session_id) == ("second", None)
        assert [(row.id, row.session_id, row.input) for row in made.open_tasks or []] == [("t1", None, "mend it")]
        assert [(said.role, said.content) for said in made.conversation_history or []] == [("user", "please")]

    def test_an_expired_session_is_not_gone_on_with_but_its_stream_is_told(self) -> None:
        own = agent_at_work()
        Session.objects.update(expires_at=NOW - timedelta(hours=1))
        made = recovery.recover("ops")
        assert (made.session_id, made.stream) == (None, own.pk)
        assert len(made.conversation_history or []) == 2

    def test_the_session_that_was_active_last_is_taken(self) -> None:
        one, other = agent_at_work(), agent_at_work()
        session.add_messages(one.pk, [{"role": "user", "content": "newest"}])
        made = recovery.recover("ops")
        assert made.session_id == one.pk
        assert {row.session_id for row in made.open_tasks or []} == {one.pk, other.pk}

    def test_the_conversation_is_cut_where_it_can_be(self) -> None:
        own = session.create("ann", "ops")
        asks = {"role": "assistant", "content": None, "tool_calls": [{"id": "a"}, {"id": "b"}]}
        results = [{"role": "tool", "tool_call_id": name, "content": name} for name in "ab"]
        session.add_messages(
            own.pk, [{"role": "user", "content": "go"}, asks, *results, {"role": "assistant", "content": "done"}]
        )
        lengths = {most: len(recovery.recover("ops", most).conversation_history or []) for most in (1, 2, 3, 4, 5)}
        assert lengths == {1: 1, 2: 1, 3: 1, 4: 4, 5: 5}

    def test_a_changed_event_shows_in_the_proof_and_the_agent_gets_its_state_all_the_same(self) -> None:
        store.append("run", [drafted("agent.started", agent_id="ops"), drafted(n=1), drafted(n=2)])
        with as_owner(connection) as cursor:
            cursor.execute("ALTER TABLE memory_event DISABLE TRIGGER event_append_only")
            cursor.execute("UPDATE memory_event SET payload_json = '{\"n\":9}' WHERE version = 2")
            cursor.execute("ALTER TABLE memory_event ENABLE TRIGGER event_append_only")
        made = recovery.recover("ops")
        proof = recovery.proof(made)
        assert (proof["verified"], proof["broken_at"]) == (False, 2)
        assert made.state is not None

    def test_a_lost_tail_shows_in_the_proof(self) -> None:
        store.append("run", [drafted("agent.started", agent_id="ops"), drafted(n=1), drafted(n=2)])
        with as_owner(connection) as cursor:
            cursor.execute("ALTER TABLE memory_event DISABLE TRIGGER event_append_only")
            cursor.execute("DELETE FROM memory_event WHERE version = 3")
            cursor.execute("ALTER TABLE memory_event ENABLE TRIGGER event_append_only")
        assert recovery.proof(recovery.recover("ops"))["broken_at"] == 3

    def test_an_erased_stream_still_verifies(self) -> None:
        from memory.events import erasure

        store.append("run", [drafted("agent.started", agent_id="ops"), drafted(n=1)])
        erasure.blank_stream(Stream.objects.named("run"))
        Stream.objects.update(agent_id="ops")
        assert recovery.proof(recovery.recover("ops"))["verified"] is True

    @pytest.mark.parametrize("agent_id", ["nobody", "", "a\x00b"])
    def test_nobody_cannot_be_recovered(self, agent_id: str) -> None:
        store.append("run", [drafted()])
        with pytest.raises(NotFound):
            recovery.recover(agent_id)

    @pytest.mark.parametrize("most", [0, -1, 501, True, "7", 2.5, None])
    def test_a_wrong_limit_is_refused(self, most: Any) -> None:
        agent_at_work()
        with pytest.raises(Invalid):
            recovery.recover("ops", most)

    def test_many_recoveries_in_a_short_time_are_a_warning(self) -> None:
        agent_at_work()
        with ares(ARES_FLAPPING_RESTARTS=3):
            found = [recovery.recover("ops") for _ in range(4)]
        assert [(made.restarts, made.is_flapping) for made in found] == [(1, False), (2, False), (3, True), (4, True)]
        warnings = list(Event.objects.filter(type="agent.flapping").order_by("version"))
        assert [(event.payload["restarts"], event.is_error) for event in warnings] == [(3, True), (4, True)]
        with ares(ARES_FLAPPING_RESTARTS=3):
            assert agents.named("ops", NOW).is_flapping
            long_after = NOW + timedelta(hours=1)
            assert (agents.named("ops", long_after).restarts, agents.named("ops", long_after).is_flapping) == (0, False)

    def test_a_long_stream_without_snapshots_is_rebuilt_a_part_at_each_attempt(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        store.append("run", [drafted("agent.started", agent_id="ops"), *(drafted() for _ in range(989))])
        chunks = iter(range(5))
        with ares(ARES_SNAPSHOT_EVERY=100):
            monkeypatch.setattr("memory.deadline.Deadline.is_over", lambda _: next(chunks) == 4)
            made = recovery.recover("ops")
            assert (made.state, made.open_tasks) == (None, None)
            assert [missing.part for missing in made.missing] == ["operational"]
            assert "after event 400 of 990" in made.missing[0].reason
            assert made.conversation_history == []
            monkeypatch.setattr("memory.deadline.Deadline.is_over", lambda _: False)
            again = recovery.recover("ops")
        assert (recovery.proof(again)["snapshot_version"], again.missing) == (400, [])

    def test_a_statement_that_is_cancelled_takes_nothing_along_that_was_done_before_it(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        store.append("run", [drafted("agent.started", agent_id="ops"), *(drafted() for _ in range(989))])
        read = history.read

        def slow_from_500_on(stream: Stream, first: int, last: int) -> list[Event]:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_sleep(%s)", [5 * (first > 500)])
            return read(stream, first, last)

        with ares(ARES_SNAPSHOT_EVERY=100, ARES_RECOVERY_SECONDS=1):
            monkeypatch.setattr(history, "read", slow_from_500_on)
            made = recovery.recover("ops")
            monkeypatch.undo()
            assert made.state is None
            assert "after event 500 of 990" in made.missing[0].reason
            again = recovery.recover("ops")
        assert (recovery.proof(again)["snapshot_version"], again.missing) == (500, [])


@contextmanager
def locked(table: str) -> Iterator[None]:
    """Somebody else holds the whole table."""
    with raw.owner() as other:
        other.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
        yield


@pytest.mark.django_db(transaction=True)
class TestInTime:
    """With locks that others hold."""

    @pytest.fixture
    def own(self, acme: Tenant) -> Session:
        with tenant_scope(acme.pk):
            return agent_at_work()

    def recovered(self, tenant: Tenant) -> tuple[recovery.Recovery, float]:
        began = time.monotonic()
        with ares(ARES_RECOVERY_SECONDS=1), tenant_scope(tenant.pk):
            made = recovery.recover("ops")
            with connection.cursor() as cursor:
                cursor.execute("SHOW statement_timeout")
                assert cursor.fetchone()[0] == "0"
        return made, time.monotonic() - began

    def test_what_blocks_the_conversation_leaves_the_operational_part(self, acme: Tenant, own: Session) -> None:
        with locked("memory_message"):
            made, spent = self.recovered(acme)
        assert 1 <= spent < PATIENCE  # without a limit it would wait for ever
        assert made.conversation_history is made.experiences is None
        assert (made.missing[0].part, made.missing[0].fields, made.missing[0].reason) == (
            "cognitive", ("conversation_history", "experiences"), "It was not done within 1 s.",
        )  # fmt: skip
        assert made.state is not None
        assert len(made.open_tasks or []) == 1
        with tenant_scope(acme.pk):
            [event] = Event.objects.filter(type="agent.restored")
        assert event.payload["missing"] == [{"part": "cognitive", "reason": "It was not done within 1 s."}]

    @pytest.mark.parametrize("table", ["memory_task", "memory_snapshot"])
    def test_what_blocks_the_operational_part_leaves_the_conversation(
        self, acme: Tenant, own: Session, table: str
    ) -> None:
        with locked(table):
            made, spent = self.recovered(acme)
        assert 1 <= spent < PATIENCE  # without a limit it would wait for ever
        assert made.state is made.open_tasks is made.rebuilt is None
        assert [missing.part for missing in made.missing] == ["operational"]
        assert len(made.conversation_history or []) == 2
        assert recovery.proof(made)["verified"] is None

    def test_a_session_that_somebody_holds_keeps_it_from_being_recorded_and_nothing_else(
        self, acme: Tenant, own: Session
    ) -> None:
        with raw.owner() as other:
            raw.enter(other, acme.pk)
            other.execute("SELECT 1 FROM memory_session FOR UPDATE")
            made, spent = self.recovered(acme)
        assert 1 <= spent < PATIENCE  # without a limit it would wait for ever
        assert [missing.part for missing in made.missing] == ["record"]
        assert made.state is not None
        assert made.restored_version is None

    def test_where_not_even_the_agent_can_be_found_in_time_it_is_an_error(self, acme: Tenant, own: Session) -> None:
        with locked("memory_stream"), pytest.raises(OperationalError):
            self.recovered(acme)

    def test_a_slow_statement_is_cancelled_and_what_was_done_before_it_is_undone(
        self, acme: Tenant, own: Session
    ) -> None:
        with tenant_scope(acme.pk):
            with pytest.raises(OperationalError):
                self.change_slowly()
            assert Session.objects.get(pk=own.pk).user_id == "ann"

    def test_no_statement_is_begun_when_time_is_over(self, acme: Tenant) -> None:
        with tenant_scope(acme.pk), within(0.05) as deadline:
            assert not deadline.is_over()
            time.sleep(0.06)
            assert deadline.is_over()
            with pytest.raises(TooSlow):
                deadline.renew()

    def change_slowly(self) -> None:
        with within(0.2):
            Session.objects.update(user_id="changed")
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_sleep(5)")

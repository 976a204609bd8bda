"""What becomes of imported runs in the database."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from memory.imports import recorder
from memory.imports.recorder import Result
from memory.imports.run import ImportedEvent, Run
from memory.layers import session
from memory.models import Event, Message, Stream, Task, Tenant
from memory.tenancy import tenant_scope
from tests.events.verifying import assert_verifies

MAY = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)
EVENTS = [
    ImportedEvent("task.created", {"input": "book a flight"}, MAY),
    ImportedEvent("message.added", {"role": "user", "content": "hello"}, MAY),
    ImportedEvent("tool.call", {"tool_call_id": "c", "name": "search", "arguments": {}}, MAY, causes=1),
    ImportedEvent(
        "tool.result", {"tool_call_id": "c", "name": "search", "content": "none", "error": "E"}, MAY, causes=2
    ),
    ImportedEvent("task.failed", {"output": "no"}, MAY),
]
RUN = Run("origin/1", "A flight", "tau", "ann", EVENTS)


def test_a_run_becomes_a_session_with_its_stream_messages_and_task(in_acme: Tenant) -> None:
    done = recorder.record(RUN, "tau_bench")

    stream = Stream.objects.named(done.stream)
    events = list(Event.objects.in_stream(stream))
    assert (done.result, done.new_events, stream.version) == (Result.RECORDED, 6, 6)
    assert (stream.title, stream.agent_id, stream.outcome, stream.error_count) == ("A flight", "tau", "failed", 2)
    assert stream.started_at == stream.ended_at == MAY
    assert events[3].causation_id == events[2].event_id
    assert [message.content for message in Message.objects.all()] == ["hello"]
    assert [(task.status, task.output) for task in Task.objects.all()] == [("failed", "no")]
    assert_verifies(stream)


def test_a_run_read_again_is_known_and_one_that_has_grown_gets_what_is_new(in_acme: Tenant) -> None:
    recorder.record(replace(RUN, events=EVENTS[:3]), "tau_bench")
    assert recorder.record(replace(RUN, events=EVENTS[:3]), "tau_bench").result == Result.KNOWN

    grown = recorder.record(RUN, "tau_bench")

    assert (grown.result, grown.new_events) == (Result.EXTENDED, 2)
    assert [task.status for task in Task.objects.all()] == ["failed"]
    assert_verifies(Stream.objects.named(grown.stream))


def test_a_run_that_was_deleted_here_is_not_recorded_again(in_acme: Tenant) -> None:
    name = recorder.record(RUN, "tau_bench").stream
    session.erase(name)
    assert recorder.record(RUN, "tau_bench") == recorder.Recorded(Result.DELETED, name, 0)


def test_the_same_run_can_belong_to_two_tenants(acme: Tenant, globex: Tenant) -> None:
    for tenant in (acme, globex):
        with tenant_scope(tenant.pk):
            assert recorder.record(RUN, "tau_bench").result == Result.RECORDED


def import_runs(*arguments: str) -> str:
    out = StringIO()
    call_command("import_runs", *arguments, tenant="acme", stdout=out, stderr=StringIO())
    return out.getvalue()


def test_the_command_tells_what_it_read_recorded_and_skipped(acme: Tenant, tmp_path: Path) -> None:
    (tmp_path / "good.json").write_text(json.dumps([{"role": "user", "content": "hi"}]))
    (tmp_path / "bad.json").write_text("{")

    first, again = import_runs(str(tmp_path)), import_runs(str(tmp_path))

    assert "chat" in first
    assert "skipped" in first
    assert "bad.json" in "".join(first.split())  # a long path is wrapped
    assert "already recorded" in again


def test_the_command_refuses_what_it_cannot_read(acme: Tenant, tmp_path: Path) -> None:
    for arguments, message in (
        ([str(tmp_path)], "No run was read"),
        ([str(tmp_path / "none")], "No such file"),
        ([str(tmp_path), "--format", "tau"], "There is no format 'tau'"),
    ):
        with pytest.raises(CommandError, match=message):
            import_runs(*arguments)


COUNTS = {
    "tau-bench-airline": {"messages": 2462, "tool_results": 567, "tool_errors": 21},
    "swe-agent": {"steps": 89},
    "openhands": {"events": 140},
    "claude-code-transcripts": {"lines": 61, "tool_calls": 18},
    "inspect-eval-logs": {"samples": 3},
    "locomo": {"conversations": 4, "sessions": 99, "turns": 2080},
}


@pytest.mark.parametrize("folder", COUNTS)
def test_the_summary_of_a_sample_set_has_the_numbers_of_its_source(
    acme: Tenant, sample_data: Callable[[str], Path], folder: str
) -> None:
    words = import_runs(str(sample_data(folder))).replace(",", "").replace("│", " ").split()
    for name, count in COUNTS[folder].items():
        assert str(count) == words[words.index(name) + 1]

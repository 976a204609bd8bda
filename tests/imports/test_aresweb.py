"""Export of a run and its import: elsewhere it is the same, and still verifies."""

import gzip
import json
from collections.abc import Callable
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from memory.errors import Conflict, EventIdTaken, Invalid
from memory.events import erasure, export, store
from memory.events.draft import draft
from memory.imports import aresweb, recorder
from memory.imports.formats import detect
from memory.imports.recorder import Result
from memory.imports.run import Recording, Skipped
from memory.layers import session
from memory.models import Event, Stream, Tenant
from memory.tenancy import tenant_scope
from tests.events.archiving import archive
from tests.events.making import LIMITS, drafted
from tests.events.verifying import assert_verifies

Lines = list[dict[str, Any]]


def recorded(tenant: Tenant, name: str = "run") -> Lines:
    """A stream of three appends with all that an event can hold, exported."""
    with tenant_scope(tenant.pk):
        store.append(name, [draft({"id": f"{name}-1", "type": "task.created", "payload": {"agent_id": "ops", "input": "é", "n": 2**70, "x": 1.0},
                                   "metadata": {"m": [1, None]}, "occurred_at": "2020-01-01T00:00:00Z", "causation_id": "c", "correlation_id": "d"}, LIMITS)])  # fmt: skip
        store.append(name, [drafted("tool.result", f"{name}-2", error="broke"), drafted("note.made", f"{name}-3")])
        store.append(name, [drafted("task.completed", f"{name}-4")])
    return exported(tenant, name)


def exported(tenant: Tenant, name: str = "run") -> Lines:
    with tenant_scope(tenant.pk):
        stream = Stream.objects.named(name)
    return [json.loads(line) for chunk in export.lines(stream) for line in chunk.splitlines()]


def written(tmp_path: Path, lines: Lines) -> Path:
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def imported(tenant: Tenant, path: Path) -> recorder.Recorded:
    [item] = aresweb.read(path)
    assert isinstance(item, Recording), item
    with tenant_scope(tenant.pk):
        return recorder.restore(item)


def test_an_imported_run_is_the_same_and_verifies(acme: Tenant, globex: Tenant, tmp_path: Path) -> None:
    lines = recorded(acme)
    path = written(tmp_path, lines)
    done = imported(globex, path)
    assert (done.result, done.stream, done.new_events) == (Result.RECORDED, "run", 4)
    assert exported(globex) == lines
    rows = {}
    for tenant in (acme, globex):
        with tenant_scope(tenant.pk):
            stream = Stream.objects.named("run")
            assert_verifies(stream)
            rows[tenant.slug] = Stream.objects.filter(pk=stream.pk).values().get()
    own = ("id", "tenant_id", "created_at", "last_hash")
    assert {name: value for name, value in rows["acme"].items() if name not in own} == {
        name: value for name, value in rows["globex"].items() if name not in own
    }
    assert bytes(rows["acme"]["last_hash"]) == bytes(rows["globex"]["last_hash"])


def test_importing_it_again_records_nothing_and_one_that_has_grown_what_is_new(
    acme: Tenant, globex: Tenant, tmp_path: Path
) -> None:
    path = written(tmp_path, recorded(acme))
    imported(globex, path)
    assert imported(globex, path).result == imported(acme, path).result == Result.KNOWN
    with tenant_scope(acme.pk):
        store.append("run", [drafted("note.made", "later")])
    grown = written(tmp_path, exported(acme))
    done = imported(globex, grown)
    assert (done.result, done.new_events) == (Result.EXTENDED, 1)
    assert exported(globex) == exported(acme)
    assert imported(globex, path).result == Result.KNOWN


def test_an_older_export_than_what_is_here_records_nothing(acme: Tenant, tmp_path: Path) -> None:
    path = written(tmp_path, recorded(acme))
    with tenant_scope(acme.pk):
        store.append("run", [drafted("note.made", "later")])
    assert imported(acme, path).result == Result.KNOWN


def test_a_stream_of_that_name_with_other_events_is_a_conflict(acme: Tenant, globex: Tenant, tmp_path: Path) -> None:
    path = written(tmp_path, recorded(acme))
    with tenant_scope(globex.pk):
        store.append("run", [drafted("note.made", "own")])
    with pytest.raises(Conflict, match="is here with other events"):
        imported(globex, path)
    with tenant_scope(globex.pk):
        assert [event.event_id for event in Event.objects.all()] == ["own"]


def test_an_event_id_of_another_stream_is_a_conflict(acme: Tenant, globex: Tenant, tmp_path: Path) -> None:
    path = written(tmp_path, recorded(acme))
    with tenant_scope(globex.pk):
        store.append("other", [drafted("note.made", "run-3")])
    with pytest.raises(EventIdTaken):
        imported(globex, path)
    with tenant_scope(globex.pk):
        assert not Stream.objects.filter(name="run").exists()


def test_more_events_than_a_statement_takes_are_imported(acme: Tenant, globex: Tenant, tmp_path: Path) -> None:
    with tenant_scope(acme.pk):
        for _ in range(3):
            store.append("run", [drafted() for _ in range(700)])
    path = written(tmp_path, exported(acme))
    assert imported(globex, path).new_events == 2100
    with tenant_scope(globex.pk):
        assert_verifies(Stream.objects.named("run"))


def test_an_erased_run_keeps_its_digests_and_verifies(acme: Tenant, globex: Tenant, tmp_path: Path) -> None:
    with tenant_scope(acme.pk):
        own = session.create("ann", "ops").pk
        session.add_messages(own, [{"role": "user", "content": "secret"}])
    before = written(tmp_path, exported(acme, own))
    whole = before.rename(tmp_path / "before.jsonl")
    with tenant_scope(acme.pk):
        session.erase(own)
    after = written(tmp_path, exported(acme, own))
    assert "secret" not in after.read_text()
    imported(globex, after)
    with tenant_scope(globex.pk):
        assert_verifies(Stream.objects.named(own))
        erased = [bool(event.erased_at) for event in Event.objects.in_stream(Stream.objects.named(own))]
    assert erased == [True, True, False]
    # The copy that still has its content brings nothing back.
    assert imported(globex, whole).result == Result.KNOWN


def test_what_was_erased_at_its_origin_is_not_erased_here_by_an_import(
    acme: Tenant, globex: Tenant, tmp_path: Path
) -> None:
    imported(globex, written(tmp_path, recorded(acme)))
    with tenant_scope(acme.pk):
        store.append("run", [drafted("note.made", "later")])
        erasure.blank_stream(Stream.objects.named("run"))
    with pytest.raises(Conflict, match="erase it here first"):
        imported(globex, written(tmp_path, exported(acme)))
    with tenant_scope(globex.pk):
        assert not Event.objects.exclude(erased_at=None).exists()


def test_a_live_session_is_not_gone_on_with_from_a_file(acme: Tenant, globex: Tenant, tmp_path: Path) -> None:
    with tenant_scope(acme.pk):
        own = session.create("ann").pk
    imported(globex, written(tmp_path, exported(acme, own)))
    with tenant_scope(globex.pk):
        store.append(own, [drafted("note.made", "later")])
    with pytest.raises(Conflict, match="is live here"):
        imported(acme, written(tmp_path, exported(globex, own)))
    with tenant_scope(acme.pk):
        assert Stream.objects.named(own).version == 1


Change = Callable[[Lines], Any]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda lines: lines[2]["payload"].update(error="altered"), "Version 2 of run holds other content"),
        (lambda lines: lines[2]["metadata"].update(more=1), "Version 2 of run holds other content"),
        (lambda lines: lines[2].update(type="note.made"), "Version 2 of run has another hash"),
        (lambda lines: lines[2].update(recorded_at="2020-01-01T00:00:00Z"), "Version 2 of run has another hash"),
        (lambda lines: lines[1].update(occurred_at="2021-01-01T00:00:00Z"), "Version 1 of run has another hash"),
        (lambda lines: lines[1].update(causation_id="x"), "Version 1 of run has another hash"),
        (lambda lines: lines[3].update(id="other"), "Version 3 of run has another hash"),
        (lambda lines: lines[3].update(hash="00" * 32), "Version 3 of run has another hash"),
        (lambda lines: lines[2].update(version=9), "Version 2 of run is missing: version 9"),
        (lambda lines: (lines.pop(2), lines[0].update(version=3)), "Version 2 of run is missing: version 3"),
        (lambda lines: lines.insert(2, lines.pop(3)), "Version 2 of run is missing: version 3"),
        (lambda lines: lines[0].update(stream="other"), "Version 1 of other has another hash"),
        (lambda lines: lines[3].update(erased_at="2026-01-01T00:00:00Z", payload={}), "Version 3 of run is erased, and the one before it is not"),
        (lambda lines: lines[1].update(erased_at="2026-01-01T00:00:00Z"), "Version 1 of run is erased, and holds content"),
    ],
)  # fmt: skip
def test_a_broken_chain_is_refused_with_the_version_at_fault(
    acme: Tenant, globex: Tenant, tmp_path: Path, change: Change, reason: str
) -> None:
    lines = recorded(acme)
    change(lines)
    [item] = aresweb.read(written(tmp_path, lines))
    assert isinstance(item, Recording), item
    with tenant_scope(globex.pk):
        with pytest.raises(Invalid) as error:
            recorder.restore(item)
        assert not Stream.objects.exists()
    assert reason in error.value.detail


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda lines: lines.pop(), "has 4 events, and holds 3"),
        (lambda lines: lines[0].update(hash="00" * 32), "is not that of version 4"),
        (lambda lines: lines[0].update(format_version=2), "not of version 1"),
        (lambda lines: lines[0].update(stream=7), "must be a text"),
        (lambda lines: lines.__delitem__(slice(1, None)), "has 4 events, and holds 0"),
        (lambda lines: lines.__setitem__(2, []), "line 3 is no event"),
        (lambda lines: lines[2].update(version="2"), "line 3.version must be a whole number"),
        (lambda lines: lines[2].update(hash="zz"), "line 3.hash must be 64 hexadecimal digits"),
        (lambda lines: lines[2].update(digest=None), "line 3.digest must be 64 hexadecimal digits"),
        (lambda lines: lines[2].pop("id"), "line 3 lacks its id or time"),
        (lambda lines: lines[2].update(recorded_at=None), "line 3.recorded_at is missing"),
        (lambda lines: lines[2].update(recorded_at="yesterday"), "line 3.recorded_at must be an ISO 8601 time"),
        (lambda lines: lines[2].update(type="no type"), "line 3.type must be"),
        (lambda lines: lines[2].update(payload=[1]), "line 3.payload must be an object"),
    ],
)  # fmt: skip
def test_what_is_no_export_is_skipped_with_the_reason(
    acme: Tenant, tmp_path: Path, change: Change, reason: str
) -> None:
    lines = recorded(acme)
    change(lines)
    [item] = aresweb.read(written(tmp_path, lines))
    assert isinstance(item, Skipped)
    assert reason in item.reason


def test_other_files_and_damage_are_skipped(tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.gz"
    header = b'{"format": "aresweb", "format_version": 1, "stream": "run"}\n'
    damaged.write_bytes(gzip.compress(header + b"\n" * 99)[:-12])
    for path, reason in ((damaged, "damaged"), (tmp_path / "missing", "cannot be read")):
        [item] = aresweb.read(path)
        assert isinstance(item, Skipped)
        assert reason in item.reason


def test_the_command_writes_a_file_that_import_runs_records(
    acme: Tenant, globex: Tenant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded(acme)
    path = tmp_path / "out.jsonl"
    call_command("export_run", "run", "--tenant", "acme", "--output", str(path), stderr=StringIO())
    assert detect(path) is aresweb
    out = BytesIO()
    monkeypatch.setattr("sys.stdout", TextIOWrapper(out, write_through=True))
    call_command("export_run", "run", "--tenant", "acme")
    assert out.getvalue() == path.read_bytes()
    monkeypatch.undo()
    table = StringIO()
    call_command("import_runs", str(path), "--tenant", "globex", stdout=table, stderr=StringIO())
    assert exported(globex) == exported(acme)
    assert "aresweb" in table.getvalue()
    for arguments in (
        ("none", "--tenant", "acme"),
        ("run", "--tenant", "none"),
        ("run", "--tenant", "acme", "--output", str(path)),
    ):
        with pytest.raises(CommandError):
            call_command("export_run", *arguments)


def test_a_run_that_is_archived_here_is_the_same_run(acme: Tenant, globex: Tenant, tmp_path: Path) -> None:
    lines = recorded(acme)
    path = written(tmp_path, lines)
    imported(globex, path)
    for tenant, keep in ((globex, 0), (acme, 1)):
        with tenant_scope(tenant.pk):
            archive(Stream.objects.named("run"), keep)
        assert exported(tenant) == lines
    assert imported(globex, path).result == Result.KNOWN
    with tenant_scope(acme.pk):
        store.append("run", [drafted("note.made", "run-5")])
    assert imported(globex, written(tmp_path, exported(acme))).new_events == 1
    with tenant_scope(globex.pk):
        assert_verifies(Stream.objects.named("run"))


def test_an_archived_run_of_the_name_with_other_events_is_a_conflict(
    acme: Tenant, globex: Tenant, tmp_path: Path
) -> None:
    path = written(tmp_path, recorded(acme))
    with tenant_scope(globex.pk):
        store.append("run", [drafted() for _ in range(5)])
        archive(Stream.objects.named("run"), 0)
    with pytest.raises(Conflict, match="with other events"):
        imported(globex, path)


def test_the_ids_of_archived_events_of_another_stream_are_taken(acme: Tenant, globex: Tenant, tmp_path: Path) -> None:
    path = written(tmp_path, recorded(acme))
    with tenant_scope(globex.pk):
        store.append("another", [drafted("note.made", "run-3")])
        archive(Stream.objects.named("another"), 0)
    with pytest.raises(EventIdTaken, match="run-3 is recorded in another stream"):
        imported(globex, path)
    with tenant_scope(globex.pk):
        assert not Stream.objects.filter(name="run", version__gt=0).exists()


def test_a_run_that_was_erased_at_its_origin_must_be_erased_here_also_where_it_is_archived(
    acme: Tenant, globex: Tenant, tmp_path: Path
) -> None:
    imported(globex, written(tmp_path, recorded(acme)))
    with tenant_scope(globex.pk):
        archive(Stream.objects.named("run"), 0)
    with tenant_scope(acme.pk):
        store.append("run", [drafted("note.made", "run-5")])
        erasure.blank_stream(Stream.objects.select_for_update().get(name="run"))
    path = written(tmp_path, exported(acme))
    with pytest.raises(Conflict, match="erase it here first"):
        imported(globex, path)
    with tenant_scope(globex.pk):
        erasure.blank_stream(Stream.objects.select_for_update().get(name="run"))
    assert imported(globex, path).new_events == 1

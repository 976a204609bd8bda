"""Snapshots while others write."""

import time
from threading import Event as Signal
from typing import Any

import pytest

from memory.events import erasure, state, store
from memory.events.reducer import replay
from memory.models import Snapshot, Stream, Tenant
from memory.tenancy import tenant_scope
from tests.events.making import drafted
from tests.threads import threads

PATIENCE = 10


@pytest.mark.django_db(transaction=True)
def test_content_that_is_erased_meanwhile_does_not_return_in_a_snapshot_and_appending_goes_on(
    acme: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, may_go_on = Signal(), Signal()

    def slow_replay(*args: Any) -> state.State:
        reading.set()
        assert may_go_on.wait(PATIENCE)
        return replay(*args)

    def read() -> None:
        with tenant_scope(acme.pk):
            stream = Stream.objects.named("run")
            state.state_at(stream, stream.version)

    def erase() -> None:
        with tenant_scope(acme.pk):
            erasure.blank_stream(Stream.objects.select_for_update().get(name="run"))

    with tenant_scope(acme.pk):
        store.append("run", [drafted("message.added", content="secret") for _ in range(600)])
    monkeypatch.setattr(state, "replay", slow_replay)
    with threads() as several:
        slow = several.start(read)
        assert reading.wait(PATIENCE)
        erasing = several.start(erase)
        time.sleep(0.3)  # time enough to erase, if nothing holds it up
        with tenant_scope(acme.pk):
            assert store.append("other", [drafted()]).version == 1
        may_go_on.set()
        slow.result()
        erasing.result()
    with tenant_scope(acme.pk):
        assert not Snapshot.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_taking_a_snapshot_does_not_hold_up_who_appends(acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        store.append("run", [drafted("message.added", content="x") for _ in range(600)])

    def append() -> int:
        with tenant_scope(acme.pk):
            return store.append("run", [drafted()]).version

    with threads() as several, tenant_scope(acme.pk):
        state.state_at(Stream.objects.named("run"), 600)
        assert Snapshot.objects.exists()
        assert several.start(append).result(PATIENCE) == 601

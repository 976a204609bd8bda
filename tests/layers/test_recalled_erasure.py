"""What was recalled elsewhere is blanked where what it was learned from is erased, hot and archived."""

from typing import Any

import pytest

from memory import conf
from memory.events import compaction, history, state, store, verification
from memory.events.recalled import experiences_in
from memory.layers import distilled as people
from memory.layers import recall, session
from memory.manager import MemoryManager
from memory.models import Event, Recollection, Snapshot, Stream, Tenant
from memory.retrieval.plan import Plan
from memory.tenancy import tenant_scope
from tests import tables
from tests.distillation.running import distilled, known, said
from tests.events.making import drafted

pytestmark = pytest.mark.django_db(transaction=True)
MANAGER = MemoryManager("test", lambda _: None)
ANSWER = [
    "Our nginx returns 502 Bad Gateway for /api since the deployment, what is wrong?",
    "The upstream listens on zebra-9000: set `proxy_pass` to it and reload nginx.",
    "Thanks, that worked!",
]
QUERY = "nginx 502 Bad Gateway"
WORDS = Plan(vector_weight=0, knowledge_weight=0, tools_weight=0)


@pytest.fixture
def taught(acme: Tenant) -> str:
    session_id = said(acme, ANSWER)
    distilled(acme, session_id)
    return session_id


def recalled(tenant: Tenant, user: str = "bob") -> Stream:
    """Another session, in which the experience was recalled."""
    other = said(tenant, ["hello"], user)
    with tenant_scope(tenant.pk):
        found = recall.recall(QUERY, plan=WORDS, stream=other)
        assert "zebra-9000" in found.hits[0].text
        return Stream.objects.named(other)


def test_erasing_the_session_that_taught_it_blanks_the_recall_and_the_chain_still_verifies(
    acme: Tenant, taught: str
) -> None:
    stream = recalled(acme)
    with tenant_scope(acme.pk):
        rows = MANAGER.delete_session(taught)["rows"]

        assert rows["recalls"] == 1
        event = Event.objects.get(stream=stream, type="memory.recalled")
        assert (event.payload, event.is_erased) == ({}, True)
        assert not Recollection.objects.exists()
        assert verification.verify(stream).faults == 0
    assert tables.holding("zebra-9000") == []


def test_so_does_erasing_the_user_and_deleting_the_experience(acme: Tenant, taught: str) -> None:
    first = recalled(acme)
    with tenant_scope(acme.pk):
        people.delete(known(acme)[0].pk, "user:ann")
        assert Event.objects.get(stream=first, type="memory.recalled").is_erased
        MANAGER.erase_user("ann")
    assert tables.holding("zebra-9000") == []


def test_an_archived_recall_is_blanked_and_its_neighbours_are_not(acme: Tenant, taught: str) -> None:
    stream = recalled(acme)
    with tenant_scope(acme.pk):
        store.append(stream.name, [drafted("note.taken", text=f"okapi {n}") for n in range(20)])
        compaction.move_oldest(stream, keep=2)
        assert not Event.objects.filter(stream=stream, type="memory.recalled").exists()
        hashes = [history.hash_at(stream, version) for version in range(1, 10)]

        MANAGER.delete_session(taught)

        (event,) = history.of_types(stream, ["memory.recalled"], 10)
        assert (event.payload, event.is_erased) == ({}, True)
        notes = history.of_types(stream, ["note.taken"], 100)
        assert [each.payload["text"] for each in notes] == [f"okapi {n}" for n in range(20)]
        assert [history.hash_at(stream, version) for version in range(1, 10)] == hashes
        assert verification.verify(stream).faults == 0


def test_snapshots_forget_it_and_still_agree_with_the_events(acme: Tenant, taught: str) -> None:
    stream = recalled(acme)
    with tenant_scope(acme.pk):
        store.append(stream.name, [drafted() for _ in range(conf.value("ARES_SNAPSHOT_EVERY"))])
        stream.refresh_from_db()
        assert state.take_snapshots(stream) == 1
    assert "memory_snapshot" in tables.holding("zebra-9000")

    with tenant_scope(acme.pk):
        MANAGER.delete_session(taught)
        assert Snapshot.objects.filter(stream=stream).exists()
        assert verification.verify(stream).faults == 0
    assert tables.holding("zebra-9000") == []


def test_what_was_evicted_before_is_blanked_as_well(acme: Tenant, taught: str) -> None:
    recalled(acme)
    with tenant_scope(acme.pk):
        people.remove([each.pk for each in known(acme)])
        assert MANAGER.delete_session(taught)["rows"]["recalls"] == 1
    assert tables.holding("zebra-9000") == []


def test_what_stays_known_from_elsewhere_stays_told(acme: Tenant, taught: str) -> None:
    again = said(acme, ANSWER, "carl")
    distilled(acme, again)
    stream = recalled(acme)
    with tenant_scope(acme.pk):
        MANAGER.delete_session(again)
        assert not Event.objects.get(stream=stream, type="memory.recalled").is_erased


def test_another_tenants_recall_that_names_the_same_id_is_left_alone(acme: Tenant, globex: Tenant, taught: str) -> None:
    (experience,) = known(acme)
    with tenant_scope(globex.pk):
        store.append("run", [drafted("memory.recalled", results=[{"id": experience.pk, "text": "theirs"}])])
    with tenant_scope(acme.pk):
        MANAGER.delete_session(taught)
    with tenant_scope(globex.pk):
        assert Event.objects.get(type="memory.recalled").payload["results"][0]["text"] == "theirs"


def test_a_context_that_was_built_is_no_other_way_round(acme: Tenant, taught: str) -> None:
    with tenant_scope(acme.pk):
        other = session.create("bob")
        MANAGER.build_context(other.pk, QUERY)
    assert "memory_event" in tables.holding("zebra-9000")
    with tenant_scope(acme.pk):
        MANAGER.delete_session(taught)
    assert tables.holding("zebra-9000") == []


@pytest.mark.parametrize(
    "payload",
    [{}, {"results": None}, {"results": "exp_1"}, {"results": [1, None, "exp_1", {"id": 7}, {"id": "know_1"}]},
     {"results": [{"id": "exp_" + "a" * 100}]}],
)  # fmt: skip
def test_what_clients_make_up_is_no_experience(payload: Any) -> None:
    assert experiences_in(payload) == set()

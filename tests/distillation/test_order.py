"""In whatever order conversations are read, by however many workers, they come to the same."""

from itertools import permutations

import pytest

from memory import worker
from memory.layers import reshaping
from memory.manager import MemoryManager
from memory.models import Event, Experience, Source, Tenant
from memory.tenancy import tenant_scope
from memory.vocabulary import Queue
from tests.distillation.running import distilled, known, learn, said
from tests.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)
MOVES = ((1, "I live in Berlin."), (2, "I live in Lisbon."), (3, "I live in Oslo."))


def at(day: int, text: str) -> dict[str, str]:
    return {"role": "user", "content": text, "occurred_at": f"2026-05-{day:02}T10:00:00Z"}


@pytest.mark.parametrize("order", list(permutations(MOVES)), ids=lambda order: "".join(str(day) for day, _ in order))
def test_a_history_is_the_same_whichever_part_is_read_first(acme: Tenant, order: tuple[tuple[int, str], ...]) -> None:
    for day, text in order:
        learn(acme, [at(day, text)])

    found = {each.value: each for each in known(acme)}
    berlin, lisbon, oslo = found["Berlin"], found["Lisbon"], found["Oslo"]
    assert [each.status for each in (berlin, lisbon, oslo)] == ["superseded", "superseded", "active"]
    assert (berlin.valid_to, lisbon.valid_to, oslo.valid_to) == (lisbon.valid_from, oslo.valid_from, None)
    assert (berlin.superseded_by_id, lisbon.superseded_by_id) == (lisbon.pk, oslo.pk)


def test_what_was_said_twice_holds_from_the_first_time_on(acme: Tenant) -> None:
    learn(acme, [at(5, "I live in Berlin.")])
    learn(acme, [at(2, "I live in Berlin.")])

    (experience,) = known(acme)
    assert experience.valid_from.day == 2
    assert [each.change for each in revisions_of(acme, experience)] == ["insert", "date"]


def revisions_of(tenant: Tenant, experience: Experience) -> list[object]:
    with tenant_scope(tenant.pk):
        return list(experience.revisions.order_by("number"))


def test_ten_clients_that_send_the_same_at_once_teach_it_once(acme: Tenant) -> None:
    """Each tells two users' conversations, of work and of themselves, and has them distilled."""
    work = [
        "Our nginx returns 502 Bad Gateway for /api, what is wrong?",
        "Set `proxy_pass` to port 9000 and reload it.",
    ]

    def client(number: int) -> None:
        for user in ("ann", "bob"):
            sessions = [said(acme, work, user), said(acme, ["I prefer window seats on every flight."], user)]
            for session_id in sessions[:: 1 if number % 2 else -1]:
                distilled(acme, session_id)

    at_once([lambda number=number: client(number) for number in range(10)])
    worker.work(acme.pk, Queue.DISTILLATION)

    assert sorted((each.user_id, each.kind) for each in known(acme)) == [
        ("", "solution"),
        ("ann", "preference"),
        ("bob", "preference"),
    ]
    with tenant_scope(acme.pk):
        assert Source.objects.values("stream_name").distinct().count() == 40
        shared = Experience.objects.get(user_id="")
        assert Source.objects.filter(experience=shared).values("stream_name").distinct().count() == 20
        # Whoever was read first: it holds from when it was said first, and nothing else of it has changed.
        assert set(shared.revisions.values_list("change", flat=True)) <= {"insert", "date"}
        said_at = [
            each.occurred_at
            for each in Event.objects.filter(type="message.added")
            if each.payload["content"] == work[-1]
        ]
        assert shared.valid_from == min(said_at)


def test_workers_operators_and_erasures_do_not_lock_each_other_out(acme: Tenant) -> None:
    manager = MemoryManager("test", lambda _: None)
    for place in ("Berlin", "Lisbon", "Oslo", "Graz"):
        learn(acme, [f"My friend from {place} likes to row on Sundays, with 4 others."], place)
    first, second, *_ = known(acme)
    with tenant_scope(acme.pk):
        Experience.objects.update(user_id="ann")
    sessions = [said(acme, [f"I live in {place}.", "Noted."], "ann") for place in ("Rome", "Kyiv", "Riga")]

    def merge_and_back() -> None:
        for _ in range(5):
            with tenant_scope(acme.pk):
                reshaping.merge(first.pk, second.pk, "user:ann")
            with tenant_scope(acme.pk):
                reshaping.undo(first.pk, "user:ann")

    def erase() -> None:
        for session_id in sessions:
            with tenant_scope(acme.pk):
                manager.delete_session(session_id)

    for session_id in sessions:
        with tenant_scope(acme.pk):
            manager.distill_session(session_id)
    at_once([merge_and_back, erase, *[lambda: worker.work(acme.pk, Queue.DISTILLATION)] * 2])

    assert {each.status for each in known(acme)} == {"active"}
    assert len(known(acme)) == 4

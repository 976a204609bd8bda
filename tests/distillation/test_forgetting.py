"""Erasing: what was learned from a conversation goes with it, and what others had told stays or is told again."""

from contextlib import suppress
from typing import Any

import pytest

from memory import limits, worker
from memory.distillation import consolidate
from memory.errors import NotFound
from memory.layers import distilled as people
from memory.layers import reshaping
from memory.manager import MemoryManager
from memory.models import Distillation, Source, Tenant, Vector
from memory.tenancy import tenant_scope
from memory.vocabulary import Queue
from tests import tables
from tests.distillation.running import distilled, known, said
from tests.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)
MANAGER = MemoryManager("test", lambda _: None)
ASKED = "Our nginx returns 502 Bad Gateway for /api since the deployment, what is wrong?"
THANKS = "Thanks, that worked!"


def answered(answer: str) -> list[str]:
    return [ASKED, answer, THANKS]


def taught(tenant: Tenant, messages: list[Any], user: str = "ann") -> str:
    """The session, from which everything was learned."""
    session_id = said(tenant, messages, user)
    distilled(tenant, session_id)
    return session_id


def erase(tenant: Tenant, session_id: str) -> dict[str, int]:
    with tenant_scope(tenant.pk):
        rows: dict[str, int] = MANAGER.delete_session(session_id)["rows"]
    return rows


def at(day: int, text: str) -> dict[str, str]:
    return {"role": "user", "content": text, "occurred_at": f"2026-05-{day:02}T10:00:00Z"}


def test_nothing_that_was_derived_is_left_in_any_table(acme: Tenant) -> None:
    session_id = taught(acme, answered("The upstream listens on zebra-9000: set `proxy_pass` to it."))
    assert "memory_experience" in tables.holding("zebra-9000")

    rows = erase(acme, session_id)

    assert tables.holding("zebra-9000") == []
    assert tables.holding("502 Bad Gateway") == []
    assert (rows["experiences"], rows["vectors"], rows["distillations"]) == (1, 1, 1)
    with tenant_scope(acme.pk):
        assert not Vector.objects.exists()
        assert not Source.objects.exists()


def test_what_another_conversation_told_as_well_is_told_again_from_there(acme: Tenant) -> None:
    first = taught(acme, answered("Set `proxy_pass` to port 9000 in /etc/nginx/zebra.conf and reload nginx."))
    taught(acme, answered("Raise `proxy_read_timeout` to 120 in /etc/nginx/okapi.conf and reload nginx."))
    assert len(known(acme)) == 1

    erase(acme, first)
    assert tables.holding("zebra.conf") == []
    worker.work(acme.pk, Queue.DISTILLATION)

    (left,) = known(acme)
    assert "okapi.conf" in left.solution
    with tenant_scope(acme.pk):
        assert Distillation.objects.latest("created_at").reason == "What it was learned with was erased."


def test_what_was_merely_said_again_there_loses_these_sources_and_stays(acme: Tenant) -> None:
    taught(acme, answered("Set `proxy_pass` to port 9000 and reload nginx."))
    again = taught(acme, answered("Set `proxy_pass` to port 9000 and reload nginx."))
    (before,) = known(acme)

    assert erase(acme, again)["experiences"] == 0

    (after,) = known(acme)
    assert (after.pk, after.revision) == (before.pk, before.revision)
    with tenant_scope(acme.pk):
        assert Source.objects.values("stream_name").distinct().count() == 1


def test_no_part_of_an_abstraction_outlives_its_conversation_and_the_others_hold_again(acme: Tenant) -> None:
    sessions = {}
    with tenant_scope(acme.pk):
        limits.put("ARES_NEW_BELOW", "1")  # each stays apart as it comes
    for animal in ("zebra", "okapi", "tapir"):
        sessions[animal] = taught(acme, answered(f"Set `proxy_pass` to http://{animal}.local and reload nginx."))
    assert len(known(acme)) == 3
    with tenant_scope(acme.pk):
        assert consolidate.consolidate() == 1
    (whole,) = known(acme, kind="abstraction")
    assert all(animal in whole.solution for animal in sessions)

    erase(acme, sessions["zebra"])

    assert tables.holding("zebra.local") == []
    assert {each.status for each in known(acme)} == {"active"}
    assert len(known(acme)) == 2


def test_what_people_merged_goes_with_either_of_its_conversations(acme: Tenant) -> None:
    first = taught(acme, ["I live in Zebratown.", "Noted."])
    taught(acme, ["I prefer window seats on every flight.", "Noted."])
    home, seats = known(acme)
    with tenant_scope(acme.pk):
        reshaping.merge(seats.pk, home.pk, "user:ann")

    erase(acme, first)
    worker.work(acme.pk, Queue.DISTILLATION)

    assert tables.holding("Zebratown") == []
    assert [each.solution for each in known(acme, status="active")] == [seats.solution]


def test_what_had_been_superseded_holds_again_and_does_not_tell_by_what(acme: Tenant) -> None:
    taught(acme, [at(1, "I live in Berlin.")])
    later = taught(acme, [at(2, "I live in Zebratown now.")])
    assert [each.status for each in known(acme)] == ["superseded", "active"]

    erase(acme, later)

    (left,) = known(acme)
    assert (left.value, left.status, left.valid_to, left.superseded_by_id) == ("Berlin", "active", None, None)
    assert tables.holding("Zebratown") == []


def test_what_superseded_another_one_does_not_tell_what_that_said(acme: Tenant) -> None:
    first = taught(acme, [at(1, "I live in Zebratown.")])
    taught(acme, [at(2, "I live in Lisbon now.")])

    erase(acme, first)

    assert tables.holding("Zebratown") == []
    assert [each.value for each in known(acme)] == ["Lisbon now"]


def test_a_gap_in_the_history_closes(acme: Tenant) -> None:
    taught(acme, [at(1, "I live in Berlin.")])
    middle = taught(acme, [at(2, "I live in Lisbon now.")])
    taught(acme, [at(3, "I live in Oslo now.")])

    erase(acme, middle)

    berlin, oslo = known(acme)
    assert (berlin.status, berlin.superseded_by_id, berlin.valid_to) == ("superseded", oslo.pk, oslo.valid_from)
    assert oslo.status == "active"


def test_a_deleted_experience_gives_back_what_it_took_the_place_of(acme: Tenant) -> None:
    taught(acme, [at(1, "I live in Berlin.")])
    taught(acme, [at(2, "I live in Lisbon now.")])
    with tenant_scope(acme.pk):
        people.delete(known(acme, status="active")[0].pk, "user:ann")

    assert [(each.value, each.status) for each in known(acme)] == [("Berlin", "active")]


def test_erasing_one_user_touches_nothing_of_another(acme: Tenant) -> None:
    taught(acme, ["I live in Berlin.", "Noted."], "ann")
    taught(acme, ["I live in Berlin.", "Noted."], "bob")

    with tenant_scope(acme.pk):
        MANAGER.erase_user("ann")

    (left,) = known(acme)
    assert (left.user_id, left.status) == ("bob", "active")


def test_whoever_comes_first_of_the_worker_and_an_erasure_nothing_is_left(acme: Tenant) -> None:
    for _ in range(5):
        session_id = said(acme, answered("The upstream is zebra-9000: set `proxy_pass` to it."))
        with tenant_scope(acme.pk):
            MANAGER.distill_session(session_id)
        at_once([lambda: worker.work(acme.pk, Queue.DISTILLATION), lambda gone=session_id: erase(acme, gone)])

        assert tables.holding("zebra-9000") == []
        assert known(acme) == []


def test_a_task_that_is_packed_while_its_session_is_erased_leaves_nothing(acme: Tenant) -> None:
    def pack(task_id: str) -> None:
        with suppress(NotFound), tenant_scope(acme.pk):
            MANAGER.distill_task(task_id)

    for _ in range(5):
        session_id = said(acme, ["Hello there."])
        with tenant_scope(acme.pk):
            task_id = MANAGER.create_task(session_id, "ann", "find zebra-9000").pk
        at_once([lambda one=task_id: pack(one), lambda gone=session_id: erase(acme, gone)])

        assert tables.holding("zebra-9000") == []

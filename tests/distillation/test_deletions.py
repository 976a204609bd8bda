"""What people delete is not learned again, and no word of it is kept for that."""

import pytest

from memory.distillation import requests
from memory.layers import distilled as people
from memory.manager import MemoryManager
from memory.models import Decision, Deletion, Stream, Tenant
from memory.tenancy import tenant_scope
from tests import tables
from tests.distillation.running import distilled, known, learn, said

pytestmark = pytest.mark.django_db(transaction=True)
MANAGER = MemoryManager("test", lambda _: None)
LIVES = ["I live in Zebratown.", "Noted."]


def delete(tenant: Tenant) -> None:
    """Delete the one thing that is known."""
    (experience,) = known(tenant)
    with tenant_scope(tenant.pk):
        people.delete(experience.pk, "user:ann")


def test_the_same_stream_distilled_again_does_not_bring_it_back_and_the_decision_says_so(acme: Tenant) -> None:
    session_id = said(acme, LIVES)
    distilled(acme, session_id)
    delete(acme)

    again = distilled(acme, session_id)

    assert known(acme) == []
    with tenant_scope(acme.pk):
        (decision,) = Decision.objects.filter(distillation=again, stage="update")
        assert (decision.action, decision.rule, decision.experience) == ("discard", "deleted", None)
        assert decision.reason == "It says what was deleted by somebody, and that holds."


def test_nor_does_the_same_conversation_that_is_sent_again_or_a_try_with_other_rules(acme: Tenant) -> None:
    first = said(acme, LIVES)
    distilled(acme, first)
    delete(acme)
    learn(acme, LIVES)
    with tenant_scope(acme.pk):
        requests.of_stream(Stream.objects.named(first), "test", draft=True, rules={"ARES_NEW_BELOW": 0.5})
    distilled(acme, first)
    assert known(acme) == []


def test_what_another_user_says_is_theirs(acme: Tenant) -> None:
    learn(acme, LIVES)
    delete(acme)
    learn(acme, LIVES, "bob")
    assert [each.user_id for each in known(acme)] == ["bob"]


def test_what_had_been_merged_into_it_does_not_come_back_either(acme: Tenant) -> None:
    asked = "Our nginx returns 502 Bad Gateway for /api since the deployment, what is wrong?"
    sessions = [
        said(
            acme, [asked, f"Set `{name}` to {value} in /etc/nginx/nginx.conf and reload nginx.", "Thanks, that worked!"]
        )
        for name, value in (("proxy_pass", "port 9000"), ("proxy_read_timeout", "120"))
    ]
    for each in sessions:
        distilled(acme, each)
    delete(acme)
    for each in sessions:
        distilled(acme, each)
    assert known(acme) == []


def test_a_digest_is_all_that_is_kept_and_it_goes_with_the_conversation(acme: Tenant) -> None:
    session_id = said(acme, LIVES)
    distilled(acme, session_id)
    delete(acme)
    distilled(acme, session_id)
    with tenant_scope(acme.pk):
        assert Deletion.objects.get().stream_name == session_id
        assert set(tables.holding("Zebratown")) == {"memory_event", "memory_message", "memory_stream"}

        rows = MANAGER.delete_session(session_id)["rows"]

        assert rows["deletions"] == 1
        assert not Deletion.objects.exists()


def test_it_goes_with_the_user(acme: Tenant) -> None:
    learn(acme, LIVES)
    delete(acme)
    learn(acme, ["I live in Okapitown.", "Noted."], "bob")
    delete(acme)
    with tenant_scope(acme.pk):
        Deletion.objects.update(stream_name="")  # as if its conversation had gone before
        assert MANAGER.erase_user("ann")["rows"]["deletions"] == 1
        assert Deletion.objects.get().user_id == "bob"


def test_what_is_evicted_or_erased_may_be_learned_again(acme: Tenant) -> None:
    session_id = said(acme, LIVES)
    distilled(acme, session_id)
    (experience,) = known(acme)
    with tenant_scope(acme.pk):
        people.remove([experience.pk])
    distilled(acme, session_id)
    assert len(known(acme)) == 1

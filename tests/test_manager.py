"""The front door: each operation does what it says and is an event."""

from collections.abc import Iterator

import pytest

from memory.embedding import current
from memory.layers import hot
from memory.manager import MemoryManager
from memory.models import Distillation, Event, Message, Tenant
from memory.tenancy import tenant_scope
from memory.vocabulary import Queue
from tests.distillation.running import learn

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def told() -> list[Queue]:
    return []


@pytest.fixture
def manager(acme: Tenant, told: list[Queue]) -> Iterator[MemoryManager]:
    with tenant_scope(acme.pk):
        yield MemoryManager("test", told.append)


def types() -> list[str]:
    return list(Event.objects.order_by("position").values_list("type", flat=True))


def test_a_session_its_messages_and_its_end_are_events(manager: MemoryManager) -> None:
    opened = manager.create_session("ann", "ops")
    manager.add_message(opened.pk, {"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"})

    assert [message.content for message in manager.get_messages(opened.pk)] == ["hi", "hello"]
    assert manager.latest_session_for_agent("ops") == opened
    assert manager.delete_session(opened.pk)["rows"]["messages"] == 2
    assert types() == ["session.created", "message.added", "message.added", "session.deleted"]
    assert not Message.objects.exists()


def test_a_task_that_ends_is_distilled_in_the_background(manager: MemoryManager, told: list[Queue]) -> None:
    opened = manager.create_session("ann")
    made = manager.create_task(opened.pk, None, "Count the files.")

    manager.update_task_output(made.pk, "completed", "There are 12.")
    manager.update_task_output(made.pk, "completed", "There are 12.")

    assert Distillation.objects.get().status == "pending"
    assert told == [Queue.DISTILLATION]
    assert types()[-2:] == ["task.created", "task.completed"]


def test_the_light_path_keeps_no_secret(manager: MemoryManager) -> None:
    opened = manager.create_session("ann")
    made = manager.create_task(opened.pk, "ann", {"do": "log in", "password": "zebra-okapi-1"})
    manager.update_task_output(made.pk, "completed", "The token is ghp_0123456789abcdefghijABCDEFGHIJ012345.")

    told = manager.distill_task(made.pk).decisions.get().candidate

    assert told["input"] == {"do": "log in", "password": "[redacted]"}
    assert told["output"] == "The token is [redacted]"


def test_the_light_path_is_done_at_once_and_the_full_one_later(manager: MemoryManager, told: list[Queue]) -> None:
    opened = manager.create_session("ann")
    made = manager.create_task(opened.pk, None, "Count the files.")

    light, full = manager.distill_task(made.pk), manager.store_distilled_task(made.pk)

    assert (light.status, light.mode, full.status, full.mode) == ("completed", "light", "pending", "full")
    assert types()[-1] == "memory.distilled"
    assert light.decisions.get().candidate["input"] == "Count the files."
    assert told == [Queue.DISTILLATION]


def test_similar_tasks_are_found_for_their_user_alone(acme: Tenant, told: list[Queue]) -> None:
    learn(
        acme, ["My wife cannot open the garage door, why?", "Replace the battery of the remote, a CR2032."], user="ann"
    )
    manager = MemoryManager("test", told.append)

    with tenant_scope(acme.pk):
        assert "CR2032" in manager.search_similar_tasks("the garage door stays shut", "ann").hits[0].text
        assert list(manager.search_similar_tasks("the garage door stays shut", "bob").hits) == []


def test_a_context_holds_what_was_said_and_is_an_event(manager: MemoryManager) -> None:
    opened = manager.create_session("ann")
    manager.add_message(opened.pk, {"role": "user", "content": "My cat is called Miro."})

    context = manager.build_context(opened.pk, "What is my cat called?", max_tokens=500)

    assert "Miro" in str(context.content)
    assert types()[-1] == "context.built"


def test_starting_loads_and_stopping_lets_go(told: list[Queue]) -> None:
    manager = MemoryManager("test", told.append)

    manager.start()
    assert current.embedder.cache_info().currsize == 1
    manager.stop()

    assert current.embedder.cache_info().currsize == 0
    assert not hot._kept

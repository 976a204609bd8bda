"""Operations: the queues, their dead letters and another try, work in hand, services, schedules."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.conf import settings
from django.test import Client, override_settings
from django_q.models import OrmQ, Schedule, Task

from dashboard import operations
from memory import queue
from memory.layers import knowledge, tool
from memory.models import Distillation, Experience, QueueItem, Tenant
from memory.tenancy import tenant_scope
from memory.vocabulary import Queue, Role, WorkStatus
from tests.dashboard import making
from tests.dashboard.conftest import seen

pytestmark = pytest.mark.django_db(transaction=True)

DOWN = "The embedding service answered 503: busy"


def given_up(which: Queue, subject: str, reason: str = DOWN) -> QueueItem:
    """A dead letter about this subject."""
    queue.put(which, [subject])
    [claimed] = queue.claim(which, "worker:1", 1)
    queue.fail(claimed, reason, for_good=True)
    return QueueItem.objects.get(queue=which, subject_id=subject)


@pytest.fixture
def experience(acme: Tenant) -> Experience:
    """An experience of Acme that could not be embedded."""
    with tenant_scope(acme.pk):
        made = making.experience("Restart the unit", embedding_status=WorkStatus.FAILED)
        given_up(Queue.EMBEDDING, made.pk)
    return made


@pytest.fixture
def distillation(acme: Tenant) -> Distillation:
    """A distillation of Acme that failed."""
    with tenant_scope(acme.pk):
        made = making.distillation(making.said("talk", "Hello"), status=WorkStatus.FAILED, error="No answer")
        given_up(Queue.DISTILLATION, made.pk, "No answer")
    return made


def test_a_viewer_is_refused_and_has_no_link(member: Callable[..., Client], experience: Experience) -> None:
    browser = member(Role.VIEWER)
    for path in ("/operations/", "/operations/retry/"):
        assert browser.get(path).status_code == 403
    assert browser.post("/operations/retry/").status_code == 403
    assert "/operations/" not in seen(browser, "/")
    assert "/operations/" in seen(member(Role.OPERATOR), "/")
    assert OrmQ.objects.count() == 0


def test_an_empty_tenant_is_told_so_and_the_page_does_not_ask_again(member: Callable[..., Client]) -> None:
    page = seen(member(Role.OPERATOR), "/operations/")
    assert "Nothing has been queued yet" in page
    assert "nothing was given up" in page
    assert 'id="operations">' in page
    assert "Try all again" not in page


def test_queues_are_counted_by_state(member: Callable[..., Client], acme: Tenant, experience: Experience) -> None:
    with tenant_scope(acme.pk):
        queue.put(Queue.DISTILLATION, ["dist_a", "dist_b"])
        rows = {row.name: dict(row.counts) for row in operations.queues(datetime.now(UTC))}
    assert rows["embedding"] == dict.fromkeys(operations.STATES, 0) | {"failed": 1}
    assert rows["distillation"] == dict.fromkeys(operations.STATES, 0) | {"pending": 2}
    page = seen(member(Role.OPERATOR), "/operations/")
    assert 'data-label="pending">2</td>' in page


@pytest.mark.parametrize("status", [WorkStatus.PENDING, WorkStatus.PROCESSING])
def test_the_page_asks_again_while_work_is_under_way_and_stops_when_it_is_over(
    member: Callable[..., Client], acme: Tenant, status: WorkStatus
) -> None:
    browser = member(Role.OPERATOR)
    with tenant_scope(acme.pk):
        queue.put(Queue.EMBEDDING, ["exp_a"])
        QueueItem.objects.update(status=status, leased_until=datetime.now(UTC) + timedelta(minutes=1))
    assert 'hx-get="/operations/" hx-trigger="every 3s"' in seen(browser, "/operations/")
    with tenant_scope(acme.pk):
        QueueItem.objects.update(status=WorkStatus.COMPLETED)
    fragment = browser.get("/operations/", headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in fragment
    assert 'id="operations">' in fragment


def test_a_dead_letter_has_its_subject_its_reason_and_its_attempts(
    member: Callable[..., Client], acme: Tenant, experience: Experience, distillation: Distillation
) -> None:
    with tenant_scope(acme.pk):
        document = knowledge.create("Disk full", "Delete old logs.")
        made = tool.keep("grep", "Finds lines").tool
        QueueItem.objects.filter(subject_id__in=[document.pk, made.pk]).delete()
        for subject in (document.pk, made.pk, "exp_gone"):
            given_up(Queue.EMBEDDING, subject)
    page = seen(member(Role.OPERATOR), "/operations/")
    for address, title in (
        (f"/memory/experiences/{experience.pk}/", "Restart the unit"),
        (f"/memory/distillations/{distillation.pk}/", "talk"),
        (f"/knowledge/{document.pk}/", "Disk full"),
        (f"/tools/{made.pk}/", "grep"),
    ):
        assert f'href="{address}"><bdi class="two-lines">{title}</bdi>' in page
    assert "exp_gone" in page
    assert "/memory/experiences/exp_gone/" not in page
    assert DOWN in page
    assert 'data-label="attempts">1</td>' in page


def test_what_failed_is_not_read_as_markup(member: Callable[..., Client], acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        given_up(Queue.EMBEDDING, "exp_a", "<script>alert(1)</script>")
    assert "<script>alert(1)" not in seen(member(Role.OPERATOR), "/operations/")


def test_one_is_tried_again_after_a_page_that_shows_it(
    member: Callable[..., Client], acme: Tenant, experience: Experience, distillation: Distillation
) -> None:
    browser = member(Role.OPERATOR)
    with tenant_scope(acme.pk):
        item = QueueItem.objects.get(subject_id=experience.pk)
    page = seen(browser, f"/operations/retry/?item={item.pk}")
    assert "Restart the unit" in page
    assert "No answer" not in page

    answer = browser.post("/operations/retry/", {"item": str(item.pk)}, follow=True)

    assert "1 dead letter will be tried again." in answer.content.decode()
    with tenant_scope(acme.pk):
        item.refresh_from_db()
        experience.refresh_from_db()
        distillation.refresh_from_db()
    assert (item.status, item.attempts) == (WorkStatus.PENDING, 0)
    assert experience.embedding_status == WorkStatus.PENDING
    assert distillation.status == WorkStatus.FAILED
    [job] = OrmQ.objects.all()
    assert job.task["args"] == (acme.pk, "embedding")


def test_all_are_tried_again_and_their_subjects_wait(
    member: Callable[..., Client], acme: Tenant, experience: Experience, distillation: Distillation
) -> None:
    browser = member(Role.OPERATOR)
    assert "Try 2 dead letters again" in seen(browser, "/operations/retry/")

    answer = browser.post("/operations/retry/", follow=True)

    assert "2 dead letters will be tried again." in answer.content.decode()
    with tenant_scope(acme.pk):
        experience.refresh_from_db()
        distillation.refresh_from_db()
        assert set(QueueItem.objects.values_list("status", flat=True)) == {"pending"}
    assert experience.embedding_status == WorkStatus.PENDING
    assert (distillation.status, distillation.error) == (WorkStatus.PENDING, "")
    assert {job.task["args"] for job in OrmQ.objects.all()} == {(acme.pk, "embedding"), (acme.pk, "distillation")}
    again = browser.post("/operations/retry/", follow=True)
    assert "Nothing was left to try again." in again.content.decode()


@pytest.mark.parametrize("item", ["x", "-1", "0", "9" * 30, "٣"])
def test_what_names_no_dead_letter_tries_none(
    member: Callable[..., Client], acme: Tenant, experience: Experience, item: str
) -> None:
    browser = member(Role.OPERATOR)
    assert browser.get("/operations/retry/", {"item": item}).status_code == 404
    browser.post("/operations/retry/", {"item": item})
    with tenant_scope(acme.pk):
        assert QueueItem.objects.get().status == WorkStatus.FAILED


def test_another_tenants_dead_letters_are_neither_shown_nor_tried_again(
    member: Callable[..., Client], acme: Tenant, globex: Tenant
) -> None:
    with tenant_scope(globex.pk):
        theirs = given_up(Queue.EMBEDDING, "exp_theirs")
    browser = member(Role.ADMIN)
    assert "exp_theirs" not in seen(browser, "/operations/")
    assert browser.get(f"/operations/retry/?item={theirs.pk}").status_code == 404
    browser.post("/operations/retry/", {"item": str(theirs.pk)})
    browser.post("/operations/retry/")
    with tenant_scope(globex.pk):
        theirs.refresh_from_db()
    assert theirs.status == WorkStatus.FAILED


def test_trying_again_takes_a_token_from_a_page(member: Callable[..., Client], experience: Experience) -> None:
    assert member(Role.OPERATOR, enforce_csrf_checks=True).post("/operations/retry/").status_code == 403


def test_work_in_hand_is_shown_with_its_worker_and_what_a_dead_worker_left_is_called_abandoned(
    member: Callable[..., Client], acme: Tenant
) -> None:
    browser = member(Role.OPERATOR)
    with tenant_scope(acme.pk):
        queue.put(Queue.EMBEDDING, ["exp_a"])
        queue.claim(Queue.EMBEDDING, "host:7:beef", 1)
    page = seen(browser, "/operations/")
    assert "host:7:beef" in page
    assert '<span class="trouble">abandoned' not in page
    with tenant_scope(acme.pk):
        QueueItem.objects.update(leased_until=datetime.now(UTC) - timedelta(minutes=1))
    assert '<span class="trouble">abandoned' in seen(browser, "/operations/")


def test_services_tell_what_is_set_and_their_last_failure_but_no_secret(
    member: Callable[..., Client], acme: Tenant, experience: Experience
) -> None:
    with tenant_scope(acme.pk):
        note = "Extracted by rules alone: The language model did not answer in time."
        making.distillation(making.said("talk", "Hello"), error=note)
        embedding, language = operations.services()
    assert (embedding.setting, embedding.problem) == ("multilingual-e5-small-q4", DOWN)
    assert embedding.note == "calibrated: unrelated texts 0.78, paraphrases 0.95"
    assert embedding.good_at is None
    assert (language.setting, language.problem, language.bad_at) == ("", note, making.NOW)
    secret = {
        "ARES_EMBEDDING_URL": "https://me:hunter2@host.example:8443/v1?key=hunter2",
        "ARES_EMBEDDING_MODEL": "model-x",
        "ARES_EMBEDDING_KEY": "hunter2",
        "ARES_LLM_URL": "http://llm.example/v1",
        "ARES_LLM_MODEL": "model-y",
    }
    with override_settings(ARES_SERVICES={**settings.ARES_SERVICES, **secret}):
        page = seen(member(Role.OPERATOR), "/operations/")
    for told in ("https://host.example:8443/v1", "model-x", "http://llm.example/v1", "model-y"):
        assert told in page
    assert "hunter2" not in page
    assert "not calibrated" in page


def test_schedules_tell_how_their_last_run_went_and_nothing_of_what_it_returned(member: Callable[..., Client]) -> None:
    browser = member(Role.OPERATOR)
    page = seen(browser, "/operations/")
    assert page.count("not yet") == Schedule.objects.count()
    began = datetime.now(UTC) - timedelta(minutes=1)
    for number, success in enumerate((True, False)):
        stopped = began + timedelta(seconds=number + 2)
        Task.objects.create(
            id=f"{number:032}",
            name="n",
            func="memory.jobs.verify_streams",
            group="aresweb: verify_streams",
            started=began,
            stopped=stopped,
            success=success,
            result="of Globex",
        )
    page = seen(browser, "/operations/")
    assert "outcome-failed" in page
    assert "outcome-succeeded" not in page
    assert "3.0 s" in page
    assert "of Globex" not in page

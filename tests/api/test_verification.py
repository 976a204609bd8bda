"""`/streams/{stream}/verification`: what the last verification found, and a new one."""

from typing import Any

import pytest
from django.conf import settings
from django.test import override_settings
from django_q.models import OrmQ

from memory import jobs
from memory.events import store
from memory.models import Stream, Tenant
from memory.tenancy import tenant_scope
from tests.api.conftest import ApiClient
from tests.events.making import drafted
from tests.events.tampering import tamper

pytestmark = pytest.mark.django_db(transaction=True)

PATH = "/streams/run/verification"


@pytest.fixture(autouse=True)
def _recorded(acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        store.append("run", [drafted() for _ in range(5)])


def test_a_stream_that_was_never_verified_says_so(api: ApiClient) -> None:
    assert api.get(PATH).json() == {
        "stream": "run", "verified_at": None, "version": 0, "faults": 0, "clean_version": 0, "clean_hash": None, "findings": [],
    }  # fmt: skip


def test_verifying_answers_with_the_result_which_is_kept(api: ApiClient) -> None:
    answer = api.post(PATH)
    told: dict[str, Any] = answer.json()
    head = api.get("/streams/run/events").json()["results"][-1]["hash"]
    assert (answer.status_code, told["version"], told["faults"], told["findings"]) == (200, 5, 0, [])
    assert (told["clean_version"], told["clean_hash"]) == (5, head)
    assert api.get(PATH).json() == told


def test_findings_name_version_and_fault(api: ApiClient, acme: Tenant) -> None:
    api.post(PATH)
    tamper(acme, "UPDATE memory_event SET payload_json = '{\"forged\":1}' WHERE version = 3")
    told = api.post(PATH).json()
    assert (told["version"], told["faults"], told["clean_version"]) == (5, 1, 5)
    [found] = told["findings"]
    assert found.keys() == {"version", "fault", "detail", "found_at"}
    assert (found["version"], found["fault"]) == (3, "content-altered")
    assert "forged" not in found["detail"]


def test_a_long_stream_is_left_to_the_worker(api: ApiClient, acme: Tenant) -> None:
    with override_settings(ARES={**settings.ARES, "ARES_VERIFY_AT_ONCE": 4}):
        answer = api.post(PATH)
    assert (answer.status_code, answer.json()["verified_at"]) == (202, None)
    [task] = [queued.task for queued in OrmQ.objects.all()]
    with tenant_scope(acme.pk):
        stream = Stream.objects.named("run")
    assert (task["func"], task["args"]) == ("memory.jobs.verify_stream", (acme.pk, stream.pk))
    jobs.verify_stream(*task["args"])
    assert api.get(PATH).json()["version"] == 5


def test_what_is_not_there_or_another_tenants_is_not_found(api: ApiClient, stranger: ApiClient) -> None:
    for client, path in ((api, "/streams/none/verification"), (stranger, PATH)):
        assert client.get(path).status_code == client.post(path).status_code == 404

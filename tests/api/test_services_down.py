"""While the services behind aresweb are down or slow, agents notice nothing, and operators see it."""

from collections.abc import Iterator

import pytest
from django.conf import settings
from django.test import override_settings

from memory import worker
from memory.llm import client
from memory.models import QueueItem, Tenant
from memory.tenancy import tenant_scope
from memory.vocabulary import Queue
from tests import service
from tests.api.conftest import ApiClient
from tests.embed import embedded_by
from tests.service import Answer, Served, embeddings, slow, told
from tests.test_worker import due

pytestmark = pytest.mark.django_db(transaction=True)
MESSAGES = [
    {"role": "user", "content": "The build of module billing fails with error E42, what can I do?"},
    {"role": "assistant", "content": "Pin setuptools to 68.2.0 in requirements.txt and run `make build` again."},
]


@pytest.fixture
def served() -> Iterator[Served]:
    """One service for embeddings and for the language model."""
    with service.service() as running, embedded_by(running.url):
        services = settings.ARES_SERVICES | {"ARES_LLM_URL": running.url, "ARES_LLM_MODEL": "small"}
        with override_settings(ARES_SERVICES=services, ARES={**settings.ARES, "ARES_SERVICE_SECONDS": 1}):
            client.client.cache_clear()
            yield running
        client.client.cache_clear()


def used(api: ApiClient) -> str:
    """What an agent does in a run; every answer is as usual. The session's id."""
    session = api.post("/sessions", {"user_id": "ann"}).json()["id"]
    assert api.post(f"/sessions/{session}/messages", MESSAGES).status_code == 201
    context = api.post(f"/sessions/{session}/context", {"input": "The build fails with E42 again."})
    assert context.status_code == 200
    assert context.json()["messages"]
    assert api.post("/search", {"query": "prune"}).status_code == 200
    assert api.post("/tools", {"name": "prune", "description": "Frees disk space."}).status_code in (200, 201)
    assert api.post("/knowledge", {"title": "Disks", "text": "Disks fill up."}).status_code == 201
    asked = api.post(f"/sessions/{session}/distillations")
    assert (asked.status_code, asked.json()["status"]) == (202, "pending")
    return str(session)


def worked(tenant: Tenant) -> None:
    for which in Queue:
        worker.work(tenant.pk, which)


@pytest.mark.parametrize(
    "answer",
    [
        told({}, status=500), told({}, status=429, Retry_After="60"), told({}, status=401), (200, {}, b""), told({"data": "no"}),
        told({"data": [{"index": 0, "embedding": [float("nan")] * 8}]}), told({"data": [{"index": 0, "embedding": [1.0, 2.0]}]}),
    ],
)  # fmt: skip
def test_agents_notice_nothing_and_all_is_done_once_the_service_is_back(
    api: ApiClient, acme: Tenant, served: Served, answer: Answer
) -> None:
    served.answer = lambda body: answer
    session = used(api)
    worked(acme)
    found = api.get("/experiences").json()["results"]
    assert found == []
    with tenant_scope(acme.pk):
        assert set(QueueItem.objects.values_list("status", flat=True)) == {"pending"}
        assert all("The embedding service" in error for error in QueueItem.objects.values_list("error", flat=True))
    assert "The embedding service" in api.post("/search", {"query": "prune"}).json()["missing"]["vector"]

    served.answer = embeddings  # the language model still answers nonsense: the rules do
    due(acme)
    worked(acme)
    [experience] = api.get("/experiences").json()["results"]
    assert experience["method"] == "direct"
    assert api.get("/tools?embedding_status=completed").json()["results"]
    assert session


def test_a_service_that_hangs_is_waited_for_once_and_not_by_every_agent(api: ApiClient, served: Served) -> None:
    served.answer = slow(3)
    with override_settings(ARES={**settings.ARES, "ARES_QUERY_SECONDS": 1}), embedded_by(served.url):
        for number in range(4):
            assert "vector" in api.post("/search", {"query": f"prune {number}"}).json()["missing"]

    assert len(served.asked) == 1


def test_where_only_the_query_is_remembered_recall_goes_by_words(api: ApiClient, acme: Tenant, served: Served) -> None:
    served.answer = embeddings
    used(api)
    worked(acme)
    session = api.post("/sessions", {"user_id": "ann"}).json()["id"]
    api.post("/search", {"query": "build billing error E42"})
    served.answer = lambda body: told({}, status=500)

    context = api.post(f"/sessions/{session}/context", {"input": "build billing error E42"})

    assert context.status_code == 200
    assert [found["text"] for found in context.json()["experiences"]]
